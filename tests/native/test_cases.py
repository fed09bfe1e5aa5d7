"""Small overlays from the field, each with the verdict of whoever wrote it down: the right rule at the right line.

Their numbers are those of the collection that they are from. What changes nothing must change nothing.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from momlint.findings import Report, Severity
from momlint.lint import Options, lint_files

CASES = Path(__file__).parent / "cases"
#: What is wrong, where: the rule, the file, the line; nothing else at warning or above.
EXPECTED: dict[str, list[tuple[str, str, int]]] = {
    # Each broker bridges to the other, both ways: what comes by one connection goes back by the other.
    "01-mosq-mutual-both-loop": [("MOM801", "south.conf", 7)],
    # The third bridge closes the triangle.
    "03-mosq-triangle-both-loop": [("MOM801", "b.conf", 7)],
    # Prefixes do not stop it: the longer name matches `#` as well.
    "05-mosq-mutual-out-prefix-growth-loop": [("MOM807", "b.conf", 7)],
    # `/line/one` and `#` join to no filter; the broker does not start.
    "07-mosq-prefix-missing-slash-invalid": [("MOM813", "a.conf", 7)],
    # A space in the place of a colon makes a second host.
    "09-mosq-address-space-instead-of-colon": [("MOM808", "edge.conf", 5)],
    # Nobody pulls, so nothing comes back; without a subscription nobody can say that it should.
    "11-mosq-hub-does-not-relay-between-out-only-edges": [],
    "13-mosq-dual-homed-edge-loop": [("MOM801", "hub1.conf", 7)],
    # The first line with a prefix takes it all.
    "15-mosq-shadowed-mapping": [("MOM805", "edge.conf", 8)],
    "17-vernemq-mutual-out-loop": [("MOM801", "west.vernemq.conf", 5)],
    # Leaf nodes have to make a tree; c has a second way to a.
    # b has a's messages from a, and from c as a second hop; so has everybody. One hop would do: the limit to lower.
    "23-rmq-mesh-max-hops-2-duplicate": [("MOM804", "b.definitions.json", 55)],
    # Three virtual hosts of one cluster before 3.8.9, which z's upstream is not the first to be left for.
    "25-rmq-two-vhosts-hops-same-cluster": [("MOM803", "cluster.definitions.json", 78)],
    # Both queues let messages go by age alone; the later line of the two closes the cycle.
    "27-rmq-ttl-only-dead-letter-cycle-drops": [("MOM811", "broker.definitions.json", 44)],
    "29-rmq-alternate-exchange-direct-never-matches": [("MOM811", "broker.definitions.json", 16)],
    "31-rmq-policy-names-missing-upstream-set": [("MOM808", "west.definitions.json", 63)],
    "43-nats-leaf-triangle-loop-rejected": [("MOM802", "c.conf", 7)],
    "45-nats-leaf-clusters-with-same-name": [("MOM810", "site2.conf", 4)],
    "47-nats-gateway-name-not-cluster-name": [("MOM810", "e1.conf", 10)],
    "49-nats-stream-import-cycle": [("MOM813", "server.conf", 5)],
    "61-fine-mosq-star-both": [],
    "63-fine-mosq-mutual-prefix-separates": [],
    "65-fine-rmq-mutual-max-hops-2": [],
    "67-fine-rmq-exchange-binding-cycle": [],
    "73-fine-nats-mutual-routes": [],
    "75-fine-nats-renamed-imports": [],
}


def found(report: Report) -> list[tuple[str, str, int]]:
    assert report.failures == []
    return sorted(
        (one.code, Path(one.file).name, one.span.start.line)
        for one in report.findings
        if one.severity is not Severity.NOTE
    )


@pytest.mark.parametrize("case", sorted(EXPECTED))
def test_verdict(case: str) -> None:
    files = [str(path) for path in sorted((CASES / case).iterdir())]
    assert found(lint_files(files, Options())) == EXPECTED[case]


def _crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


def _commented(text: str) -> str:
    """Comments at the ends of lines would move nothing either, but Mosquitto has none."""
    return f"{text}\n\n" if text.startswith("{") else f"{text}\n# the end\n"


def _busy(text: str) -> str:
    if text.startswith("{"):
        users = '"users": [{"name": "u", "tags": ""}], "permissions": [], "topic_permissions": []'
        return f"{text.rstrip()[:-1].rstrip()}, {users}}}\n"
    if "vmq_bridge" in text:
        return text + "\nlog.console.level = info\nvmq_bridge.tcp.br0.restart_timeout = 10\n"
    if "listener" in text:
        return text + "\npersistence false\nmax_queued_messages 100\n"
    return text + "\nmax_payload: 100000\ndebug: false\n"


@pytest.mark.parametrize("change", [_crlf, _commented, _busy], ids=lambda one: one.__name__.strip("_"))
@pytest.mark.parametrize("case", sorted(EXPECTED))
def test_what_changes_nothing(case: str, change: object, tmp_path: Path) -> None:
    for path in (CASES / case).iterdir():
        text = change(path.read_text())  # type: ignore[operator]
        (tmp_path / path.name).write_text(text, newline="")
    files = [str(path) for path in sorted(tmp_path.iterdir(), reverse=True)]
    assert found(lint_files(files, Options())) == EXPECTED[case]


@pytest.mark.parametrize("case", sorted(EXPECTED))
def test_a_line_more_moves_findings_by_one(case: str, tmp_path: Path) -> None:
    """A comment above all, or a blank line where there are none."""
    for path in (CASES / case).iterdir():
        text = path.read_text()
        (tmp_path / path.name).write_text("\n" + text if text.startswith("{") else "# Broker of site 7.\n" + text)
    files = [str(path) for path in sorted(tmp_path.iterdir())]
    moved = [(code, file, line + 1) for code, file, line in EXPECTED[case]]
    assert found(lint_files(files, Options())) == moved


@pytest.mark.parametrize("case", sorted(EXPECTED))
def test_brokers_of_other_names(case: str, tmp_path: Path) -> None:
    """Files called otherwise, in the same order, and their addresses with them; no name stays what it was."""
    files = {path.name: path.read_text() for path in sorted((CASES / case).iterdir())}
    names = {name.partition(".")[0]: f"k-{number}" for number, name in enumerate(files)}
    hosts = re.compile(rf"\b({'|'.join(map(re.escape, names))})(?=\.example)")
    called = {name: names[name.partition(".")[0]] + name[len(name.partition(".")[0]) :] for name in files}
    for name, text in files.items():
        changed = hosts.sub(lambda match: names[match[1]], text)
        changed = re.sub(
            r"^(server_name: )(\S+)",
            lambda match: match[1] + names.get(match[2], match[2]),
            changed,
            flags=re.MULTILINE,
        )
        (tmp_path / called[name]).write_text(changed)
    expected = sorted((code, called[file], line) for code, file, line in EXPECTED[case])
    assert found(lint_files([str(path) for path in sorted(tmp_path.iterdir())], Options())) == expected


def test_folders_give_names_to_brokers(tmp_path: Path) -> None:
    """``mosquitto.conf`` is called what its folder is called."""
    for name in ("north", "south"):
        (tmp_path / name).mkdir()
        shutil.copy(CASES / "01-mosq-mutual-both-loop" / f"{name}.conf", tmp_path / name / "mosquitto.conf")
    files = [str(tmp_path / name / "mosquitto.conf") for name in ("south", "north")]
    report = lint_files(files, Options())
    assert [(one.code, one.file) for one in report.findings if one.severity is Severity.ERROR] == [("MOM801", files[0])]
    (finding,) = report.findings
    assert finding.witness is not None
    assert finding.witness.walk == ("north", "south", "north")


def test_a_fault_in_one_bridge_leaves_the_others(tmp_path: Path) -> None:
    for path in (CASES / "01-mosq-mutual-both-loop").iterdir():
        (tmp_path / path.name).write_text(path.read_text() + "connection odd\naddress else.example\ntopic # sideways\n")
    files = [str(path) for path in sorted(tmp_path.iterdir())]
    assert found(lint_files(files, Options())) == [
        ("MOM801", "south.conf", 7),
        ("MOM813", "north.conf", 10),
        ("MOM813", "south.conf", 10),
    ]


def test_a_comment_silences(tmp_path: Path) -> None:
    for path in (CASES / "01-mosq-mutual-both-loop").iterdir():
        text = re.sub("^topic", "# momlint: ignore[MOM801] on purpose\ntopic", path.read_text(), flags=re.MULTILINE)
        (tmp_path / path.name).write_text(text)
    files = [str(path) for path in sorted(tmp_path.iterdir())]
    report = lint_files(files, Options())
    # The one of the file that the loop is not told in has nothing to silence.
    assert [(one.code, Path(one.file).name, one.span.start.line) for one in report.findings] == [
        ("MOM109", "north.conf", 7)
    ]


def test_a_manifest_takes_its_files_with_it(tmp_path: Path) -> None:
    """A file that a manifest of the run names is judged there alone, under the name that it has there."""
    for path in (CASES / "01-mosq-mutual-both-loop").iterdir():
        shutil.copy(path, tmp_path / path.name)
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text(
        "momlint: 1\nclosed: true\nbrokers:\n"
        "  one: {config: north.conf, kind: mosquitto, hosts: [north.example]}\n"
        '  two: {config: south.conf, hosts: ["south.example:1883"]}\n'
    )
    files = [str(tmp_path / name) for name in ("north.conf", "south.conf", "manifest.yaml")]
    report = lint_files(files, Options())
    (finding,) = report.findings
    assert (finding.code, Path(finding.file).name, finding.span.start.line) == ("MOM801", "south.conf", 7)
    assert finding.witness is not None
    assert finding.witness.walk == ("one", "two", "one")


def test_a_closed_manifest_knows_every_address(tmp_path: Path) -> None:
    shutil.copy(CASES / "01-mosq-mutual-both-loop" / "north.conf", tmp_path / "edge.conf")
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text("momlint: 1\nclosed: true\nbrokers: {edge: {config: edge.conf}}\n")
    assert ("MOM808", "edge.conf", 5) in found(lint_files([str(manifest)], Options()))


def test_a_manifest_names_what_is_not_there(tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text("momlint: 1\nbrokers:\n  a: {config: gone.conf}\n  b: {config: ../../etc/passwd}\n")
    assert found(lint_files([str(manifest)], Options()))[:2] == [
        ("MOM102", "manifest.yaml", 3),
        ("MOM102", "manifest.yaml", 4),
    ]


@pytest.mark.parametrize("case", sorted(EXPECTED))
def test_import_gives_the_same_codes(case: str, tmp_path: Path) -> None:
    from momlint.cli.importing import import_files

    files = [str(path) for path in sorted((CASES / case).iterdir())]
    estate = tmp_path / "imported.yaml"
    import_files(files, None, None, str(estate))
    assert [code for code, _, _ in found(lint_files([str(estate)], Options()))] == [one[0] for one in EXPECTED[case]]
    # Each stands in it with its file; with the line, where no link shows it.
    told_by_files = {"MOM808", "MOM810", "MOM811", "MOM813"}
    for code, file, line in EXPECTED[case]:
        assert (f"{file}:{line}:" if code in told_by_files else f"{file}:") in estate.read_text()


def test_import_keeps_what_is_seen_of_files_together_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from momlint.cli.importing import import_files

    (tmp_path / "hub.conf").write_text("listener 1883\n")
    for name in ("a", "b"):
        (tmp_path / f"{name}.conf").write_text(
            f"listener 1883\nconnection {name}\naddress hub.example\nremote_clientid same\ntopic {name} out\n"
        )
    import_files([str(tmp_path / f"{name}.conf") for name in ("a", "b", "hub")], None, None, None)
    captured = capsys.readouterr()
    assert re.search(r'\{code: MOM809, at: ".*b\.conf:4:17", message: ', captured.out)
    assert "b.conf:4:17: MOM809" in captured.err


def test_the_fleet_says_the_same(tmp_path: Path) -> None:
    from momlint.fleet.check import check_files
    from momlint.fleet.serial import Serial

    paths = [
        str(path)
        for case in ("01-mosq-mutual-both-loop", "45-nats-leaf-clusters-with-same-name")
        for path in sorted((CASES / case).iterdir())
    ]
    alone = lint_files(paths, Options())
    spread = check_files(paths, Options(), Serial(), seconds=[0.1] * len(paths))
    assert spread.findings == alone.findings
    assert spread.summary == alone.summary


@pytest.mark.parametrize(
    ("entry", "is_told"),
    [
        ("{code: MOM801}", False),
        ("{code: MOM8, file: south.conf}", False),
        ("{code: MOM801, file: north.conf}", True),
        ("{code: MOM802}", True),
        ('{code: MOM801, file: ./south.conf, about: "# both"}', False),
        ("{code: MOM801, about: elsewhere}", True),
    ],
)
def test_a_manifest_ignores(entry: str, is_told: bool, tmp_path: Path) -> None:
    for path in (CASES / "01-mosq-mutual-both-loop").iterdir():
        shutil.copy(path, tmp_path / path.name)
    manifest = tmp_path / "manifest.yaml"
    brokers = "{north: {config: north.conf}, south: {config: south.conf}}"
    manifest.write_text(f"momlint: 1\nbrokers: {brokers}\nignore: [{entry}]\n")
    assert bool(found(lint_files([str(manifest)], Options()))) == is_told


@pytest.mark.parametrize("family", ["mosquitto", "nats"])
def test_further_addresses_are_alternatives(family: str, tmp_path: Path) -> None:
    """Not ways beside each other: no duplicates, and no broker is the only way up that has a second address."""
    if family == "mosquitto":
        first, second = "address hub-1.example", "address hub-1.example hub-2.example:1883"
        (tmp_path / "edge.conf").write_text(f"listener 1883\nconnection up\n{second}\ntopic # both 1\n")
        for name in ("hub-1", "hub-2"):
            (tmp_path / f"{name}.conf").write_text(
                "listener 1883\nconnection cloud\naddress cloud.example\ntopic # both 1\n"
            )
        (tmp_path / "cloud.conf").write_text("listener 1883\n")
    else:
        first, second = (
            'urls: ["nats://hub-1.example:7422"]',
            'urls: ["nats://hub-1.example:7422", "nats://hub-2.example"]',
        )
        (tmp_path / "edge.conf").write_text(f"server_name: edge\nleafnodes {{ remotes: [ {{ {second} }} ] }}\n")
        for name in ("hub-1", "hub-2"):
            remote = '{ url: "nats://cloud.example" }'
            (tmp_path / f"{name}.conf").write_text(
                f'server_name: {name}\nleafnodes {{ listen: "0.0.0.0:7422", remotes: [ {remote} ] }}\n'
            )
        (tmp_path / "cloud.conf").write_text('server_name: cloud\nleafnodes { listen: "0.0.0.0:7422" }\n')
    names = ("cloud", "edge", "hub-1", "hub-2")
    brokers = ", ".join(f"{name}: {{config: {name}.conf}}" for name in names)
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text(
        f"momlint: 1\nbrokers: {{{brokers}}}\npublications: [{{at: edge, filter: x}}]\n"
        "subscriptions: [{at: cloud, filter: x}]\nfailures: {tolerate: {brokers: 1}}\n"
    )
    assert [code for code, *_ in found(lint_files([str(manifest)], Options()))] == []
    edge = tmp_path / "edge.conf"
    edge.write_text(edge.read_text().replace(second, first))
    report = lint_files([str(manifest)], Options())
    assert [code for code, *_ in found(report)] == ["MOM502"]
    assert [one.witness.cut for one in report.findings if one.code == "MOM502" and one.witness] == [("hub-1",)]


def test_a_closed_manifest_knows_alternatives_too(tmp_path: Path) -> None:
    (tmp_path / "edge.conf").write_text("listener 1883\nconnection up\naddress hub.example else.example\ntopic # out\n")
    (tmp_path / "hub.conf").write_text("listener 1883\n")
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text("momlint: 1\nclosed: true\nbrokers: {edge: {config: edge.conf}, hub: {config: hub.conf}}\n")
    assert found(lint_files([str(manifest)], Options())) == [("MOM808", "edge.conf", 3)]
