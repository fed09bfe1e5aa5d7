"""What a formula says, and what is said about one that says nothing, with its place."""

from __future__ import annotations

import random
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.routed.specs import Names, SpecError, TopicEnds, decide_spec
from momlint.routed.specs.parse import MAX_DEPTH, MAX_HEIGHT, parse
from momlint.routed.specs.syntax import Binary, Constant, FormulaError, Name, Node, Set, Unary
from tests.budget import examples
from tests.routed.engines.lark_grammar import NoFormulaError, parse_by_grammar
from tests.routed.engines.temporal import CTL_UNARY, LTL_FUTURE, LTL_PAST, Tree, random_tree, text
from tests.strategies import F, make_overlay

Logic = Literal["ctl", "ltl"]


def shape(node: Node) -> str:
    """The tree with all its brackets."""
    match node:
        case Name(said, quoted):
            return f'"{said}"' if quoted else said
        case Constant(value):
            return str(value).upper()
        case Set(items):
            return "{" + ", ".join(map(shape, items)) + "}"
        case Unary(operator, operand):
            return f"({operator} {shape(operand)})"
        case Binary(operator, left, right):
            return f"({shape(left)} {operator} {shape(right)})"


@pytest.mark.parametrize(
    ("logic", "said", "means"),
    [
        # As NuSMV 2.5.4 prints them back.
        ("ctl", "AF p & q", "((AF p) & q)"),
        ("ctl", "AF p -> q", "((AF p) -> q)"),
        ("ctl", "p -> q -> r", "(p -> (q -> r))"),
        ("ctl", "p <-> q <-> r", "((p <-> q) <-> r)"),
        ("ctl", "p <-> q -> r", "((p <-> q) -> r)"),
        ("ctl", "p -> q <-> r", "(p -> (q <-> r))"),
        ("ctl", "p | q xor r", "((p | q) xor r)"),
        ("ctl", "p xnor q | r", "((p xnor q) | r)"),
        ("ctl", "p | q & r", "(p | (q & r))"),
        ("ctl", "!p & q", "((! p) & q)"),
        ("ctl", "!AF p", "(! (AF p))"),
        ("ctl", "AF !p", "(AF (! p))"),
        ("ctl", "AF AG p = q", "(AF (AG (p = q)))"),
        ("ctl", "p != q = r", "((p != q) = r)"),
        ("ctl", "p & q = r", "(p & (q = r))"),
        ("ctl", "E [ a = 1 U a = 2 ] | AX a = b", "(((a = 1) EU (a = 2)) | (AX (a = b)))"),
        ("ctl", "a in {1, 2} union {3}", "(a in {1, 2, 3})"),
        ("ctl", "a in {b, c} = p", "((a in {b, c}) = p)"),
        ("ctl", "a in 1", "(a in 1)"),
        ("ltl", "G p -> q", "((G p) -> q)"),
        ("ltl", "p U q U r", "((p U q) U r)"),
        ("ltl", "p U q & r", "((p U q) & r)"),
        ("ltl", "p & q U r", "(p & (q U r))"),
        ("ltl", "!p U q", "((! p) U q)"),
        ("ltl", "X p U q", "((X p) U q)"),
        ("ltl", "p S q U r", "((p S q) U r)"),
        ("ltl", "G Y !p & q", "((G (Y (! p))) & q)"),
        ("ltl", "p -> F q <-> r", "(p -> ((F q) <-> r))"),
        # Wider than NuSMV: names that it could not read.
        ("ctl", 'loc = "eu west"', '(loc = "eu west")'),
        ("ctl", "loc = 'it is'", '(loc = "it is")'),
        ("ctl", "loc=eu-1->loc=2", "((loc = eu-1) -> (loc = 2))"),
        ("ctl", "loc = mqtt.example.org", "(loc = mqtt.example.org)"),
        ("ctl", "loc = A & src = E", "((loc = A) & (src = E))"),
        ("ctl", "loc = 010", "(loc = 010)"),
        ("ctl", "loc = Zürich -- a comment\n& TRUE", "((loc = Zürich) & TRUE)"),
    ],
)
def test_precedence(logic: Logic, said: str, means: str) -> None:
    assert shape(parse(said, logic)) == means


