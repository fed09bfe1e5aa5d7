"""The cases from the field: the mend that each of them names, and what ``momlint fix`` writes for it, line by line.

`MENDS` is the table. A case that names no mend has what its finding's help advises, or the reason why that is for
people to decide. Every line that is not told here stays as it is.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest

from momlint.findings import Severity
from momlint.lint import Options, lint_files
from momlint.mending.mend import Mending
from tests.native.test_cases import CASES, EXPECTED


class Told(NamedTuple):
    """`named`: what case.md says of a mend. `diff`: lines that go (-) and come (+), by file; empty: it is not mended.

    `why`: what people have to decide, where it is not.
    """

    named: str
    diff: Mapping[str, str] = MappingProxyType({})
    why: str = ""


MENDS: dict[str, Told] = {
    "01-mosq-mutual-both-loop": Told(
        "none; one connection of the two is enough",
        {"south.conf": "-\n-connection to-north\n-address north.example:1883\n-notifications false\n-topic # both 0"},
    ),
    "03-mosq-triangle-both-loop": Told(
        "none; as in case 13",
        {
            "a.conf": "-address b.example:1883\n+address b.example:1883 c.example:1883\n"
            "-\n-connection a-c\n-address c.example:1883\n-notifications false\n-topic # both 0"
        },
    ),
    "05-mosq-mutual-out-prefix-growth-loop": Told(
        "none", why="a narrower filter keeps something back, and only people know what they can do without"
    ),
    "07-mosq-prefix-missing-slash-invalid": Told(
        "none; the finding's help: end the prefix with a slash",
        {"a.conf": "-topic # in 0 /line/one /shop/two\n+topic # in 0 /line/one/ /shop/two/"},
    ),
    "09-mosq-address-space-instead-of-colon": Told(
        "host and port belong together",
        {"edge.conf": "-address hub.example 1883\n+address hub.example:1883"},
    ),
    "11-mosq-hub-does-not-relay-between-out-only-edges": Told(
        "none, nor a finding as long as nobody says who listens: see test_who_listens"
    ),
    "13-mosq-dual-homed-edge-loop": Told(
        "one connection with two addresses, primary and fallback",
        {
            "edge.conf": "-address hub1.example:1883\n+address hub1.example:1883 hub2.example:1883\n"
            "-\n-connection up2\n-address hub2.example:1883\n-notifications false\n-topic # both 0"
        },
    ),
    "15-mosq-shadowed-mapping": Told(
        "none", why="first, it takes what p1/ gets now; left out, p2/ gets nothing: see test_who_listens"
    ),
    "17-vernemq-mutual-out-loop": Told(
        "none", why="either way less keeps commands back; a prefix renames them for those who listen"
    ),
    "23-rmq-mesh-max-hops-2-duplicate": Told(
        "max-hops 1 in a full mesh",
        {f"{broker}.definitions.json": "\n".join(['-    "max-hops": 2\n+    "max-hops": 1'] * 2) for broker in "abc"},
    ),
    "25-rmq-two-vhosts-hops-same-cluster": Told("RabbitMQ 3.8.9 or later", why="it is to be installed"),
    "27-rmq-ttl-only-dead-letter-cycle-drops": Told(
        "none", why="whether messages are to be retried for ever, rejected or dropped"
    ),
    "29-rmq-alternate-exchange-direct-never-matches": Told(
        "fanout, or a binding with `#`",
        {"broker.definitions.json": '-   "type": "direct",\n+   "type": "fanout",'},
    ),
    "31-rmq-policy-names-missing-upstream-set": Told("none", why="which upstreams the set is to have"),
    "43-nats-leaf-triangle-loop-rejected": Told(
        "leaf nodes must be a tree",
        {"c.conf": '-    { url: "nats-leaf://b.example:7422" }'},
    ),
    "45-nats-leaf-clusters-with-same-name": Told(
        "distinct cluster names",
        {"site2.conf": '-  name: "edge"\n+  name: "edge-2"'},
    ),
    "47-nats-gateway-name-not-cluster-name": Told(
        "gateway name and cluster name must be equal",
        {"e1.conf": '-  name: "gw-east"\n+  name: "east"'},
    ),
    "49-nats-stream-import-cycle": Told(
        "an import that is renamed outside of the exported subject is no cycle",
        {
            "server.conf": '-  B { users: [{user: b, password: b}], exports: [{stream: "t.>"}], '
            'imports: [{stream: {account: A, subject: "t.>"}}] }\n'
            '+  B { users: [{user: b, password: b}], exports: [{stream: "t.>"}], '
            'imports: [{stream: {account: A, subject: "t.>"}, prefix: "A"}] }'
        },
    ),
}


def test_every_case_is_told_of() -> None:
    assert set(MENDS) == {case for case in EXPECTED if "-fine-" not in case}


def diff(before: str, after: str) -> str:
    """The lines that go and come, without their surroundings."""
    import difflib

    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return "\n".join(line[0] + line[2:] for line in lines if line[0] in "+-")


@pytest.mark.parametrize("case", MENDS)
def test_mends(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = MENDS[case]
    for file in (CASES / case).iterdir():
        if file.name != "case.md":
            shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    files = sorted(path.name for path in tmp_path.iterdir())
    before = {file: Path(file).read_text() for file in files}
    mending = Mending(Options())
    (mended,) = mending.mend(files)
    found = {file: diff(before[file], data.decode()) for file, data in mended.contents.items()}
    assert found == dict(told.diff)
    assert bool(told.diff) == bool(mended.gone)
    if not EXPECTED[case]:
        return
    assert bool(told.why) == bool(mended.left)
    if told.why:
        assert len(mended.left) == len(EXPECTED[case])
        return
    for file, data in mended.contents.items():
        Path(file).write_bytes(data)
    for engine in ("graph", "smt"):
        report = lint_files(files, Options(engine=engine))  # type: ignore[arg-type]
        assert [one.code for one in report.findings if one.severity is not Severity.NOTE] == []
    (again,) = Mending(Options()).mend(files)
    assert again.contents == {}


@pytest.mark.parametrize("case", ["43", "45", "47", "49"])
def test_nats_server_takes_it(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server itself, as far as it judges one file."""
    server = shutil.which("nats-server")
    if server is None:
        pytest.skip("nats-server is not installed")
    (folder,) = CASES.glob(f"{case}-*")
    for file in folder.glob("*.conf"):
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)

    def refused() -> list[str]:
        files = sorted(map(str, Path().glob("*.conf")))
        asked = [subprocess.run([server, "-t", "-c", file], check=False, capture_output=True) for file in files]
        return [file for file, ran in zip(files, asked, strict=True) if ran.returncode]

    before = refused()
    assert bool(before) == (case == "49")
    (mended,) = Mending(Options()).mend(sorted(map(str, Path().glob("*.conf"))))
    for file, data in mended.contents.items():
        Path(file).write_bytes(data)
    assert refused() == []


