"""Rules P3 to P6 and P8, as rows of text: the examples of the rules, and the borders around them.

Each row holds for `path_types` and for the relations of the reference evaluator.
"""

from __future__ import annotations

from types import ModuleType

import pytest

import path_types
from path_types import PathInstance, PathType
from tests.reference import relations

BOTH = pytest.mark.parametrize("module", [path_types, relations], ids=["path_types", "reference"])


def rows(table: str) -> list[list[str]]:
    """The rows of a text table, cells divided by ``|``."""
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


def path(text: str) -> PathType | None:
    """The path type written so; ``null`` is None."""
    return None if text == "null" else PathType.parse(text)


CONTAINMENT = """
item/price  | /order/item/price | yes
order/item  | /order/item/price | yes
/order      | order/item        | no
item        | /item/item/x      | no
item        | /order/item       | yes
/order      | /order/item       | yes
/item       | /order/item       | no
/order/item | /order/item       | no
order/item  | /order/item       | yes
order/item  | order/item        | no
order       | order/item        | yes
item        | order/item        | yes
item/order  | order/item        | no
order/item  | item              | no
item        | item/item         | no
item/item   | /item/item/item   | no
item/item   | /item/item/x      | yes
/item       | /item/item        | yes
@partNum    | item/@partNum     | yes
partNum     | item/@partNum     | no
text()      | price/text()      | yes
null        | item              | no
item        | null              | no
"""


@BOTH
@pytest.mark.parametrize(("part", "whole", "expected"), rows(CONTAINMENT))
def test_containment_p3(module: ModuleType, part: str, whole: str, expected: str) -> None:
    if module is path_types:
        contained = path_types.contains(path(whole), path(part))
    else:
        contained = relations.contained(path(part), path(whole))
    assert contained is (expected == "yes")


ENDING = """
item/price        | /order/item/price | yes
price             | item/price        | yes
order/item        | /order/item/price | no
order/item        | /order/item       | yes
order/item        | order/item        | no
/order/item       | /order/item       | no
item              | /item/item        | yes
/item             | /order/item       | no
price/text()      | item/price/text() | yes
@partNum          | item/partNum      | no
order/item        | item              | no
null              | item              | no
item              | null              | no
"""


@BOTH
@pytest.mark.parametrize(("part", "whole", "expected"), rows(ENDING))
def test_ending_p4(module: ModuleType, part: str, whole: str, expected: str) -> None:
    assert module.ends(path(part), path(whole)) is (expected == "yes")


LEFT_BOUND = """
order/item      | /order/billTo       | /order
item/@partNum   | item                | item
order           | item                | null
/order/item     | /order/item/price   | /order/item
order/item      | order/item          | order/item
order/item      | /order/item         | /order/item
item/price      | item/price/text()   | item/price
item/@partNum   | item/partNum        | item
/order          | /item               | null
null            | item                | null
"""


@BOTH
@pytest.mark.parametrize(("first", "second", "expected"), rows(LEFT_BOUND))
def test_left_bound_intersection_p5(module: ModuleType, first: str, second: str, expected: str) -> None:
    assert module.left_bound_intersection(path(first), path(second)) is path(expected)
    assert module.left_bound_intersection(path(second), path(first)) is path(expected)


ABSOLUTE_PATH = """
item        | /order/item/price | /order/item
item        | /order            | null
/order      | /order/item       | /order
/order/item | /order/item       | /order/item
price       | /order/item/price | /order/item/price
item/price  | /order/item/price | /order/item/price
order       | order/item        | /order
item        | item              | /item
item        | /item/item        | null
null        | /order            | null
item        | null              | null
"""


@BOTH
@pytest.mark.parametrize(("part", "whole", "expected"), rows(ABSOLUTE_PATH))
def test_absolute_path_intersection_p6(module: ModuleType, part: str, whole: str, expected: str) -> None:
    assert module.absolute_path_intersection(path(part), path(whole)) is path(expected)


# path type | ids | projected on | gives | with these ids
PROJECTION = """
/order/item/price | 1 5 9 | item        | item        | 5
/order/item       | 1 5   | /order      | /order      | 1
/order            | 1     | item        | null        |
/order/item/price | 1 5 9 | order/item  | order/item  | 1 5
/order/item/price | 1 5 9 | item/price  | item/price  | 5 9
/order/item       | 1 5   | /order/item | /order/item | 1 5
/order/item       | 1 5   | order/item  | order/item  | 1 5
/item/item        | 1 5   | item        | null        |
/item/item        | 1 5   | /item       | /item       | 1
order/item        | 1 5   | item        | item        | 5
order/item        | 1 5   | /order      | null        |
/order/item       | 1 5   | null        | null        |
"""


@BOTH
@pytest.mark.parametrize(("given", "ids", "onto", "expected", "expected_ids"), rows(PROJECTION))
def test_projection_p8(
    module: ModuleType, given: str, ids: str, onto: str, expected: str, expected_ids: str
) -> None:
    instance = PathInstance.of(PathType.parse(given), tuple(map(int, ids.split())))
    wanted = path(expected)
    parts = tuple(map(int, expected_ids.split()))
    assert module.project(path(onto), instance) == (None if wanted is None else PathInstance(wanted, parts))


@BOTH
def test_null_passes_through_projection_p9(module: ModuleType) -> None:
    assert module.project(PathType.parse("item"), None) is None
