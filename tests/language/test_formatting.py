"""`xmlcep fmt`: one style, with the same meaning, the comments kept."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import REPOSITORY
from tests.strategies import rule_sets, show_rules
from xmlcep import RuleError, parse_rules
from xmlcep.algebra import EventDefinition
from xmlcep.language.formatting import format_rules
from xmlcep.language.layout import WIDTH

TEXT = """\
# Rules of the house.


namespace   po='urn:po'   # of orders
event  A( po:item )  {when='po:price>0',end=custom}=ins(po:item);(ins(po:item/price)
   &   x[ 1 , * ] ins({urn:po}item/po:quantity))  # complete
   # and then?

event B =   # left
    ins(b)  ;
    ins(b/c)   # as it is
# the end"""

FORMATTED = """\
# Rules of the house.

namespace po = "urn:po"  # of orders
event A(po:item) {end=custom, when="po:price>0"}
    = ins(po:item)
    ; (ins(po:item/price) & x[1,*] ins(po:item/po:quantity))  # complete
# and then?

event B =   # left
    ins(b)  ;
    ins(b/c)  # as it is
# the end
"""


def test_an_example() -> None:
    assert format_rules(TEXT) == FORMATTED


def test_long_events_are_parted_at_the_root() -> None:
    operands = [f"ins(item/a-long-name-{number})" for number in range(6)]
    text = f"event Long(item) {{context=recent}} = ins(item) ; not del(item/x) ; ({' & '.join(operands)})"
    first, *lines = format_rules(text).splitlines()
    assert first == "event Long(item) {context=recent}"
    assert lines[:4] == [
        "    = ins(item)",
        "    ; not del(item/x)",
        f"    ; ( {operands[0]}",
        f"      & {operands[1]}",
    ]
    assert lines[-1] == f"      & {operands[-1]} )"
    assert parse_rules(format_rules(text)) == parse_rules(text)
    assert max(map(len, [first, *lines])) <= WIDTH


@given(rule_sets(), st.data())
def test_what_is_said_stays_the_same(definitions: tuple[EventDefinition, ...], data: st.DataObject) -> None:
    """Whatever comments, blanks and line ends stand between the words."""
    text = show_rules(definitions)
    gaps = [at for at in range(len(text)) if text[at] == " " and text[:at].count('"') % 2 == 0]
    for at in reversed(data.draw(st.lists(st.sampled_from(gaps), max_size=4, unique=True).map(sorted))):
        text = (
            text[:at] + data.draw(st.sampled_from(["  ", "\n", " # note\n", "\t\n\n\n", "\r\n"])) + text[at:]
        )
    formatted = format_rules(text)
    assert parse_rules(formatted) == parse_rules(text)
    assert format_rules(formatted) == formatted
    assert formatted.count("# note") == text.count("# note")


PAGES = sorted((REPOSITORY / "docs").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_the_pages(page) -> None:  # type: ignore[no-untyped-def]
    for block in re.findall(
        r"^```xcep\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    ):
        formatted = format_rules(block)
        assert parse_rules(formatted) == parse_rules(block)
        assert format_rules(formatted) == formatted
        assert formatted.count("#") == block.count("#")


def test_the_samples_are_in_this_style() -> None:
    for file in (REPOSITORY / "samples").rglob("*.xcep"):
        text = file.read_text(encoding="utf-8")
        assert parse_rules(format_rules(text)) == parse_rules(text)


def test_what_cannot_be_read_is_an_error() -> None:
    with pytest.raises(RuleError, match=r"a\.xcep:1:18: the statement ends too early"):
        format_rules("event A = ins(item", "a.xcep")


def test_events_that_are_wrong_are_formatted_all_the_same() -> None:
    """An unfinished set of rules: the event B is not there yet."""
    assert format_rules("event A=B(item)") == "event A = B(item)\n"
