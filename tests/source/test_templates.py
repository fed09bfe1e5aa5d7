"""A template that was not rendered is one clear finding."""

from __future__ import annotations

import pytest

from tests.source.reading import at, only_problem, read


@pytest.mark.parametrize(
    ("text", "span", "written"),
    [
        ("a: {{ x }}\n", "1:4-1:11", "{{ x }}"),
        ("a: '{{ x }}'\n", "1:5-1:12", "{{ x }}"),
        ("a: host-{{x}}-b\n", "1:9-1:14", "{{x}}"),
        ("{{ x }}: 1\n", "1:1-1:8", "{{ x }}"),
        ("a:\n  - {{- .Values.x | quote -}}\n", "2:5-2:30", "{{- .Values.x | quote -}}"),
        ("{% include 'b' %}\na: 1\n", "1:1-1:18", "{% include 'b' %}"),
        ("a: |\n  # {{ x }}\n", "2:5-2:12", "{{ x }}"),
        ("a: 'b # {{ x }}'\n", "1:9-1:16", "{{ x }}"),
        ("a: b#{{ x }}\n", "1:6-1:13", "{{ x }}"),
        ('a: {{ "}" }}\n', "1:4-1:13", '{{ "}" }}'),
        ('a: {{ {"b": 1} }}\n', "1:4-1:18", '{{ {"b": 1} }}'),
        ("a: {{ x(\n  'y') }}\n", "1:4-2:10", "{{ x( 'y') }}"),
        ("{% if\n  x %}\na: 1\n", "1:1-2:7", "{% if x %}"),
        ("a: {{{ x }}}\n", "1:4-1:13", "{{{ x }}}"),
        ("a: ${{ x }}\n", "1:5-1:12", "{{ x }}"),
        ("\ufeffä: {{ ö }}\r\n", "1:4-1:11", "{{ ö }}"),
    ],
)
def test_the_first_placeholder_is_named(text: str, span: str, written: str) -> None:
    source = read(text)
    (problem,) = source.problems
    assert (problem.code, at(problem.span)) == ("MOM107", span)
    assert problem.message == f"the placeholder `{written}` of a template is still in the file"
    assert source.documents == []


def test_one_finding_for_a_whole_template() -> None:
    text = """\
momlint: 1
name: {{ name }}
brokers:
{% for b in brokers %}
  {{ b.id }}: {site: {{ b.site }}, tags: [{{ b.tags | join(", ") }}]}
{% endfor %}
links: {{ links | to_yaml }}
name: {{ again }}
\ttopics:
"""
    problem = only_problem(text)
    assert (problem.code, at(problem.span)) == ("MOM107", "2:7-2:17")
    assert problem.message.endswith("(and 7 more in this file)")


@pytest.mark.parametrize(
    "text",
    ["# {{ x }}\na: 1\n", "a: 1  # {{ x }}\n", "a: 'b' # {% x %}\n", "a: [b, # {{ x }}\n c]\n",
     "a: |\n  b\n# {{ x }}\n",
     "a: 'it''s' # {{ x }}\n", "a: b'c # {{ x }}\n", '# "{{ x }}"\na: 1\n'],
)  # fmt: skip
def test_comments_are_free(text: str) -> None:
    source = read(text)
    assert source.problems == []
    assert len(source.documents) == 1


@pytest.mark.parametrize(
    "text", ["# {{ x }}\n", "a: 'b # c\n# {{ x }}\n", "a: b: c\nd: e # {{ x }}\n", "a: [\nb: 'c' # {{ x }}\n"]
)
def test_comments_are_free_in_a_broken_document(text: str) -> None:
    assert "MOM107" not in [problem.code for problem in read(text).problems]


@pytest.mark.parametrize(
    "text", ["a: {b: {c: 1}}\n", "a: '{{'\nb: '}}'\n", "a: '}} {{'\n", "a: {b: 1, c: {d: {e: 2}}}\n", "a: 'x {%'\n"]
)
def test_braces_that_are_no_template(text: str) -> None:
    assert read(text).problems == []


def test_documents_without_placeholders_are_read() -> None:
    source = read("a: 1\n---\nb: {{ x }}\na: [\n---\n# {{ y }}\nc: 1\n---\nd: '{{ z }}'\nd: 2\n")
    assert [(p.code, at(p.span)) for p in source.problems] == [("MOM107", "3:4-3:11")]
    assert source.problems[0].message.endswith("(and 1 more in this file)")
    assert [document.index for document in source.documents] == [0, 2]
    assert source.unreadable == 2