ATOMS = (
    "p",
    "loc = 2",
    "loc in {1, 2}",
    "a != b",
    "TRUE",
    "x in {1} union {2, 3}",
    '"in" = p',
    "a.b-c",
    "(p)",
    "(a) = b",
)
PIECES = (
    "", " ", "(", ")", "!", " U ", "U", " S ", " V", " T ", " E ", " E [", " A [", " AF ", " X ", "->", "<->", "-",
    "--", "\n", " in ", "in", " union ", " xor ", " xnor", "]", "{}", "{", "}", ",", "=", "!=", "&", "|", "'", '"', "x",
    "TRUE", ";", "==",
)  # fmt: skip


def judge(said: str, logic: Logic) -> Node | None:
    """The tree, on which parser and grammar agree with all places in it; None where both refuse the text."""
    try:
        expected = parse_by_grammar(said, logic)
    except NoFormulaError:
        with pytest.raises(FormulaError) as refused:
            parse(said, logic)
        assert 0 <= refused.value.start < refused.value.end <= len(said) + 1
        return None
    assert parse(said, logic) == expected
    return expected


@given(st.integers(0, 2**32))
@settings(max_examples=examples(4000), deadline=None)
def test_parser_and_grammar_agree(seed: int) -> None:
    """On the tree, its places, and what is no formula; half of the texts are damaged."""
    rng = random.Random(seed)
    logic: Logic = rng.choice(("ctl", "ltl"))
    unary, binary = (CTL_UNARY, ("EU", "AU")) if logic == "ctl" else ((*LTL_FUTURE, *LTL_PAST), ("U", "V", "S", "T"))
    said = text(random_tree(rng, lambda rng: rng.choice(ATOMS), rng.randint(1, 5), unary=unary, binary=binary), rng)
    damages = rng.choice((0, 0, 1, 2))
    for _ in range(damages):
        at = rng.randrange(len(said) + 1)
        said = said[:at] + rng.choice(PIECES) + said[at + rng.randint(0, 2) :]
    assert judge(said, logic) is not None or damages


WORDS = (
    "p", "q", "1", "'x'", "TRUE", "(", ")", "!", "[", "]", "{", "}", ",", "=", "!=", "in", "union", "xor", "xnor", "&",
    "|", "->", "<->", "U", "V", "S", "T", "E", "A", "AF", "EX", "X", "G", "Y",
)  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=9), st.sampled_from(["ctl", "ltl"]))
@settings(max_examples=examples(2000), deadline=None)
def test_parser_and_grammar_agree_on_any_words(said: list[str], logic: Logic) -> None:
    judge(" ".join(said), logic)


@pytest.mark.parametrize(
    ("logic", "said", "means"),
    [
        ("ctl", "x = A", "(x = A)"),
        ("ctl", "U", "U"),
        ("ctl", "x = !AF", "(x = (! AF))"),
        ("ctl", "{AF, EX} = x", "({AF, EX} = x)"),
        ("ctl", "in in {in}", "(in in {in})"),
        ("ctl", "!!AF p = q", "(! (! (AF (p = q))))"),
        ("ltl", "U U U", "(U U U)"),
        ("ltl", "x = E", "(x = E)"),
        ("ltl", "E = 1", "(E = 1)"),
    ],
)
def test_words_of_the_language_as_names(logic: Logic, said: str, means: str) -> None:
    found = judge(said, logic)
    assert found is not None
    assert shape(found) == means


@pytest.mark.parametrize(
    ("logic", "said"),
    [
        ("ltl", "p Uq"),
        ("ctl", "p inq"),
        ("ctl", "p = AF q"),
        ("ctl", "E [ p U q ] = r"),
        ("ctl", "p = E [ q U r ]"),
        ("ctl", "E = 1"),
        ("ctl", "E [ p U q U r ]"),
        ("ctl", "{p,}"),
        ("ctl", "{p = q}"),
        ("ctl", "()"),
        ("ctl", "p & != q"),
        ("ltl", "S = 1 S"),
    ],
)
def test_what_is_no_formula(logic: Logic, said: str) -> None:
    assert judge(said, logic) is None


def _tall(count: int) -> list[str]:
    """Formulas of `count` operators within each other."""
    return [" & ".join(["p"] * (count + 1)), "p -> " * count + "p", "AF " * count + "p", "!" * count + "p"]


