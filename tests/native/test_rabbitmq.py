"""RabbitMQ's definitions: what each part means and where findings stand; by hand, or as RabbitMQ 3.10.8 does."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from momlint.findings import Report, Severity
from momlint.lint import Options, lint_files
from momlint.native.amqp_keys import covered, example, matches, normal, shared
from momlint.native.rabbitmq import Rabbit, read_rabbitmq
from tests.native.told import told as findings_of
from tests.relayed.brute import matches as brute_matches
from tests.relayed.brute import random_filter

Definitions = dict[str, Any]


def exchange(name: str, kind: str = "topic", vhost: str = "/", **arguments: object) -> Definitions:
    return {"name": name, "vhost": vhost, "type": kind, "internal": False, "arguments": arguments}


def queue(name: str, vhost: str = "/", **arguments: object) -> Definitions:
    return {"name": name, "vhost": vhost, "arguments": arguments}


def binding(source: str, to: str, key: str = "#", kind: str = "queue", vhost: str = "/") -> Definitions:
    return {"source": source, "vhost": vhost, "destination": to, "destination_type": kind, "routing_key": key}


def upstream(name: str, uri: object, vhost: str = "/", **value: object) -> Definitions:
    value = {key.replace("_", "-"): one for key, one in value.items()}
    return {"component": "federation-upstream", "vhost": vhost, "name": name, "value": {"uri": uri, **value}}


def shovel(name: str, vhost: str = "/", **value: object) -> Definitions:
    value = {key.replace("_", "-"): one for key, one in value.items()}
    return {"component": "shovel", "vhost": vhost, "name": name, "value": value}


def policy(definition: Mapping[str, object], pattern: str = "^evt$", priority: int = 1, **more: object) -> Definitions:
    fields = {"vhost": "/", "name": f"p{priority}", "apply-to": "exchanges", **more}
    return {**fields, "pattern": pattern, "definition": dict(definition), "priority": priority}


ALL = policy({"federation-upstream-set": "all"})


def definitions(cluster: str | None = None, **sections: object) -> str:
    names = [{"name": "cluster_name", "value": cluster}] if cluster is not None else []
    everything = {"rabbitmq_version": "3.10.8", "vhosts": [{"name": "/"}], "global_parameters": names, **sections}
    return json.dumps(everything, indent=1)


def evt(cluster: str, *parameters: Definitions, **sections: object) -> str:
    """A cluster with an exchange `evt`, all of which goes to a queue, federated from all upstreams."""
    given: dict[str, object] = {
        "exchanges": [exchange("evt")],
        "queues": [queue("q")],
        "bindings": [binding("evt", "q")],
        "policies": [ALL],
        "parameters": list(parameters),
    }
    return definitions(cluster, **(given | sections))


def check(folder: Path, files: Mapping[str, str]) -> Report:
    """What is told of files; the estate that they are imported as has the same codes."""
    for name, text in files.items():
        (folder / name).write_text(text, newline="")
    report = lint_files([str(folder / name) for name in files], Options())
    if not any(name.endswith(".yaml") for name in files):
        findings_of(folder, list(files))
    return report


def told(report: Report, *, notes: bool = False) -> list[tuple[str, str, int]]:
    assert report.failures == []
    return sorted(
        (one.code, Path(one.file).name, one.span.start.line)
        for one in report.findings
        if notes or one.severity is not Severity.NOTE
    )


def line(text: str, part: str, number: int = 1) -> int:
    """The line of the n-th place that has it."""
    places = [row for row, one in enumerate(text.splitlines(), 1) if part in one]
    return places[number - 1]


# -- federation ------------------------------------------------------------------------------------------------------


def ring(names: str, hops: int) -> dict[str, str]:
    return {
        f"{name}.json": evt(name, upstream("u", f"amqp://{names[number - 1]}.example", max_hops=hops))
        for number, name in enumerate(names)
    }


def mesh(names: str, hops: int) -> dict[str, str]:
    return {
        f"{name}.json": evt(
            name, *(upstream(other, f"amqp://{other}.example", max_hops=hops) for other in names if other != name)
        )
        for name in names
    }


@pytest.mark.parametrize("hops", [1, 2, 3, 4])
def test_rings_are_fine_and_so_are_meshes_of_one_hop(hops: int, tmp_path: Path) -> None:
    """A message comes to nowhere that it has left, and a ring has one way to everywhere."""
    assert told(check(tmp_path, ring("abcd", hops))) == []
    assert told(check(tmp_path, mesh("abcd", 1))) == []


def test_a_mesh_of_two_hops_is_told_once(tmp_path: Path) -> None:
    files = mesh("abcd", 2)
    ((code, file, where),) = told(check(tmp_path, files))
    assert code == "MOM804"
    assert '"max-hops": 2' in files[file].splitlines()[where - 1]


@pytest.mark.parametrize(("limits", "arrives"), [((1, 2), True), ((2, 1), False), ((2, 2), True), ((3, 1), False)])
def test_limits_count_from_the_publisher(limits: tuple[int, int], arrives: bool, tmp_path: Path) -> None:
    files = {
        "a.json": evt("a"),
        "b.json": evt("b", upstream("u", "amqp://a.example", max_hops=limits[0])),
        "c.json": evt("c", upstream("u", "amqp://b.example", max_hops=limits[1])),
        "manifest.yaml": "momlint: 1\nclosed: true\n"
        "brokers: {a: {config: a.json}, b: {config: b.json}, c: {config: c.json}}\n"
        "publications: [{at: a, filter: evt.x}]\nsubscriptions: [{at: c, filter: evt.#}]\n",
    }
    report = check(tmp_path, files)
    assert [one.code for one in report.findings if one.severity is Severity.ERROR] == ([] if arrives else ["MOM803"])


def test_a_mesh_without_queues_is_for_those_who_declare_them_as_they_start(tmp_path: Path) -> None:
    files = {name: text.replace('"destination": "q"', '"destination": "evt2"') for name, text in mesh("abc", 2).items()}
    assert [code for code, _, _ in told(check(tmp_path, files))] == ["MOM804"]
    # What falls between the bindings is not brought.
    files = {name: text.replace('"routing_key": "#"', f'"routing_key": "{name}"') for name, text in files.items()}
    assert [code for code, _, _ in told(check(tmp_path, files))] == ["MOM804"]


def test_names_and_limits_of_sets(tmp_path: Path) -> None:
    """An element of a set overrides its upstream; a policy of a higher priority goes before the one of all."""
    members = [{"upstream": "b", "max-hops": 1}, {"upstream": "c", "exchange": "other"}]
    text = evt(
        "a",
        upstream("b", "amqp://b.example", max_hops=3),
        upstream("c", ["amqp://c.example", "amqp://d.example"]),
        {"component": "federation-upstream-set", "vhost": "/", "name": "some", "value": members},
        policies=[ALL, policy({"federation-upstream-set": "some"}, priority=7), policy({}, "^x", priority=9)],
    )
    server = read_rabbitmq(text.encode(), "a.json").server
    assert isinstance(server, Rabbit)
    pulls = [(one.upstream.name, one.pairs, one.upstream.hops, one.address) for one in server.federations]
    assert [(name, pairs, hops) for name, pairs, hops, _ in pulls] == [
        ("b", [("evt", "evt")], 1),
        ("c", [("evt", "other")], 1),
    ]
    assert [one[3] and one[3].host for one in pulls] == ["b.example", "c.example"]


def test_two_upstreams_of_one_exchange_share_a_queue(tmp_path: Path) -> None:
    """Six messages gave six copies on RabbitMQ 3.10.8."""
    both = [upstream("u1", "amqp://a.example"), upstream("u2", "amqp://a.example:5672")]
    assert told(check(tmp_path, {"a.json": evt("a"), "b.json": evt("b", *both)})) == []


def test_an_upstream_is_in_the_virtual_host_of_the_same_name(tmp_path: Path) -> None:
    def cluster(name: str, *parameters: Definitions) -> str:
        return evt(
            name,
            *parameters,
            vhosts=[{"name": "/"}, {"name": "v"}],
            exchanges=[exchange("evt"), exchange("evt", vhost="v")],
            policies=[ALL, {**ALL, "vhost": "v"}],
        )

    files = {"a.json": cluster("a"), "b.json": cluster("b", upstream("u", "amqp://a.example", "v"))}
    imported = _import(tmp_path, files)
    assert "{id: b.v.u, from: a/v, to: b/v, max_hops: 1" in imported
    gone = {**files, "b.json": cluster("b", upstream("u", "amqp://a.example/w", "v"))}
    assert told(check(tmp_path, gone)) == [("MOM808", "b.json", line(gone["b.json"], '"uri"'))]


def _import(folder: Path, files: Mapping[str, str]) -> str:
    from momlint.cli.importing import import_files

    for name, text in files.items():
        (folder / name).write_text(text)
    output = folder / "imported.yaml"
    import_files([str(folder / name) for name in files], None, None, str(output))
    return output.read_text()


def test_bindings_between_exchanges_say_what_crosses(tmp_path: Path) -> None:
    """What a is published to `in` comes to `evt` where both bindings take it."""
    inner = evt(
        "a",
        exchanges=[exchange("evt"), exchange("in"), exchange("mid", "fanout")],
        bindings=[binding("in", "mid", "a.#", "exchange"), binding("mid", "evt", "", "exchange")],
        policies=[],
    )
    imported = _import(tmp_path, {"a.json": inner, "b.json": evt("b", upstream("u", "amqp://a.example"))})
    crossing = (
        '{filter: "evt.#"}, {filter: "in.a.#", strip: in., add: evt.}, {filter: "mid.*.#", strip: mid., add: evt.}'
    )
    assert f"topics: [{crossing}]" in imported


def test_names_and_passwords_are_not_told(tmp_path: Path) -> None:
    imported = _import(tmp_path, {"b.json": evt("b", upstream("u", "amqp://user:secret@a.example/%2F?heartbeat=1"))})
    assert "amqp://a.example/%2F" in imported
    assert "secret" not in imported


# -- shovels ---------------------------------------------------------------------------------------------------------


def moving(name: str, other: str, **more: object) -> str:
    ends = {"src_uri": "amqp://", "dest_uri": f"amqp://{other}.example"}
    return definitions(
        name,
        exchanges=[exchange("evt")],
        queues=[queue("jobs")],
        bindings=[binding("evt", "jobs")],
        parameters=[shovel("s", **(ends | more))],
    )


@pytest.mark.parametrize(
    ("there", "back", "codes"),
    [
        ({"src_queue": "jobs", "dest_queue": "jobs"}, {"src_queue": "jobs", "dest_queue": "jobs"}, ["MOM801"]),
        ({"src_queue": "jobs", "dest_exchange": "evt"}, {"src_queue": "jobs", "dest_exchange": "evt"}, ["MOM801"]),
        (
            {"src_exchange": "evt", "src_exchange_key": "a.#", "dest_exchange": "evt"},
            {"src_exchange": "evt", "src_exchange_key": "b.#", "dest_exchange": "evt"},
            [],
        ),
        ({"src_queue": "jobs", "dest_queue": "other"}, {"src_queue": "jobs", "dest_queue": "other"}, []),
    ],
)
def test_opposite_shovels(there: dict[str, str], back: dict[str, str], codes: list[str], tmp_path: Path) -> None:
    files = {"a.json": moving("a", "b", **there), "b.json": moving("b", "a", **back)}
    found = told(check(tmp_path, files))
    assert found == [(code, "b.json", line(files["b.json"], "dest-uri")) for code in codes]


def over_amqp_1_0(source: str, target: str) -> dict[str, str]:
    given = {"src": source, "dest": target}
    return {
        f"{side}_{key}": value
        for side, one in given.items()
        for key, value in (("protocol", "amqp10"), ("address", one))
    }


@pytest.mark.parametrize(
    ("there", "back", "codes"),
    [
        (over_amqp_1_0("/queue/jobs", "jobs"), over_amqp_1_0("/amq/queue/jobs", "/queue/jobs"), ["MOM801"]),
        (over_amqp_1_0("/queue/jobs", "/exchange/evt/a.b"), {"src_queue": "jobs", "dest_exchange": "evt"}, ["MOM801"]),
        (over_amqp_1_0("/exchange/evt/a.#", "/exchange/evt/a"), over_amqp_1_0("/exchange/evt/b.#", "/queue/jobs"), []),
        (over_amqp_1_0("/topic/a.#", "/queue/jobs"), over_amqp_1_0("/queue/jobs", "/topic/b"), []),
    ],
)
def test_shovels_over_amqp_1_0(there: dict[str, str], back: dict[str, str], codes: list[str], tmp_path: Path) -> None:
    files = {"a.json": moving("a", "b", **there), "b.json": moving("b", "a", **back)}
    found = told(check(tmp_path, files))
    assert found == [(code, "b.json", line(files["b.json"], "dest-uri")) for code in codes]


def test_what_amqp_1_0_does_not_say(tmp_path: Path) -> None:
    gone = {"src_queue": "jobs", "dest_protocol": "amqp10"}
    files = {"a.json": moving("a", "b", **gone), "b.json": evt("b", policies=[])}
    assert [code for code, *_ in told(check(tmp_path, files))] == ["MOM813"]
    files["a.json"] = moving("a", "b", **gone, dest_address="/exchange/evt")
    where = line(files["a.json"], "dest-address")
    assert told(check(tmp_path, files), notes=True) == [("MOM814", "a.json", where)]


def test_a_shovel_without_a_key_takes_nothing(tmp_path: Path) -> None:
    """Nothing came on RabbitMQ 3.10.8: its queue is bound by its own name. A fanout exchange asks for none."""
    files = {"a.json": moving("a", "b", src_exchange="evt", dest_exchange="evt"), "b.json": evt("b", policies=[])}
    assert told(check(tmp_path, files)) == [("MOM805", "a.json", line(files["a.json"], "src-exchange"))]
    files["a.json"] = files["a.json"].replace('"topic"', '"fanout"')
    assert told(check(tmp_path, files)) == []


def test_a_shovel_that_a_third_cluster_runs(tmp_path: Path) -> None:
    ends = {"src_uri": "amqp://a.example", "dest_uri": "amqp://b.example", "src_queue": "q", "dest_exchange": "evt"}
    files = {name: evt(name[0], policies=[]) for name in ("a.json", "b.json")}
    files["c.json"] = definitions("c", parameters=[shovel("s", **ends)])
    assert "{id: c.s, from: a, to: b, unguarded: true" in _import(tmp_path, files)


def test_federation_and_a_shovel_that_do_the_same(tmp_path: Path) -> None:
    more = shovel("s", src_uri="amqp://a.example", dest_uri="amqp://", src_queue="q", dest_exchange="evt")
    files = {"a.json": evt("a"), "b.json": evt("b", upstream("u", "amqp://a.example"), more)}
    assert [code for code, _, _ in told(check(tmp_path, files))] == ["MOM804"]


# -- names -----------------------------------------------------------------------------------------------------------


def test_two_clusters_of_one_name(tmp_path: Path) -> None:
    files = {"a.json": evt("hq"), "b.json": evt("hq", upstream("u", "amqp://c.example")), "c.json": evt("c")}
    # Only where federation joins them.
    assert told(check(tmp_path, files)) == []
    files["c.json"] = evt("c", upstream("u", "amqp://a.example"))
    where = line(files["b.json"], '"value": "hq"')
    assert told(check(tmp_path, files)) == [("MOM810", "b.json", where)]


@pytest.mark.parametrize(("version", "codes"), [("3.8.8", ["MOM803"]), ("3.8.9", []), ("4.0.1", []), ("", [])])
def test_what_versions_remember(version: str, codes: list[str], tmp_path: Path) -> None:
    names = ["x", "y", "z"]
    text = definitions(
        rabbitmq_version=version,
        vhosts=[{"name": name} for name in names],
        exchanges=[exchange("evt", vhost=name) for name in names],
        parameters=[upstream("u", "amqp:///x", "y", max_hops=2), upstream("u", "amqp:///y", "z", max_hops=2)],
        policies=[{**ALL, "vhost": "y"}, {**ALL, "vhost": "z"}],
    )
    found = told(check(tmp_path, {"c.json": text}))
    assert found == [(code, "c.json", line(text, "max-hops", 2)) for code in codes]


@pytest.mark.parametrize(
    ("sections", "code", "part"),
    [
        ({"policies": [policy({"federation-upstream": "gone"})]}, "MOM808", '"gone"'),
        ({"policies": [policy({"federation-upstream-set": "gone"})]}, "MOM808", '"gone"'),
        ({"bindings": [binding("gone", "q")]}, "MOM808", '"gone"'),
        ({"bindings": [binding("evt", "gone", kind="exchange")]}, "MOM808", '"gone"'),
        (
            {
                "parameters": [
                    {
                        "component": "federation-upstream-set",
                        "vhost": "/",
                        "name": "s",
                        "value": [{"upstream": "gone"}],
                    }
                ]
            },
            "MOM808",
            '"gone"',
        ),
        ({"parameters": [upstream("u", "a.example")]}, "MOM813", '"a.example"'),
        ({"parameters": [upstream("bad", [])]}, "MOM813", '"bad"'),
        ({"parameters": [upstream("u", "amqp://a.example", max_hops="2")]}, "MOM813", '"max-hops"'),
        ({"parameters": [upstream("u", "amqp://a.example", max_hops=0)]}, "MOM805", '"max-hops"'),
        ({"policies": [policy({}, **{"apply-to": "nothing"})]}, "MOM813", '"nothing"'),
        ({"bindings": [binding("evt", "q", "plant/+/temp")]}, "MOM806", '"plant/+/temp"'),
        ({"bindings": [binding("evt", "q", "plant/#")]}, "MOM806", '"plant/#"'),
    ],
)
def test_what_is_wrong(sections: dict[str, object], code: str, part: str, tmp_path: Path) -> None:
    text = evt("a", **sections)
    assert told(check(tmp_path, {"a.json": text})) == [(code, "a.json", line(text, part))]


def test_an_upstreams_exchange_that_is_not_there(tmp_path: Path) -> None:
    files = {"a.json": evt("a"), "b.json": evt("b", upstream("u", "amqp://a.example", exchange="evnt"))}
    assert told(check(tmp_path, files)) == [("MOM808", "b.json", line(files["b.json"], '"evnt"'))]


def test_a_federated_exchange_of_another_type(tmp_path: Path) -> None:
    """RabbitMQ binds the one there by the keys that the one here is bound by, and as its own type takes them."""

    def files(there: str, here: str, key: str, *, bound: bool = True) -> dict[str, str]:
        bindings = [binding("evt", "q", key)] if bound else []
        return {
            "a.json": evt("a", exchanges=[exchange("evt", there)]),
            "b.json": evt(
                "b",
                upstream("u", "amqp://a.example", max_hops=1),
                exchanges=[exchange("evt", here)],
                bindings=bindings,
            ),
        }

    # `#` is no wildcard of a direct exchange; to a topic exchange, a binding without a key takes messages without one.
    for given in (files("direct", "topic", "a.#"), files("topic", "fanout", "")):
        where = line(given["b.json"], '"max-hops"')
        assert told(check(tmp_path, given), notes=True) == [("MOM805", "b.json", where)]
    unbound = files("topic", "fanout", "", bound=False)
    where = line(unbound["b.json"], '"max-hops"')
    assert told(check(tmp_path, unbound), notes=True) == [("MOM814", "b.json", where)]
    for there, here, key, crossing in (
        ("topic", "fanout", "a.*", "evt.a.*"),
        ("topic", "direct", "a.b", "evt.a.b"),
        ("fanout", "topic", "a.b", "evt.#"),
        ("direct", "fanout", "a.b", "evt.a.b"),
    ):
        given = files(there, here, key)
        assert told(check(tmp_path, given), notes=True) == []
        assert f'topics: [{{filter: "{crossing}"}}]' in _import(tmp_path, given).replace(": evt.a.b}", ': "evt.a.b"}')


def test_a_fault_in_one_upstream_leaves_the_others(tmp_path: Path) -> None:
    files = mesh("abc", 2)
    broken = json.loads(files["b.json"])
    broken["parameters"].insert(0, upstream("odd", "nowhere"))
    files["b.json"] = json.dumps(broken, indent=1)
    assert [code for code, _, _ in told(check(tmp_path, files))] == ["MOM804", "MOM813"]


def test_a_file_that_is_no_json(tmp_path: Path) -> None:
    files = mesh("abc", 2) | {"d.json": evt("d").replace('"value": "d"', '"value": "d",')}
    assert [(code, file) for code, file, _ in told(check(tmp_path, files))] == [
        ("MOM101", "d.json"),
        ("MOM804", told(check(tmp_path, mesh("abc", 2)))[0][1]),
    ]
    assert ("MOM101", "d.json", line(files["d.json"], '"value": "d",') + 1) in told(check(tmp_path, files))


def test_an_unknown_key_is_told_once(tmp_path: Path) -> None:
    text = evt("a", upstream("u", "amqp://b.example", frob=1), upstream("v", "amqp://c.example", frob=1))
    assert told(check(tmp_path, {"a.json": text}), notes=True) == [("MOM814", "a.json", line(text, "frob"))]


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "^(", "(.*)*", r"(a)\1", "a*b*c*d*e*"])
def test_patterns_that_are_not_followed(pattern: str, tmp_path: Path) -> None:
    text = evt("a", upstream("u", "amqp://b.example"), policies=[policy({}, pattern)], exchanges=[exchange("a" * 200)])
    found = told(check(tmp_path, {"a.json": text}), notes=True)
    assert ("MOM814", "a.json", line(text, '"pattern"')) in found


# -- what is lost ----------------------------------------------------------------------------------------------------

TTL = {"x-message-ttl": 1000}


def lost(folder: Path, **sections: object) -> list[tuple[str, str]]:
    """The codes, each with what stands in the line."""
    text = definitions(**sections)
    return [(code, text.splitlines()[where - 1].strip()) for code, _, where in told(check(folder, {"a.json": text}))]


@pytest.mark.parametrize(
    ("retry", "keys", "told_at"),
    [
        # Where a consumer has to reject, it stays.
        ({}, {}, None),
        (TTL, {}, '"x-dead-letter-exchange": "work",'),
        ({"x-max-length": 5}, {}, '"x-dead-letter-exchange": "work",'),
        ({"x-max-length": 5, "x-overflow": "reject-publish"}, {}, None),
        # Under another key it does not come back.
        (TTL, {"x-dead-letter-routing-key": "done"}, None),
    ],
)
def test_cycles_of_dead_letters(
    retry: dict[str, object], keys: dict[str, object], told_at: str | None, tmp_path: Path
) -> None:
    found = lost(
        tmp_path,
        exchanges=[exchange("work", "direct"), exchange("retry", "direct")],
        queues=[
            queue("work", **{"x-dead-letter-exchange": "retry"}, **retry),
            queue("wait", **{"x-dead-letter-exchange": "work"}, **TTL, **keys),
            queue("done"),
        ],
        bindings=[binding("work", "work", "job"), binding("retry", "wait", "job"), binding("work", "done", "done")],
    )
    assert found == ([] if told_at is None else [("MOM811", told_at)])


def test_a_cycle_by_policy_and_the_default_exchange(tmp_path: Path) -> None:
    """A queue whose messages go back to itself when they are too old."""
    again = {"dead-letter-exchange": "", "dead-letter-routing-key": "q", "message-ttl": 1000}
    found = lost(tmp_path, queues=[queue("q")], policies=[policy(again, "^q$", **{"apply-to": "queues"})], exchanges=[])
    assert found == [("MOM811", '"dead-letter-exchange": "",')]


@pytest.mark.parametrize(
    ("kind", "key", "dead", "is_lost"),
    [
        ("fanout", "", {}, False),
        ("topic", "#", {}, False),
        ("direct", "job", {}, False),
        # Published straight to the queue, that is the key.
        ("direct", "jobs", {}, False),
        ("direct", "other", {}, True),
        ("topic", "other.#", {}, True),
        ("direct", "other", {"x-dead-letter-routing-key": "other"}, False),
        ("direct", "job", {"x-dead-letter-routing-key": "other"}, True),
        ("headers", "", {}, False),
    ],
)
def test_dead_letters_that_nobody_gets(
    kind: str, key: str, dead: dict[str, object], is_lost: bool, tmp_path: Path
) -> None:
    found = lost(
        tmp_path,
        exchanges=[exchange("work", "direct"), exchange("dlx", kind)],
        queues=[queue("jobs", **{"x-dead-letter-exchange": "dlx"}, **dead), queue("dead")],
        bindings=[binding("work", "jobs", "job"), binding("dlx", "dead", key)],
    )
    assert [code for code, _ in found] == (["MOM811"] if is_lost else [])


def test_dead_letters_that_go_nowhere(tmp_path: Path) -> None:
    gone = queue("q", **{"x-dead-letter-exchange": "gone"})
    assert lost(tmp_path, exchanges=[exchange("e")], queues=[gone]) == [("MOM811", '"x-dead-letter-exchange": "gone"')]
    # Without the bindings nobody can say that there are none.
    unbound = {"exchanges": [exchange("dlx")], "queues": [queue("q", **{"x-dead-letter-exchange": "dlx"})]}
    assert lost(tmp_path, **unbound) == []
    assert lost(tmp_path, **unbound, bindings=[]) == [("MOM811", '"x-dead-letter-exchange": "dlx"')]


@pytest.mark.parametrize(
    ("kind", "key", "main", "is_lost"),
    [
        ("fanout", "", "job", False),
        ("topic", "#", "job", False),
        ("direct", "job", "job", True),
        # It takes part of what is left over, and is meant to.
        ("topic", "b.#", "job", False),
        # Nothing is left over.
        ("direct", "x", "#", False),
    ],
)
def test_alternate_exchanges(kind: str, key: str, main: str, is_lost: bool, tmp_path: Path) -> None:
    found = lost(
        tmp_path,
        exchanges=[exchange("main", **{"alternate-exchange": "ae"}), exchange("ae", kind)],
        queues=[queue("q"), queue("rest")],
        bindings=[binding("main", "q", main), binding("ae", "rest", key)],
    )
    assert [code for code, _ in found] == (["MOM811"] if is_lost else [])


def test_an_alternate_exchange_by_policy_that_is_not_there(tmp_path: Path) -> None:
    found = lost(tmp_path, exchanges=[exchange("evt")], policies=[policy({"alternate-exchange": "gone"})])
    assert found == [("MOM811", '"alternate-exchange": "gone"')]


# -- whatever the file is --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{" * 100_000,
        b"\xff\xfe{",
        b'{"exchanges": [1, null, {}, {"name": 3}, {"name": "x", "type": []}], "queues": {}, "bindings": [[]]}',
        b'{"parameters": [{"component": "federation-upstream", "name": "u", "value": []}, {"component": 3}]}',
        b'{"parameters": [{"component": "shovel", "name": "s", "value": {"src-uri": [], "dest-uri": 3}}]}',
        b'{"policies": [{"name": "p", "pattern": "(", "definition": {}, "priority": "x"}], "vhosts": [{}]}',
        b'{"exchanges": [{"name": "\\ud83d\\ude00", "vhost": "/", "type": "topic"}]}',
        b'{"exchanges": [{"name": "\\ud83d", "vhost": "/", "type": "topic"}]}',
        b'{"a": ' + b"1" * 5000 + b"}",
        json.dumps({"exchanges": [{"name": "x" * 70_000, "type": "topic"}], "vhosts": []}).encode(),
    ],
)
def test_nothing_raises(data: bytes) -> None:
    native = read_rabbitmq(data, "d.json")
    assert isinstance(native.server, Rabbit)
    assert all(one.code in ("MOM101", "MOM106", "MOM107", "MOM813", "MOM814") for one in native.problems)


def test_escapes_of_two_parts_keep_columns() -> None:
    data = b'{"exchanges": [{"name": "\\ud83d\\ude00", "odd": 1, "vhost": "/", "type": "topic"}]}'
    native = read_rabbitmq(data, "d.json")
    assert isinstance(native.server, Rabbit)
    assert "\N{GRINNING FACE}" in native.server.definitions.vhosts["/"].exchanges
    (note,) = native.problems
    assert (note.code, note.span.start.column) == ("MOM814", data.decode().index('"odd"') + 1)


# -- keys ------------------------------------------------------------------------------------------------------------

WORDS = ["a", "b", "ab", "x"]
EVERY_KEY = [key for length in range(1, 5) for key in itertools.product(WORDS, repeat=length)]


def test_what_patterns_share() -> None:
    """Against regular expressions, on every key of up to four words."""
    rng = random.Random("keys")
    for _ in range(150):
        one, other = (random_filter(rng, "amqp") for _ in range(2))
        first, second = normal(one.split(".")), normal(other.split("."))
        both = shared(first, second)
        third = [normal(random_filter(rng, "amqp").split(".")) for _ in range(2)]
        rest = example(first, third)
        for key in EVERY_KEY:
            text = ".".join(key)
            assert matches(first, key) == brute_matches("amqp", one, text), (one, text)
            expected = brute_matches("amqp", one, text) and brute_matches("amqp", other, text)
            assert any(matches(pattern, key) for pattern in both) == expected, (one, other, text)
            if rest is None:
                assert not matches(first, key) or any(matches(pattern, key) for pattern in third)
        if rest is not None:
            assert matches(first, rest)
            assert not any(matches(pattern, rest) for pattern in third)
            assert not covered(first, third)
