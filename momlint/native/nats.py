"""nats-server's configuration: who meshes with whom, leaf nodes, accounts with imports and exports.

A broker of the estate is a server, or a server's account where it has several. What the server refuses was tried out
on nats-server 2.9.10.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from momlint.native.addresses import ANY_HOST, read_address
from momlint.native.form import TOP, Address, At, Broker, Link, NativeFile, Pass, Token
from momlint.native.nats_syntax import Entry, Items, Map, ReadFile, Scalar, Value, read_conf
from momlint.native.text import read_text

PORTS: Final = {"client": 4222, "cluster": 6222, "leafnodes": 7422, "gateway": 7222}

_KNOWN_TEXT: Final = """
    accounts allow_non_tls authorization client_advertise cluster connect_error_reports debug default_js_domain
    default_sentinel disable_sublist_cache first_info_timeout gateway host http http_base_path http_port https
    https_port include jetstream lame_duck_duration lame_duck_grace_period leaf leafnodes listen log_file
    log_size_limit logfile logfile_max_num logfile_size_limit logtime logtime_utc mappings maps max_closed_clients
    max_conn max_connections max_control_line max_payload max_pending max_sub_tokens max_subs max_subscriptions
    max_traced_msg_len monitor_port mqtt net no_auth_user no_fast_producer_stall no_header_support no_sys_acc
    no_system_account operator operators pid_file pidfile ping_interval ping_max port ports_file_dir prof_block_rate
    prof_port proxies reconnect_error_reports remote_syslog resolver resolver_pinned_accounts resolver_preload
    resolver_tls root roots server_metadata server_name server_tags store_dir storedir syslog system system_account
    tls trace trace_verbose trusted trusted_keys websocket write_deadline ws
