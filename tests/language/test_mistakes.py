"""Every mistake is explained: where it is, what is wrong, what to write; the rest is still checked."""

from __future__ import annotations

import random
import re
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from xmlcep.errors import MOST_SHOWN, RuleError, XmlCepError
from xmlcep.language import parse_definitions
from xmlcep.rules import Rules, load_rules, parse_rules

DOCS = Path(__file__).resolve().parents[2] / "docs"
_BLOCKS = Path(__file__).with_name("mistakes.txt").read_text(encoding="utf-8").strip().split("\n\n")[1:]


@pytest.mark.parametrize("block", _BLOCKS, ids=[block.split("\n")[0][2:] for block in _BLOCKS])
def test_mistake(block):
    text, _, expected = block.removeprefix("> ").partition("\n")
    with pytest.raises(RuleError) as caught:
        parse_rules(text)
    assert str(caught.value) == expected.rstrip("\n")


def problems_of(text: str) -> list[tuple[int, int, str]]:
    """Line, column and message of each problem."""
    with pytest.raises(RuleError) as caught:
        parse_rules(text)
    assert (caught.value.line, caught.value.column) == (
        caught.value.problems[0].line,
        caught.value.problems[0].column,
    )
    return [(problem.line, problem.column, problem.message) for problem in caught.value.problems]


def test_all_problems_of_a_file_are_reported():
    text = """\
event A = ins(item) &
namespace p = "urn:p"
event B {contxt=recent} = ins(q:item) & del(item//price)

evnt C = ins(item)   # misspelt
event D = A(item) & C(item) & Nobody(item)
event E = ins(item/price) & ins(item/quantity)
event E {flat=1} = ins(item)
event F = (ins(item/price) & ins(item/quantity)) {when="prize() > 'x"}
"""
    assert [(line, column, message.split(":")[0]) for line, column, message in problems_of(text)] == [
        (1, 21, "the statement ends too early"),
        (3, 10, "there is no option 'contxt'"),
        (3, 31, "the unknown prefix 'q' in 'q"),
        (3, 50, "an empty step in 'item//price'"),
        (5, 1, "unexpected 'evnt'"),
        (6, 31, "event D"),
        (8, 7, "the event 'E' is defined twice"),
        (8, 10, "'flat' takes no value"),
        (9, 67, "event F"),
    ]


def test_names_of_unreadable_events_are_known():
    """D uses an event with a mistake: that is one problem, not two."""
    assert problems_of("event C = ins(item\nevent D = C(item)") == [
        (1, 18, "the statement ends too early: expected a path such as order/item or ')'")
    ]


def test_a_keyword_with_nothing_after_it():
    assert [problem[:2] for problem in problems_of("event A = ins(a)\nevent\nnamespace\nevent B = ins(")] == [
        (2, 5), (3, 9), (4, 14),
    ]  # fmt: skip


def test_a_statement_that_ends_too_early_is_marked_at_its_last_word():
    assert problems_of("event A = ins(a) & # more to come\n\n# but when?\nevent B = ins(b)")[0][:2] == (1, 18)


@pytest.mark.parametrize("inner", ["(", "x[1,2] (", "x[1,2] "])
@pytest.mark.parametrize("times", [101, 3_000])
def test_deep_nesting_is_an_error_and_no_crash(inner, times):
    text = f"event A = {inner * times}ins(item/price){')' * times if '(' in inner else ''}"
    [(line, column, message)] = problems_of(text)
    assert (line, message) == (1, "operators and parentheses are nested more than 100 deep")
    assert column > 11


def test_nesting_up_to_the_limit_works():
    expression = "ins(item)"
    for number in range(99):
        expression = f"({expression} {'&;'[number % 2]} upd(item))"
    rules = parse_rules(f"event A = {expression}")
    assert parse_rules(str(rules)) == rules
    assert len(rules.graph.trees[0].operators) == 99


def test_wide_characters_and_tabs_keep_the_caret_in_place():
    with pytest.raises(RuleError) as caught:
        parse_rules("event\t注文 = ins(注文) & inz(é\u0301x) ; ; \r\n")
    assert str(caught.value).splitlines()[1:3] == [
        "  event\t注文 = ins(注文) & inz(é\u0301x) ; ; ",
        f"       \t{' ' * 29}^",
    ]


def test_of_a_very_long_name_the_beginning_and_the_end_are_shown():
    for text in ("a" * 100_000, f"event A = B{'b' * 100_000}(item)"):
        with pytest.raises(RuleError) as caught:
            parse_rules(text)
        assert len(str(caught.value)) < 2500
        assert "…" in str(caught.value)


def test_of_a_very_long_line_only_the_place_is_shown():
    many = " & ".join(f"ins(a/b{number})" for number in range(1000))
    with pytest.raises(RuleError) as caught:
        parse_rules(f"event A = {many} & ins(a//c) & {many}")
    _, line, carets, _ = str(caught.value).split("\n")
    assert len(line) < 200
    assert line.startswith("  …") and line.endswith("…")
    assert line[carets.index("^") - 2 :].startswith("a//c")
    assert caught.value.column == len(f"event A = {many} & ins(a/") + 1


def test_other_line_separators_do_not_count_as_lines():
    assert problems_of("# a\u2028b\x0bc\x85d\nevent A = ins(a")[0][:2] == (2, 15)