#: Who publishes and listens, and what is then to be changed.
WANTED = {
    "11-mosq-hub-does-not-relay-between-out-only-edges": (
        """\
closed: true
brokers: {hub: {config: hub.conf}, east: {config: east.conf}, west: {config: west.conf}}
subscriptions: [{at: east, filter: "news/#"}]
publications: [{at: hub, filter: "news/#"}]
ignore: [{code: MOM805, file: west.conf}]
""",
        {"east.conf": "-topic # out 0\n+topic # both 0"},
    ),
    "15-mosq-shadowed-mapping": (
        """\
closed: true
brokers: {hub: {config: hub.conf}, edge: {config: edge.conf}}
subscriptions: [{at: hub, filter: "p1/alarm/door/#"}, {at: hub, filter: "p2/alarm/fire/#"}]
publications: [{at: edge, filter: "alarm/#"}]
""",
        {
            # It stands before the other one now.
            "edge.conf": '+topic alarm/fire/# out 1 "" p2/\n-topic alarm/fire/# out 1 "" p2/',
        },
    ),
}


@pytest.mark.parametrize("case", WANTED)
def test_who_listens(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once a manifest says who wants what, that decides."""
    manifest, told = WANTED[case]
    for file in (CASES / case).iterdir():
        if file.name != "case.md":
            shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    Path("topology.yaml").write_text(f"momlint: 1\n{manifest}")
    assert [one.severity.name for one in lint_files(["topology.yaml"], Options()).findings if one.code != "MOM501"]
    (mended,) = Mending(Options()).mend(["topology.yaml"])
    found = {file: diff(Path(file).read_text(), data.decode()) for file, data in mended.contents.items()}
    assert found == told
    for file, data in mended.contents.items():
        Path(file).write_bytes(data)
    assert [one.code for one in lint_files(["topology.yaml"], Options(ignore=("MOM501",))).findings] == []
