"""Bytes: encodings, what does not decode, what YAML forbids."""

from __future__ import annotations

import pytest

from tests.source.reading import at, child, only_problem, plain, read, root_of

TEXT = "größe: 1\r\n😀: [a]\r\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]
)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_unicode_encodings(encoding: str, mark: str) -> None:
    if mark and encoding in {"utf-8-sig", "utf-16", "utf-32"}:
        mark = ""  # these write one themselves
    root = root_of((mark + TEXT).encode(encoding))
    assert plain(root) == [("größe", 1), ("😀", ["a"])]
    assert at(child(root, "😀", 0).span) == "2:5-2:6"


@pytest.mark.parametrize(
    ("data", "span", "message"),
    [
        (
            b"a: 1\nn\xc3\xa4me: Z\xfcrich\n",
            "2:8-2:9",
            "byte 0xFC is not valid UTF-8 (it would be `ü` in Windows-1252 or Latin-1)",
        ),
        (b"\xff\n", "1:1-1:2", "byte 0xFF is not valid UTF-8 (it would be `ÿ` in Windows-1252 or Latin-1)"),
        (b"a: \xe2\x82", "1:4-1:5", "byte 0xE2 is not valid UTF-8 (it would be `â` in Windows-1252 or Latin-1)"),
        (
            b"a: \xed\xa0\x80\n",
            "1:4-1:5",
            "byte 0xED is not valid UTF-8 (it would be `í` in Windows-1252 or Latin-1), and so are 2 more places",
        ),
        (
            b"\xef\xbb\xbfa: \x81 # \xef\xbf\xbd\r\nb: \x81",
            "1:4-1:5",
            "byte 0x81 is not valid UTF-8, and so is one more place",
        ),
        ("a: b".encode("utf-16") + b"c", "1:5-1:6", "the bytes here are not valid UTF-16"),
        (b"\xfe\xff\x00a\xd8\x00\x00b", "1:2-1:3", "the bytes here are not valid UTF-16"),
    ],
)
def test_bytes_that_do_not_decode(data: bytes, span: str, message: str) -> None:
    source = read(data)
    (problem,) = source.problems
    assert (problem.code, at(problem.span), problem.message) == ("MOM101", span, message)
    assert problem.help == "save the file as UTF-8"
    assert len(source.documents) == 1


@pytest.mark.parametrize(
    ("text", "span", "message"),
    [
        ("a: x\x00y\n", "1:5-1:6", "the NUL character (U+0000) cannot stand in a YAML file"),
        ("a: 1\n# \x1b[0m\n", "2:3-2:4", "the escape character (U+001B) cannot stand in a YAML file"),
        (
            "ä: \x9f\nb: \x0c\n",
            "1:4-1:5",
            "the control character U+009F cannot stand in a YAML file, and there is one more",
        ),
        (
            "a: '\x07\x07\x07'\n",
            "1:5-1:6",
            "the control character U+0007 cannot stand in a YAML file, and there are 2 more such characters",
        ),
        ("a: \uffff\n", "1:4-1:5", "the control character U+FFFF cannot stand in a YAML file"),
        ("a: 1\x7f\n", "1:5-1:6", "the delete character (U+007F) cannot stand in a YAML file"),
    ],
)
def test_characters_that_yaml_forbids(text: str, span: str, message: str) -> None:
    source = read(text)
    (problem,) = source.problems
    assert (problem.code, at(problem.span), problem.message) == ("MOM101", span, message)
    assert len(source.documents) == 1


def test_escapes_and_private_characters_are_allowed() -> None:
    assert plain(root_of('a: "\\0\\e\\x85"\nb: \ue000\U0010ffff\n')) == [("a", "\0\x1b\x85"), ("b", "\ue000\U0010ffff")]


@pytest.mark.parametrize(
    "data", [b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", b"\x7fELF\x02\x01\x01\x00\xff\xfe", b"a\x00\xd8"]
)
def test_what_is_no_text(data: bytes) -> None:
    problem = only_problem(data)
    assert problem.code == "MOM101"
    assert problem.message.startswith("this is not a text file")
    assert read(data).documents == []