"""
_KNOWN: Final = frozenset(_KNOWN_TEXT.split())


@dataclass(slots=True)
class Leaf:
    """A remote of a leaf node: `account` here; `user`: as whom it comes, None where credentials are elsewhere."""

    addresses: list[Address]
    account: str
    user: str | None
    denied_out: list[Token]
    denied_in: list[Token]
    at: At


@dataclass(slots=True)
class Gateway:
    """A remote cluster of a gateway."""

    name: Token
    addresses: list[Address]


@dataclass(slots=True)
class Server:
    """What a file says of its server beyond brokers and links. `users`: user → account.

    `leaf_account`: the account of leaf nodes that come without a user; `cluster`, `gateway`: their names.
    """

    name: Token | None = None
    cluster: Token | None = None
    cluster_at: At | None = None
    gateway: Token | None = None
    gateway_at: At | None = None
    routes: list[Address] = field(default_factory=list)
    gateways: list[Gateway] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)
    users: dict[str, str] = field(default_factory=dict)
    leaf_account: str | None = None
    accounts: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Import:
    account: str
    kind: str
    source: str
    subject: str
    to: str
    at: At


def read_nats(data: bytes, file: str, read_file: ReadFile | None = None) -> NativeFile:
    """Read a configuration of nats-server, and what it includes. Raises nothing on account of the bytes."""
    text, problems, is_text = read_text(data, file)
    native = NativeFile("nats", [(file, text)], problems=problems)
    native.server = Server()
    if is_text:
        _Reader(native, *read_conf(native, read_file)).run()
    if not native.brokers:
        native.brokers.append(Broker("", TOP))
    return native


class _Reader:
    def __init__(self, native: NativeFile, root: Map, used: set[str]) -> None:
        self.native = native
        self.root = root
        self.used = used
        assert isinstance(native.server, Server)
        self.server = native.server
        self.exports: dict[str, list[tuple[str, str, frozenset[str] | None]]] = {}
        self.imports: list[_Import] = []
        #: Accounts that uplinks name.
        self.leaf_accounts: list[Token] = []
        self.ports: set[int] = set()
        self.hosts: set[str] = set()

    def run(self) -> None:
        name = _text(self.root.get("server_name"))
        if name is not None:
            self.native.called = name.text
            self.server.name = name
        self.listener(self.root, "client")
        for names, read in (
            (("cluster",), self.cluster),
            (("gateway",), self.gateway),
            (("accounts",), self.accounts),
            (("leafnodes", "leaf"), self.leafnodes),
        ):
            for entry in self.root.entries:
                if entry.key.lower() in names and isinstance(entry.value, Map):
                    read(entry, entry.value)
        self.brokers()
        self.check_names()
        self.check_system_account()
        self.check_leaf_accounts()
        self.tell_rewrites(self.root)
        self.check_imports()
        self.tell_unknown()

    def listener(self, block: Map, kind: str) -> None:
        port = PORTS[kind]
        for key, value in _scalars(block):
            if key in ("listen", "net", "host", "addr"):
                address = read_address(value.text, value.at)
                if value.text.isascii() and value.text.isdigit():
                    port = int(value.text[:5])
                    continue
                if address.host not in ANY_HOST:
                    self.hosts.add(address.host)
                port = address.port if address.port is not None else port
            elif key == "port" and value.text.isascii() and value.text.isdigit():
                port = int(value.text[:5])
            elif key in ("advertise", "client_advertise", "cluster_advertise"):
                self.hosts.add(read_address(value.text, value.at).host)
        self.ports.add(port)

    def cluster(self, entry: Entry, block: Map) -> None:
        self.listener(block, "cluster")
        self.server.cluster = _text(block.get("name"))
        self.server.cluster_at = entry.key_at
        permissions = block.get("permissions")
        if permissions is not None:
            self.native.report(
                "MOM814",
                permissions.key_at,
                "momlint does not follow what routes may carry by `permissions`; it takes them to carry everything",
                "leave them out, if all of the cluster is to get what it asks for",
            )
        for value in _list(block.get("routes")):
            if isinstance(value, Scalar):
                self.server.routes.append(_address(value, "cluster"))

    def gateway(self, entry: Entry, block: Map) -> None:
        self.listener(block, "gateway")
        self.server.gateway = _text(block.get("name"))
        self.server.gateway_at = entry.key_at
        for value in _list(block.get("gateways")):
            name = _text(value.get("name")) if isinstance(value, Map) else None
            if isinstance(value, Map) and name is not None:
                urls = [*_list(value.get("urls")), *_list(value.get("url"))]
                addresses = [_address(url, "gateway") for url in urls if isinstance(url, Scalar)]
                self.server.gateways.append(Gateway(name, addresses))

    def leafnodes(self, entry: Entry, block: Map) -> None:
        del entry
        self.listener(block, "leafnodes")
        authorization = block.get("authorization")
        if authorization is not None and isinstance(authorization.value, Map):
            account = _text(authorization.value.get("account"))
            self.server.leaf_account = None if account is None else account.text
            self.users(authorization.value, None)
        for value in _list(block.get("remotes")):
            if isinstance(value, Map):
                self.remote(value)

    def remote(self, block: Map) -> None:
        urls = [url for url in [*_list(block.get("urls")), *_list(block.get("url"))] if isinstance(url, Scalar)]
        if not urls:
            self.native.report(
                "MOM814", block.at, "this remote names no url; it leads nowhere", "add `url: nats-leaf://host:7422`"
            )
            return
        account = _text(block.get("account", "local"))
        if account is not None:
            self.leaf_accounts.append(account)
        user = urls[0].text.partition("://")[2].rpartition("@")[0].partition(":")[0] or None
        self.server.leaves.append(
            Leaf(
                [_address(url, "leafnodes") for url in urls],
                "" if account is None else account.text,
                None if block.get("credentials", "creds", "nkey") else (user or ""),
                _tokens(block.get("deny_exports", "deny_export")),
                _tokens(block.get("deny_imports", "deny_import")),
                urls[0].at,
            )
        )

    def accounts(self, entry: Entry, block: Map) -> None:
        del entry
        for one in block.entries:
            if one.key in ("$SYS", "SYS") or not isinstance(one.value, Map | Items | Scalar):
                continue
            system = _text(self.root.get("system_account", "system"))
            if system is not None and system.text == one.key:
                continue
            if one.key not in self.server.accounts:
                self.server.accounts.append(one.key)
                self.native.brokers.append(Broker(one.key, one.key_at))
            self.exports.setdefault(one.key, [])
            if isinstance(one.value, Map):
                self.account(one.key, one.value)

    def account(self, name: str, block: Map) -> None:
        self.users(block, name)
        self.tell_rewrites(block)
        for value in _list(block.get("exports")):
            for kind in ("stream", "service"):
                subject = _text(value.get(kind)) if isinstance(value, Map) else None
                if subject is not None and isinstance(value, Map):
                    only = value.get("accounts")
                    takers = None if only is None else frozenset(one.text for one in _tokens(only))
                    self.exports[name].append((kind, subject.text, takers))
        for value in _list(block.get("imports")):
            if isinstance(value, Map):
                self.imported(name, value)

    def imported(self, name: str, block: Map) -> None:
        for kind in ("stream", "service"):
            entry = block.get(kind)
            if entry is None or not isinstance(entry.value, Map):
                continue
            source, subject = _text(entry.value.get("account")), _text(entry.value.get("subject"))
            if source is None or subject is None:
                continue
            to, prefix = _text(block.get("to")), _text(block.get("prefix"))
            local = to.text if to is not None else f"{prefix.text}.{subject.text}" if prefix else subject.text
            self.imports.append(_Import(name, kind, source.text, subject.text, local, block.at))

    def users(self, block: Map, account: str | None) -> None:
        for value in _list(block.get("users")):
            user = _text(value.get("user", "username")) if isinstance(value, Map) else None
            if user is None or not isinstance(value, Map):
                continue
            given = _text(value.get("account"))
            bound = account if account is not None else given.text if given is not None else None
            if bound is not None:
                self.server.users[user.text] = bound

    # -- what follows ------------------------------------------------------------------------------------------------

    def brokers(self) -> None:
        if not self.native.brokers or any(not leaf.account for leaf in self.server.leaves):
            self.native.brokers.insert(0, Broker("", TOP))
        for broker in self.native.brokers:
            broker.ports, broker.hosts = self.ports, self.hosts

    def check_names(self) -> None:
        cluster, gateway = self.server.cluster, self.server.gateway
        if cluster is not None and gateway is not None and cluster.text != gateway.text:
            self.native.report(
                "MOM810",
                gateway.at,
                f"the gateway is called `{gateway.text}` and the cluster `{cluster.text}`; the server does not start",
                f"call both `{cluster.text}`",
                label="another name than the cluster's",
                related=(self.native.related(cluster.at, "the cluster's name"),),
                about={"broker": gateway.text},
            )

    def tell_rewrites(self, block: Map) -> None:
        mappings = block.get("mappings", "maps")
        if mappings is not None:
            self.native.report(
                "MOM814",
                mappings.key_at,
                "momlint does not follow `mappings` of subjects; it takes them to keep their names",
                "what a client publishes under a name that is mapped arrives under another one",
            )

    def check_leaf_accounts(self) -> None:
        """Accounts of uplinks must be there, unless they come from an operator."""
        if self.root.get("operator", "operators", "roots", "root", "resolver") is not None:
            return
        system = _text(self.root.get("system_account", "system"))
        known = {"$G", "$SYS", "SYS", *self.server.accounts, *([] if system is None else [system.text])}
        for account in self.leaf_accounts:
            if account.text not in known:
                self.native.report(
                    "MOM808",
                    account.at,
                    f"there is no account `{account.text}` for this uplink; the server does not start",
                    "mend the name, or declare the account",
                    label="declared nowhere",
                    about={"broker": account.text},
                )

    def check_system_account(self) -> None:
        """With gateways and a listener for leaf nodes nats-server 2.9.10 starts only if one is named."""
        gateway = self.server.gateway_at
        leaves = self.root.get("leafnodes", "leaf")
        block = leaves.value if leaves is not None else None
        listens = isinstance(block, Map) and block.get("listen", "port") is not None
        named = self.root.get("system_account", "system", "operator", "operators", "roots", "root")
        if gateway is not None and leaves is not None and listens and named is None:
            self.native.report(
                "MOM813",
                gateway,
                "a server with gateways that takes leaf nodes needs a system account; it does not start",
                "declare an account for it, and name that: `system_account: SYS`",
                label="no `system_account`",
                related=(self.native.related(leaves.key_at, "it takes leaf nodes"),),
            )

    def check_imports(self) -> None:
        usable = [one for one in self.imports if self.is_exported(one)]
        refused = set()
        for cycle in _cycles(usable):
            last = max(cycle, key=lambda one: one.at)
            others = [one for one in cycle if one is not last]
            refused.add(id(last))
            self.native.report(
                "MOM813",
                last.at,
                f"importing `{last.subject}` from `{last.source}` closes a cycle of imports; the server does not start",
                "leave out one of the imports, or rename it with `to` or `prefix` outside of what is exported",
                label="closes the cycle",
                related=tuple(
                    self.native.related(one.at, f"`{one.account}` imports from `{one.source}`") for one in others
                ),
            )
        for number, one in enumerate(usable):
            if id(one) not in refused:
                self.link(one, number)

    def is_exported(self, one: _Import) -> bool:
        """Whether there is an export that covers the import; it is told where there is none."""
        if one.source not in self.server.accounts:
            self.native.report(
                "MOM808",
                one.at,
                f"there is no account `{one.source}` to import from; the server does not start",
                "mend the name, or declare the account",
                label="imports from nobody",
                about={"broker": one.source},
            )
            return False
        covering = [
            takers
            for kind, subject, takers in self.exports[one.source]
            if kind == one.kind and covers(subject, one.subject)
        ]
        # A list that is empty keeps nobody out.
        if any(not takers or one.account in takers for takers in covering):
            return True
        if covering:
            self.native.report(
                "MOM808",
                one.at,
                f"`{one.source}` exports `{one.subject}`, and not to `{one.account}`; the server does not start",
                f"add `{one.account}` to the `accounts` of that export",
                label="exported to others",
                about={"broker": one.source},
            )
            return False
        self.native.report(
            "MOM808",
            one.at,
            f"account `{one.source}` exports no {one.kind} that covers `{one.subject}`; the server does not start",
            f'export it there: `exports: [{{{one.kind}: "{one.subject}"}}]`',
            label="exported by nobody",
            about={"broker": one.source},
        )
        return False

    def link(self, one: _Import, number: int) -> None:
        # Requests go the other way than streams do.
        source, target = (one.subject, one.to) if one.kind == "stream" else (one.to, one.subject)
        rename = renaming(source, target)
        if rename is None:
            self.native.report(
                "MOM814",
                one.at,
                f"momlint does not follow how `{source}` becomes `{target}`; this import is left out",
                "",
            )
            return
        self.native.links.append(
            Link(
                f"{one.account}.import.{number + 1}",
                one.source if one.kind == "stream" else one.account,
                True,
                one.at,
                [Pass(source, *rename, one.at)],
                other=(self.native.file, one.account if one.kind == "stream" else one.source),
            )
        )

    def tell_unknown(self) -> None:
        seen: set[str] = set()
        for entry in self.root.entries:
            if entry.key.lower() in _KNOWN or entry.key in self.used or entry.key in seen or len(seen) >= 20:
                continue
            seen.add(entry.key)
            self.native.report(
                "MOM814",
                entry.key_at,
                f"momlint does not know the setting `{entry.key[:80]}`",
                "if it says where messages go, momlint does not see it",
            )


# -- subjects --------------------------------------------------------------------------------------------------------


def covers(wide: str, narrow: str) -> bool:
    """Whether every subject that `narrow` matches is one that `wide` matches."""
    one, other = wide.split("."), narrow.split(".")
    for place, token in enumerate(one):
        if token == ">":
            return place < len(other)
        if place >= len(other) or other[place] == ">" or (token != "*" and token != other[place]):
            return False
    return len(one) == len(other)


def collide(one: str, other: str) -> bool:
    """Whether a subject can match both."""
    left, right = one.split("."), other.split(".")
    for a, b in zip(left, right, strict=False):
        if ">" in (a, b):
            return True
        if a != b and "*" not in (a, b):
            return False
    return len(left) == len(right)


def renaming(source: str, target: str) -> tuple[str, str] | None:
    """The prefix to cut and the one to add that turn subjects of `source` into those of `target`; None if none do."""
    if source == target:
        return "", ""
    left, right = source.split("."), target.split(".")
    if any(token.startswith(("$", "{{")) for token in right):
        wild = [place for place, token in enumerate(left) if token == "*"]
        order = [token for token in right if token.startswith(("$", "{{"))]
        plain = [f"${number + 1}" for number in range(len(wild))]
        braced = [f"{{{{wildcard({number + 1})}}}}" for number in range(len(wild))]
        if order not in (plain, braced):
            return None
        right = ["*" if token in order else token for token in right]
    common = 0
    while common < min(len(left), len(right)) and left[-1 - common] == right[-1 - common]:
        common += 1
    head, tail = left[: len(left) - common], right[: len(right) - common]
    if any(token in ("*", ">") for token in [*head, *tail]):
        return None
    dot = "." if common else ""
    return ".".join(head) + (dot if head else ""), ".".join(tail) + (dot if tail else "")


def _cycles(imports: list[_Import]) -> Iterator[list[_Import]]:
    """Imports that feed each other, one cycle for those that share an account; as the server looks for them."""
    told: set[str] = set()
    for one in imports:
        if one.account in told:
            continue
        cycle = _cycle_from(one, imports)
        if cycle is not None:
            told.update(other.account for other in cycle)
            yield cycle


def _cycle_from(first: _Import, imports: list[_Import]) -> list[_Import] | None:
    """The imports by which what `first` brings in comes back to its account, if it does."""
    stack: list[tuple[_Import, str, tuple[_Import, ...]]] = [(first, first.to, (first,))]
    seen: set[tuple[str, str]] = set()
    while stack:
        last, subject, path = stack.pop()
        for other in imports:
            if other.account != last.source or other.kind != first.kind or not collide(subject, other.to):
                continue
            if other.source == first.account:
                return [*path, other]
            narrower = other.to if covers(subject, other.to) else subject
            key = (other.source, narrower)
            if key not in seen:
                seen.add(key)
                stack.append((other, narrower, (*path, other)))
    return None


# -- values ----------------------------------------------------------------------------------------------------------


def _text(entry: Entry | None) -> Token | None:
    if entry is None or not isinstance(entry.value, Scalar) or not entry.value.text:
        return None
    return Token(entry.value.text, entry.value.at)


def _list(entry: Entry | None) -> list[Value]:
    if entry is None:
        return []
    return list(entry.value.values) if isinstance(entry.value, Items) else [entry.value]


def _tokens(entry: Entry | None) -> list[Token]:
    return [Token(value.text, value.at) for value in _list(entry) if isinstance(value, Scalar)]


def _scalars(block: Map) -> Iterator[tuple[str, Scalar]]:
    for entry in block.entries:
        if isinstance(entry.value, Scalar):
            yield entry.key.lower(), entry.value


def _address(value: Scalar, kind: str) -> Address:
    found = read_address(value.text, value.at)
    return found if found.port is not None else found._replace(port=PORTS[kind])