def test_empty_texts():
    for text in ("", "\n\n", "# nothing\n", "\ufeff"):
        assert problems_of(text)[0][2] == "there is no event in these rules"


def test_files(tmp_path):
    good = tmp_path / "good.xcep"
    good.write_bytes("\ufeffevent Größe = ins(größe)\r\n".encode())
    rules = load_rules(good)
    assert rules.source_name == str(good)
    assert rules.definitions[0].name == "Größe"
    assert load_rules(str(good)) == rules

    bad = tmp_path / "bad.xcep"
    bad.write_text("event A = ins(", encoding="utf-8")
    with pytest.raises(RuleError, match=r"bad\.xcep:1:14: the statement ends too early"):
        load_rules(bad)

    latin = tmp_path / "latin.xcep"
    latin.write_bytes("event A = ins(a)\n# größe".encode("latin-1"))
    with pytest.raises(XmlCepError, match=r"latin\.xcep:2: the rules file is not UTF-8: byte 0xf6"):
        load_rules(latin)

    with pytest.raises(XmlCepError, match=r"missing\.xcep: the rules file cannot be read: No such file"):
        load_rules(tmp_path / "missing.xcep")
    with pytest.raises(XmlCepError, match="cannot be read"):
        load_rules(tmp_path)


def test_definitions_made_in_python_are_checked_as_well():
    [definition] = parse_rules("event A = ins(item) & B(item)\nevent B = ins(item)").definitions[:1]
    with pytest.raises(RuleError) as caught:
        Rules.from_definitions([definition, definition])
    messages = [problem.message for problem in caught.value.problems]
    assert "the event 'A' is defined twice" in messages
    assert "event A: there is no event called B" in messages


_PIECES = st.sampled_from([
    "event", "namespace", " ", "\n", "A", "B", "=", "ins(", "item", ")", "(", "{", "}", "[", "]",
    "x[1,*]", ",", "&", ";", "|", "*", "?", "/", "@", "text()", '"', "'", "\\", "#", "flat", "end=",
    "when=", "path=", "custom", "{urn:x}", "po:", ":", "1", "é", "△", "×", "“", "\x00", "\ud83d",
    "ins(item)", "upd(item/price)",
])  # fmt: skip


@given(st.lists(_PIECES, max_size=40).map("".join))
@example("event A = ins(item)" + " & ins(item)" * 3000)
def test_any_text_is_either_read_or_explained(text):
    problems = []
    parse_definitions(text, problems)
    lines = text.split("\n")
    for problem in problems:
        assert problem.message
        assert 1 <= problem.line <= len(lines)
        assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1
        assert problem.render("f", text)
    try:
        rules = parse_rules(text)
    except RuleError as error:
        assert str(error)
        assert error.problems
    else:
        assert not problems
        assert parse_rules(str(rules)) == rules


def test_of_very_many_mistakes_the_first_are_shown_and_the_rest_counted() -> None:
    with pytest.raises(RuleError) as caught:
        parse_rules("event " * (MOST_SHOWN + 1_000))
    assert len(caught.value.problems) == MOST_SHOWN + 999
    assert str(caught.value).count("ends too early") == MOST_SHOWN
    assert str(caught.value).endswith("and 999 more: fix these first")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("event A = ins(a) as", "expected a name or a variable such as $price"),
        ("event A = ins(a) as $x =", "expected an expression in parentheses"),
        ("event A = ins(a) as $x = 1", "expected an expression in parentheses"),
        ("event A = ins(a) as $x = (1 + (2)", "expected an expression in parentheses"),
    ],
)
def test_half_a_binding(text: str, expected: str) -> None:
    with pytest.raises(RuleError, match=re.escape(expected)):
        parse_rules(text)


_STATEMENTS = [
    *re.findall(
        r"^(?:event|rule) .*$", Path(__file__).with_name("mistakes.txt").read_text("utf-8"), re.MULTILINE
    ),
    *re.findall(
        r"^ *(event .*|rule .*)$", "\n".join(f.read_text("utf-8") for f in DOCS.glob("*.md")), re.MULTILINE
    ),
]
_TOKEN = re.compile(r"\"[^\"]*\"|'[^']*'|\w+|\s+|.")


@pytest.mark.parametrize("seed", range(8))
def test_no_mistake_ends_otherwise_than_in_words(seed: int) -> None:
    """Statements with tokens left out, added, exchanged or cut short: they are right, or said to be wrong."""
    choose = random.Random(seed)
    tokens = [token for text in _STATEMENTS for token in _TOKEN.findall(text)]
    for _ in range(150):
        given = _TOKEN.findall(choose.choice(_STATEMENTS))
        for _ in range(choose.choice((1, 1, 2))):
            at = choose.randrange(len(given))
            given[at : at + 1] = choose.choice(
                ([], [choose.choice(tokens)], [given[at][:-1]], [*given[at:], "("])
            )
            if choose.random() < 0.2:
                del given[at + 1 :]
            if not given:
                break
        try:
            parse_rules("".join(given))
        except XmlCepError as error:
            assert str(error)


def test_what_is_not_closed_takes_no_memory_for_every_character() -> None:
    long = "x" * 100_000
    for text in (f'event A {{when="{long}', f"event A = ins(a)[{long}", f"event A = ins(a) as $x = ({long}"):
        tracemalloc.start()
        with pytest.raises(RuleError):
            parse_rules(text)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < 100 * len(long)
