"""Simulations with many seeds, by a runner: a unit is one policy with one seed."""

from __future__ import annotations

import base64
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from momlint import config
from momlint.errors import UsageError
from momlint.fleet.work import Fault, Work

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from momlint.fleet.work import Runner
    from momlint.simulation.designs import Policy, Setting
    from momlint.simulation.faults import Incident
    from momlint.simulation.outcomes import Outcome
    from momlint.simulation.overlays import Topology
    from momlint.simulation.recovering import RecoveryOutcome
    from momlint.simulation.steps import Step

O = TypeVar("O")  # noqa: E741 - an outcome
#: Seconds that a unit is expected to take, for the size of shards.
EXPECTED = 0.2


@dataclass(frozen=True, slots=True)
class Packed:
    """An outcome on its way from a worker: pickled, as text; or why there is none."""

    outcome: str = ""
    fault: str = ""


@dataclass
class Simulate(Work[Packed], Generic[O]):
    """Runs `one` with every argument and every seed from `first` on; units go by argument, then by seed."""

    result_type: ClassVar[type[Any]] = Packed

    one: Callable[[Any, int], O]
    arguments: Sequence[Any]
    first: int
    runs: int

    @property
    def units(self) -> int:
        """One for each argument and seed."""
        return len(self.arguments) * self.runs

    def run(self, unit: int) -> Packed:
        """One simulation."""
        argument, seed = divmod(unit, self.runs)
        found = self.one(self.arguments[argument], self.first + seed)
        return Packed(base64.b85encode(pickle.dumps(found)).decode())

    def undecided(self, unit: int, fault: Fault) -> Packed:
        """It hung or died."""
        return Packed(fault=fault.reason)


def spread(
    one: Callable[[Any, int], O],
    arguments: Sequence[Any],
    first: int,
    runs: int,
    jobs: str | None,
    spark: str | None,
    say: Callable[[str], None],
) -> list[list[O]]:
    """The outcomes of each argument, by seed. `one` is a function of a module, or a partial of one.

    With `jobs` in so many processes, with `spark` on that master, otherwise here. Raises `UsageError` where one of them
    has no result.
    """
    work = Simulate(one, arguments, first, runs)
    found: list[O] = []
    with _runner(jobs, spark, say) as runner:
        for unit, packed in enumerate(runner.run(work, [EXPECTED] * work.units)):
            if packed.fault:
                raise UsageError(f"the run with seed {first + unit % runs} has no result: {packed.fault}")
            found.append(pickle.loads(base64.b85decode(packed.outcome)))
    return [found[start : start + runs] for start in range(0, len(found), runs)]


def _runner(jobs: str | None, spark: str | None, say: Callable[[str], None]) -> AbstractContextManager[Runner]:
    from momlint.fleet.guard import ShardLimits

    if jobs is not None and spark is not None:
        raise UsageError("--spark and --jobs do the same thing; choose one")
    if spark is not None:
        from momlint.fleet.choose import on_spark

        return on_spark(spark, ShardLimits(), say)
    count = config.jobs("--jobs", jobs) if jobs is not None else 1
    if count == 1:
        from momlint.fleet.serial import Serial

        return Serial(say)
    from momlint.fleet.processes import Processes

    return Processes(count, ShardLimits(), say)


@dataclass(frozen=True, slots=True)
class Scripted:
    """A script on a design; called with a policy and a seed. Without `logged` the log is left behind."""

    setting: Setting
    steps: tuple[Step, ...]
    logged: bool

    def __call__(self, policy: Policy, seed: int) -> Outcome:
        from momlint.simulation.running import run

        outcome = run(self.setting, policy, self.steps, seed)
        return outcome if self.logged else replace(outcome, log=())


def many_runs(
    setting: Setting,
    policies: Mapping[str, Policy],
    steps: Sequence[Step],
    first: int,
    runs: int,
    jobs: str | None,
    spark: str | None,
    say: Callable[[str], None] = lambda _: None,
) -> dict[str, list[Outcome]]:
    """The script under each policy, with `runs` seeds from `first` on. Raises as `spread` does."""
    one = Scripted(setting, tuple(steps), logged=runs == 1)
    return dict(zip(policies, spread(one, list(policies.values()), first, runs, jobs, spark, say), strict=True))


@dataclass(frozen=True, slots=True)
class Failing:
    """Faults on an overlay; called with a protocol and a seed."""

    topology: Topology
    faults: tuple[Incident, ...]
    until: float

    def __call__(self, protocol: str, seed: int) -> RecoveryOutcome:
        from momlint.simulation.recovering import recover

        return recover(self.topology, protocol, self.faults, self.until, seed)


def many_recoveries(
    topology: Topology,
    protocols: Sequence[str],
    faults: Sequence[Incident],
    until: float,
    first: int,
    runs: int,
    jobs: str | None,
    spark: str | None,
    say: Callable[[str], None] = lambda _: None,
) -> dict[str, list[RecoveryOutcome]]:
    """The faults under each protocol, with `runs` seeds from `first` on. Raises as `spread` does."""
    one = Failing(topology, tuple(faults), until)
    return dict(zip(protocols, spread(one, protocols, first, runs, jobs, spark, say), strict=True))
