"""What checks look at: the evidence of one estate, and what was worked out from it.

One way only: places, evidence, causes and what failures cut, what recovery rows say; checks make drafts of it.
"""

from __future__ import annotations

from collections.abc import Set
from functools import cached_property
from typing import TYPE_CHECKING

from momlint.routed.diagnosis.evidence import Evidence

if TYPE_CHECKING:
    from momlint.estate.resolved import Estate
    from momlint.routed.ask import Ask
    from momlint.routed.diagnosis.causes import Causes
    from momlint.routed.diagnosis.cutting import Cutting
    from momlint.routed.diagnosis.recovery_facts import RecoveryFacts
    from momlint.routed.flooding.asking import Settling
    from momlint.routed.overlay.form import Overlay
    from momlint.routed.overlay.needs import Needs
    from momlint.routed.overlay.uncondensing import Entries


class Context(Evidence):
    """One estate under check. Each part is made when the first check asks for it."""

    def __init__(
        self,
        estate: Estate,
        overlay: Overlay,
        ask: Ask,
        entries: Entries | None = None,
        needs: Needs | None = None,
    ) -> None:
        """`entries`: what the recovery rows leave open or say twice; `needs`: those of the topics, where known."""
        super().__init__(estate, overlay, ask, needs)
        self.entries = entries
        #: The recovery protocol, where it is to be checked.
        self.settling: Settling | None = None

    @cached_property
    def causes(self) -> Causes:
        """The root causes of what is broken."""
        from momlint.routed.diagnosis.causes import Causes

        return Causes(self)

    @cached_property
    def cutting(self) -> Cutting:
        """What failures cut."""
        from momlint.routed.diagnosis.cutting import Cutting

        return Cutting(self)

    @cached_property
    def recovery(self) -> RecoveryFacts | None:
        """What the recovery rows say wrongly, twice or not at all; None for an estate without such rows."""
        if self.entries is None or self.estate.recovery_rows is None:
            return None
        from momlint.routed.diagnosis.recovery_facts import RecoveryFacts

        return RecoveryFacts(self, self.entries, self.causes)

    def keeps_promise(self, silent: Set[str]) -> bool:
        """Whether it is known that the estate survives what ``tolerate`` promises.

        `silent`: the codes of the rules that were asked and found nothing, wanted in the report or not. It is known
        where those that would say otherwise are among them: what is cut, and, where colours say what is done, whether
        each promised failure has one.
        """
        promise = self.estate.tolerate
        if promise is None or not (promise.links or promise.brokers or promise.groups):
            return False
        asked = {"MOM502", "MOM402"} if self.estate.colours_declared else {"MOM502"}
        known = self.cutting.can_tell and self.is_whole("failures.tolerate", "failures.colours", "groups")
        return known and asked <= silent
