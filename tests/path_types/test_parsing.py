"""Path types from text (P1, P2): what is read, and where errors point."""

from __future__ import annotations

import pytest

from path_types import Axis, PathError, PathInstance, PathSyntaxError, PathType, Step

NAMESPACES = {"": "urn:default", "po": "urn:po"}

READ = """
/order/item/price      | /order/item/price
item/@partnum          | item/@partnum
price/text()           | price/text()
text()                 | text()
@id                    | @id
{urn:po}item           | {urn:po}item
{urn:po}item/@{urn:x}a | {urn:po}item/@{urn:x}a
{}item                 | item
_a-b.c/é               | _a-b.c/é
{http://a/b}item/price | {http://a/b}item/price
"""
READ_WITH_NAMESPACES = """
item             | {urn:default}item
/order/po:item   | /{urn:default}order/{urn:po}item
item/@partnum    | {urn:default}item/@partnum
item/@po:partnum | {urn:default}item/@{urn:po}partnum
{}item           | item
po:price/text()  | {urn:po}price/text()
"""


def rows(table: str) -> list[list[str]]:
    """The rows of a text table."""
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


@pytest.mark.parametrize(("text", "expected"), rows(READ))
def test_reading(text: str, expected: str) -> None:
    assert str(PathType.parse(text)) == expected


@pytest.mark.parametrize(("text", "expected"), rows(READ_WITH_NAMESPACES))
def test_reading_with_namespaces(text: str, expected: str) -> None:
    assert str(PathType.parse(text, NAMESPACES)) == expected


def test_a_prefix_is_only_notation() -> None:
    assert PathType.parse("po:item", NAMESPACES) is PathType.parse("p:item", {"p": "urn:po"})


# The caret stands under the character the error points at.
ERRORS = """
order//item      ; an empty step
      ^
order/           ; a step is missing at the end
      ^
/                ; a step is missing at the end
 ^
order/*          ; '*' as a name
      ^
order/item[1]    ; an unexpected character
          ^
@id/item         ; a step after @id
    ^
text()/item      ; a step after text()
       ^
po:item          ; the unknown prefix 'po'
^
a/@q:b           ; the unknown prefix 'q'
   ^
{urn:po          ; '{' without '}'
^
{urn:po}         ; a step is missing at the end
        ^
item/9           ; '9' where a name should be
     ^
item/@           ; a step is missing at the end
      ^
order item       ; an unexpected character
     ^
@@id             ; '@' where a name should be
 ^
"""


def error_rows() -> list[tuple[str, int, str]]:
    """The table above as (text, offset, problem)."""
    lines = ERRORS.strip("\n").splitlines()
    pairs = zip(lines[::2], lines[1::2], strict=True)
    cut = [(line.partition(" ; "), marker) for line, marker in pairs]
    return [(parts[0].rstrip(), marker.index("^"), parts[2].strip()) for parts, marker in cut]


@pytest.mark.parametrize(("text", "position", "problem"), error_rows())
def test_errors_point_at_the_character(text: str, position: int, problem: str) -> None:
    with pytest.raises(PathSyntaxError) as caught:
        PathType.parse(text)
    assert (caught.value.offset, caught.value.problem) == (position, problem)
    assert caught.value.hint
    assert str(caught.value).splitlines()[-1] == "  " + " " * position + "^"


def test_the_empty_text_is_no_path() -> None:
    with pytest.raises(PathSyntaxError, match="a step is missing at the end"):
        PathType.parse("")


def test_steps_behind_attributes_and_text_cannot_be_made() -> None:
    for last in (Step.attribute("id"), Step.text()):
        with pytest.raises(PathError, match="can only be the last step"):
            PathType.of(False, [last, Step.element("item")])


def test_a_path_type_needs_steps_and_is_immutable() -> None:
    with pytest.raises(PathError, match="at least one step"):
        PathType.of(True, [])
    with pytest.raises(AttributeError, match="immutable"):
        PathType.parse("item").absolute = True  # type: ignore[misc]
    with pytest.raises(TypeError, match=r"PathType\.parse"):
        PathType()


def test_an_instance_has_one_id_per_step() -> None:
    with pytest.raises(PathError, match="2 steps but 1 node ids"):
        PathInstance.of(PathType.parse("/order/item"), (1,))


def test_an_element_is_not_an_attribute_of_that_name() -> None:
    assert PathType.parse("item/@id") is not PathType.parse("item/id")
    assert PathType.parse("item/@id").last == Step(Axis.ATTRIBUTE, "id")