@pytest.mark.parametrize("said", ["(" * MAX_DEPTH + "p" + ")" * MAX_DEPTH, *_tall(MAX_HEIGHT - 2)])
def test_as_deep_and_tall_as_may_be(said: str) -> None:
    assert judge(said, "ctl") is not None


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("(" * (MAX_DEPTH + 1) + "p" + ")" * (MAX_DEPTH + 1), "deeper than 100 brackets"),
        *((said, "deeper than 300 operators") for said in _tall(MAX_HEIGHT - 1)),
    ],
)
def test_deeper_or_taller_is_refused(said: str, message: str) -> None:
    assert judge(said, "ctl") is None
    with pytest.raises(FormulaError, match=message):
        parse(said, "ctl")


@given(st.integers(0, 2**32))
@settings(max_examples=examples(300), deadline=None)
def test_what_is_written_is_what_is_read(seed: int) -> None:
    """Text with no more brackets than needed, by the precedence in NuSMV's manual, means the tree it came from."""
    rng = random.Random(seed)
    logic: Logic = rng.choice(("ctl", "ltl"))
    tree = random_tree(
        rng,
        lambda r: r.choice(("loc = 1", "src != b", "dest in {1, 2}")),
        5,
        unary=CTL_UNARY if logic == "ctl" else (*LTL_FUTURE, *LTL_PAST),
        binary=("EU", "AU") if logic == "ctl" else ("U", "V", "S", "T"),
    )

    def plain(one: Tree) -> str:
        operator, *parts = one
        if operator == "atom":
            return f"({parts[0]})"
        inner = [plain(part) for part in parts]
        return f"({operator} {inner[0]})" if len(inner) == 1 else f"({inner[0]} {operator} {inner[1]})"

    assert shape(parse(text(tree, rng), logic)) == plain(tree)


OVERLAY = make_overlay(3, [(0, 1), (1, 2)], colours=[F(), F(links=[0])])
NAMES = Names(
    ("1", "2", "mqtt.eu"),
    ("calm", "cut"),
    (TopicEnds("weather", (0,), (1, 2)),),
    {0: (1,)},
)


