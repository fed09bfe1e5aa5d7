"""MirrorMaker 2's ``mm2.properties``: clusters of Kafka, and the flows between them that are enabled.

A cluster is who its bootstrap servers are, not what a file calls it. With the default policy a topic gets the name of
the cluster that it comes from, and does not go where its name says that it has been; with the identity policy it keeps
its name, and nothing stops it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from momlint.native.form import TOP, At, Broker, Link, NativeFile, Pass, Token
from momlint.native.globs import globs_of, without_covered
from momlint.native.properties import Setting, Value, read_properties
from momlint.native.text import read_text

_FLOW: Final = re.compile(r"(.+?)->(.+)\.([^.]+(?:\.[^>]*)?)")
_IDENTITY: Final = ("IdentityReplicationPolicy", "LegacyReplicationPolicy")
_DEFAULT: Final = "DefaultReplicationPolicy"
#: What is never replicated, whatever the lists say; and what `topics.exclude` says where it is not given.
_INTERNAL: Final = ("__*", ".*", "*-internal", "*.internal")
_EXCLUDED: Final = ("*.replica",)
#: Settings that say where messages go.
_OURS: Final = (
    "clusters",
    "topics",
    "topics.exclude",
    "topics.blacklist",
    "replication.policy.class",
    "replication.policy.separator",
    "topic.filter.class",
    "enabled",
)


@dataclass(slots=True)
class Flow:
    """What becomes a link, apart from what keeps a message from coming back. `add`: put before its name.

    `separator`: of the parts of names; None with the identity policy.
    """

    link: Link
    target: str
    add: str
    separator: str | None
    passes: list[Pass]


def read_mirrormaker(data: bytes, file: str) -> NativeFile:
    """Read an ``mm2.properties``. Raises nothing on account of the bytes."""
    text, problems, is_text = read_text(data, file)
    native = NativeFile("mm2", [(file, text)], problems=problems)
    if is_text:
        _Reader(native, read_properties(text)).run()
    if not native.brokers:
        native.brokers.append(Broker("", TOP))
    return native


class _Reader:
    def __init__(self, native: NativeFile, settings: Iterator[Setting]) -> None:
        self.native = native
        self.settings: dict[str, Setting] = {}
        for setting in settings:
            self.settings[setting.key.text] = setting  # of several the last one counts
        self.unknown: set[str] = set()
        self.flows: list[Flow] = []
        native.server = self.flows

    def run(self) -> None:
        clusters: dict[str, Token] = {}
        declared = self.settings.get("clusters")
        for token in declared.value.items() if declared is not None else ():
            clusters.setdefault(token.text, token)
        if not clusters:
            at = declared.key.at if declared is not None else TOP
            self.native.report(
                "MOM813",
                at,
                "this file names no clusters; MirrorMaker does not start",
                "add `clusters = A, B` and the servers of each: `A.bootstrap.servers = a.example:9092`",
            )
        for name, token in clusters.items():
            self.cluster(name, token)
        flows: dict[tuple[str, str], At] = {}
        for key, setting in self.settings.items():
            found = _FLOW.fullmatch(key)
            if found is not None:
                flow = self.flow_of(found[1], key.partition("->")[2], clusters)
                flows.setdefault(flow, setting.key.at)
        for (source, target), at in flows.items():
            self.flow(source, target, at, clusters)
        self.tell_slips(clusters)

    def flow_of(self, source: str, rest: str, clusters: dict[str, Token]) -> tuple[str, str]:
        """The two clusters of a flow; a name may have dots in it."""
        known = [name for name in clusters if rest.startswith(f"{name}.")]
        return source, max(known, key=len) if known else rest.partition(".")[0]

    def cluster(self, name: str, token: Token) -> None:
        broker = Broker(name, token.at)
        servers = self.settings.get(f"{name}.bootstrap.servers") or self.settings.get("bootstrap.servers")
        for server in servers.value.items() if servers is not None else ():
            broker.hosts.add(server.text.lower())
        if servers is None:
            self.native.report(
                "MOM813",
                token.at,
                f"nothing says where the cluster `{name}` is; MirrorMaker does not start",
                f"add `{name}.bootstrap.servers = host:9092`",
                label="no bootstrap.servers",
            )
        self.native.brokers.append(broker)

    # -- a flow ------------------------------------------------------------------------------------------------------

    def value(self, flow: str, key: str) -> Value | None:
        """What a flow has, or all flows have."""
        setting = self.settings.get(f"{flow}.{key}") or self.settings.get(key)
        return None if setting is None else setting.value

    def flow(self, source: str, target: str, at: At, clusters: dict[str, Token]) -> None:
        flow = f"{source}->{target}"
        for name in dict.fromkeys((source, target)):
            if name not in clusters:
                self.native.report(
                    "MOM808",
                    at,
                    f"`{name}` is none of the `clusters`; nothing is replicated from `{source}` to `{target}`",
                    f"mend the name, or add `{name}` to `clusters`",
                    label="a cluster that nobody declares",
                    about={"broker": name},
                )
                return
        enabled = self.settings.get(f"{flow}.enabled")
        if enabled is None and "enabled" not in self.settings:
            self.native.report(
                "MOM805",
                at,
                f"`{flow}` is not enabled: this does nothing",
                f"add `{flow}.enabled = true`, or leave it out",
                label="never used",
            )
            return
        said = self.value(flow, "enabled")
        if said is None or said.text.strip().lower() != "true" or source == target:
            return
        place = enabled.key.at.to(enabled.value.at) if enabled is not None else at
        renaming = self.renaming(flow, source)
        if renaming is None:
            return
        add, separator = renaming
        passes = [Pass(one, "", "", place, denied=True) for one in _INTERNAL]
        excluded = self.value(flow, "topics.exclude") or self.value(flow, "topics.blacklist")
        if excluded is None:
            passes += [Pass(one, "", "", place, denied=True) for one in _EXCLUDED]
        else:
            passes += [Pass(one, "", "", where, denied=True) for one, where in self.names(excluded, "topics.exclude")]
        own = self.settings.get(f"{flow}.topics")
        topics = self.value(flow, "topics")
        wanted = [("*", place)] if topics is None else self.names(topics, "topics")
        for name, where in wanted:
            # A list that is for all flows is not where one of them is mended.
            passes.append(Pass(name, "", add, where if own is not None else place))
        if not wanted:
            return
        link = Link(flow, source, True, place, passes, other=(self.native.file, target))
        self.native.links.append(link)
        self.flows.append(Flow(link, target, add, separator, passes))

    def renaming(self, flow: str, source: str) -> tuple[str, str | None] | None:
        """What is put before a name, and what divides it from that; None where the policy is not known."""
        policy = self.value(flow, "replication.policy.class")
        name = "" if policy is None else policy.text.strip().rpartition(".")[2]
        if name in _IDENTITY:
            return "", None
        if name not in ("", _DEFAULT):
            self.note(
                f"policy {name}",
                policy.at if policy is not None else TOP,
                f"momlint does not know how `{name[:80]}` names topics; its flows are left out",
            )
            return None
        given = self.value(flow, "replication.policy.separator")
        separator = "." if given is None or not given.text else given.text
        return source + separator, separator

    def names(self, value: Value, key: str) -> list[tuple[str, At]]:
        """A list of regular expressions as wildcards, without those that others cover."""
        found: list[tuple[str, At]] = []
        for item in value.items():
            wildcards = globs_of(item.text)
            if wildcards is None:
                self.note(
                    f"{key} {item.text}",
                    item.at,
                    f"momlint does not follow the regular expression `{item.text[:80]}`; it is left out of `{key}`",
                )
                continue
            found += [(one, item.at) for one in wildcards]
        kept = without_covered(name for name, _ in found)
        return [(name, at) for number, (name, at) in enumerate(found) if name in kept and _is_first(found, number)]

    # -- what is odd -------------------------------------------------------------------------------------------------

    def note(self, key: str, at: At, message: str) -> None:
        if key not in self.unknown and len(self.unknown) < 20:
            self.unknown.add(key)
            self.native.report("MOM814", at, message, "if it says where messages go, momlint does not see it")

    def tell_slips(self, clusters: dict[str, Token]) -> None:
        """Settings that are nearly called as one that says where messages go; there are hundreds of others."""
        from difflib import get_close_matches

        for key, setting in list(self.settings.items())[:2000]:
            flow = "->" in key
            _, _, rest = key.partition("->")
            name = rest[len(self.flow_of("", rest, clusters)[1]) + 1 :] if flow else key
            if name in _OURS or len(name) > 40:
                continue
            near = get_close_matches(name, _OURS if flow else _OURS[:-1], 1, 0.85)
            if near:
                self.note(key, setting.key.at, f"momlint does not know the setting `{key[:80]}`: `{near[0]}` is one")
        given = self.settings.get("topic.filter.class")
        if given is not None and not given.value.text.strip().endswith(".DefaultTopicFilter"):
            self.note("topic.filter.class", given.value.at, "momlint does not know which topics this filter lets pass")


def _is_first(found: Sequence[tuple[str, At]], number: int) -> bool:
    return all(name != found[number][0] for name, _ in found[:number])


def united(files: Sequence[NativeFile], names: dict[str, str]) -> dict[tuple[str, str], str]:
    """What each cluster of each file is called in the estate: (file, alias) → name, one for one set of servers.

    `names`: what each file is called, for an alias that two clusters have.
    """
    clusters = [(native.file, broker) for native in files if native.kind == "mm2" for broker in native.brokers]
    above: dict[object, object] = {}

    def root(one: object) -> object:
        while above.setdefault(one, one) != one:
            one = above[one]
        return one

    for file, broker in clusters:
        own = root((file, broker.key))
        for server in sorted(broker.hosts):
            above[root(("server", server))] = own
    found: dict[tuple[str, str], str] = {}
    called: dict[object, str] = {}
    taken: set[str] = set()
    for file, broker in clusters:
        if not broker.key:
            continue
        cluster = root((file, broker.key))
        if cluster not in called:
            name = broker.key if broker.key not in taken else f"{names[file]}/{broker.key}"
            called[cluster] = name
            taken.add(name)
        found[file, broker.key] = called[cluster]
    return found


def guard(files: Sequence[NativeFile], names: dict[tuple[str, str], str]) -> dict[str, object]:
    """The guard of the estate; where there can be none, flows get lists of what does not come back.

    Where every flow renames and each cluster has one name everywhere, a message does not come twice to a cluster, and
    takes no more hops than there are others. Elsewhere it depends on what each flow calls them.
    """
    flows = [(native.file, flow) for native in files if isinstance(native.server, list) for flow in native.server]
    separators = {flow.separator for _, flow in flows}
    alone = len(separators) == 1 and None not in separators
    separator = next(iter(separators), None) or ""
    plain = all(name == alias and separator not in alias for (_, alias), name in names.items())
    if alone and plain:
        for _, flow in flows:
            flow.link.passes = flow.passes
            flow.link.max_hops = max(len(set(names.values())) - 1, 1)
        return {"once": True, "visited": "broker"}
    for _, flow in flows:
        flow.link.passes = [*_cycle(flow), *flow.passes]
    return {"once": True}


def _cycle(flow: Flow) -> Iterator[Pass]:
    """The names that do not go to a cluster since its name is one of their parts."""
    separator, target = flow.separator, flow.target
    if separator is None or separator in target:
        return  # no part of a name is ever called so
    for name in (f"{target}{separator}?*", f"*{separator}{target}{separator}?*"):
        yield Pass(name, "", "", flow.link.at, denied=True)