@pytest.mark.parametrize(
    ("logic", "said", "place", "message"),
    [
        ("ctl", "loc =", "$", "the formula ends too soon; expected a formula"),
        ("ctl", "", "$", "the formula ends too soon; expected a formula"),
        ("ctl", "(loc = 1", "$", "the formula ends too soon; expected `)`"),
        ("ctl", "loc = 1 )", ")", "`)` cannot stand here; expected the end"),
        ("ctl", "A [ loc = 1 ]", "]", "`]` cannot stand here"),
        ("ctl", "A [ loc = 1 ]", "]", "expected `U`"),
        ("ctl", "E loc = 1", "loc", "`loc` cannot stand here; expected `[`"),
        ("ctl", "loc in {1, }", "}", "`}` cannot stand here; expected a name"),
        ("ctl", "loc in {1 2}", "2", "`2` cannot stand here; expected an operator, `,` or `}`"),
        ("ctl", "loc = 1 loc = 2", "loc", "`loc` cannot stand here; expected an operator or the end"),
        ("ctl", "loc = 1 & & loc = 2", "&", "`&` cannot stand here; expected a formula"),
        ("ctl", "loc == 1", "==", "`==` is written `=` here"),
        ("ctl", "loc = 1 && loc = 2", "&&", "`&&` is written `&` here"),
        ("ctl", "loc = 1 || loc = 2", "||", "`||` is written `|` here"),
        ("ctl", "loc = 1 => loc = 2", "=>", "`=>` is written `->` here"),
        ("ctl", "not loc = 1", "not", "`not` is written `!` here"),
        ("ctl", "loc = 1 and loc = 2", "and", "`and` is written `&` here"),
        ("ctl", "loc < 2", "<", "names have no order, so there is no `<`; write `in {…}`"),
        ("ctl", "loc = 1;", ";", "a specification ends without `;`"),
        ("ctl", "loc = 'x", "'", "this quotation mark is not closed"),
        ("ctl", "G loc = 1", "G", "`G` is an operator of LTL, and this specification is in CTL"),
        ("ctl", "F (loc = 1)", "F", "`F` is an operator of LTL, and this specification is in CTL"),
        ("ltl", "AG loc = 1", "AG", "`AG` is an operator of CTL, and this specification is in LTL"),
        ("ltl", "AG (loc = 1)", "AG", "`AG` is an operator of CTL, and this specification is in LTL"),
        ("ctl", "src = 1 -> AF (loc = 7)", "7", "unknown broker `7`"),
        ("ctl", "loc = mqtt.ue", "mqtt.ue", "unknown broker `mqtt.ue`; did you mean `mqtt.eu`?"),
        ("ctl", "loc in {1, 9, 2}", "9", "unknown broker `9`"),
        ("ctl", "colour = clam", "clam", "unknown colour `clam`; did you mean `calm`?"),
        ("ctl", "topic = wether", "wether", "unknown topic `wether`; did you mean `weather`?"),
        ("ctl", "lock = 1", "lock", "unknown variable `lock`; did you mean `loc`?"),
        ("ctl", "lock", "lock", "unknown variable `lock`; did you mean `loc`?"),
        ("ctl", "1 = 2", "1", "unknown variable `1`"),
        ("ctl", "loc", "loc", "`loc` is no condition; compare it with a value: `loc = …`"),
        ("ctl", "!loc = 1", "!loc", "`!` turns a condition round, and `loc` is none"),
        ("ctl", "loc = colour", "loc = colour", "a broker is compared with a colour here"),
        ("ctl", "loc = {1, 2}", "loc = {1, 2}", "a set is compared with `in`: `loc in {…}`"),
        ("ctl", "loc = TRUE", "loc = TRUE", "`loc` is a value and cannot be compared with a condition"),
        ("ctl", "(AF loc = 1) = (AG loc = 2)", "(AF loc = 1) = (AG loc = 2)", "between temporal formulas write `<->`"),
        ("ctl", "broker9.state", "broker9", "unknown broker `9`"),
        ("ctl", "AG publisher2.pub_bro1", "publisher2", "there is no publisher `publisher2`"),
        ("ctl", "AG publisher1.pub_bro9", "9", "unknown broker `9`"),
        ("ctl", "AG publisher1.sub_bro1", "publisher1.sub_bro1", "a publisher has `pub_…`, not `sub_…`"),
        ("ctl", "loc = 1 & publisher1.pub_bro2", "publisher1.pub_bro2", "a specification speaks of one of them"),
        (
            "ltl",
            "G (loc = 1 -> O src = 1)",
            "G (loc = 1 -> O src = 1)",
            "operators of the past (O) are for specifications",
        ),
    ],
)
def test_what_is_wrong_and_where(logic: Logic, said: str, place: str, message: str) -> None:
    answer = decide_spec(OVERLAY, NAMES, said, logic)
    assert isinstance(answer, SpecError)
    assert message in answer.message
    if place == "$":
        assert answer.start == len(said.rstrip())
    else:
        assert said[answer.start : answer.end] == place


def test_no_colours_no_topics() -> None:
    bare = Names(("1", "2", "3"))
    for said, message in (("colour = 1", "declares no colours"), ("topic = x", "declares no topics")):
        answer = decide_spec(OVERLAY, bare, said, "ctl")
        assert isinstance(answer, SpecError)
        assert message in answer.message


def test_a_quoted_name_is_a_value() -> None:
    """A broker may be called like a variable."""
    names = Names(("loc", "2", "3"))
    answer = decide_spec(OVERLAY, names, "src = 'loc' & dest = 2 -> AF loc = 2", "ctl")
    assert not isinstance(answer, SpecError)
    answer = decide_spec(OVERLAY, names, "loc = loc", "ctl")
    assert type(answer).__name__ == "SpecTrue"


@pytest.mark.parametrize(
    "said",
    ["(" * 5000 + "TRUE" + ")" * 5000, "!" * 20_000 + "TRUE", "AF " * 5000 + "TRUE", "TRUE -> " * 5000 + "TRUE",
     "TRUE & " * 5000 + "TRUE", "loc in " * 3000 + "1", "loc in {" + "1, " * 50_000 + "2}"],
)  # fmt: skip
def test_no_formula_is_too_much(said: str) -> None:
    decide_spec(OVERLAY, NAMES, said, "ctl")


@given(
    st.text(alphabet="AEFGXU[](){}=!<>-&|, \n\"'loc123._src#;é" + "\N{SNOWMAN}", max_size=60),
    st.sampled_from(["ctl", "ltl"]),
)
@settings(max_examples=examples(300), deadline=None)
def test_no_text_breaks_it(said: str, logic: Logic) -> None:
    answer = decide_spec(OVERLAY, NAMES, said, logic)
    if isinstance(answer, SpecError):
        assert 0 <= answer.start < answer.end <= len(said) + 1
