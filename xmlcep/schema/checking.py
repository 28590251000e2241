"""Rules that can never match documents of a schema, and values in their conditions that these never have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..checking import checks
from ..errors import RuleProblem
from ..rules import Rules
from .combining import require_rules
from .deriving import open_schema
from .ground import SchemaGround
from .loading import Locations
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from xmlschema import XMLSchema10

_LOCATION = "nothing is fetched from the network; give the file of a namespace with --location NAMESPACE=FILE"


def check_rules(
    rules: Rules, schema: str | Path | XMLSchema10, *, locations: Locations | None = None
) -> list[RuleProblem]:
    """What in the rules can never occur in valid documents of the schema, with the nearest that can.

    Found are paths that no node can have, operands that are never at or below the node that their operator joins events
    of, names in conditions and filters that nothing they look at has, updates of elements (which have no value), uses
    of events at paths at which they are never raised, and what can never match whatever the schema (`impossible`).
    Of action rules: names in what they ask, and where they act.
    The rules themselves are right. A bound of the schema, such as maxOccurs, limits what is there at once, not what
    happens, as a deletion can lie between: more insertions than it are no problem here (`check_values` says it).
    Values that no node has are not among them (`check_values`).
    Raises `SchemaError` for a schema that cannot be read, `TypeError` for rules that are none.
    """
    return check_names_and_values(rules, schema, locations=locations)[0]


def check_values(
    rules: Rules, schema: str | Path | XMLSchema10, *, locations: Locations | None = None
) -> list[RuleProblem]:
    """Comparisons in conditions, filters and the like that are the same for all values that valid documents have, and
    counts that are more than there may be at once.

    Such are those with a text that is not a value of the type (its enumeration, pattern, length, lexical form, a fixed
    value), or with a number outside of its range. A text is taken as a whole, not parted by comments.

    No mistakes by themselves: rules may look for documents that are not valid. Raises what `check_rules` raises.
    """
    return check_names_and_values(rules, schema, locations=locations)[1]


def check_names_and_values(
    rules: Rules, schema: str | Path | XMLSchema10, *, locations: Locations | None = None
) -> tuple[list[RuleProblem], list[RuleProblem]]:
    """What `check_rules` says, and what `check_values` says."""
    require_rules(rules)
    read = open_schema(schema, locations)
    problems, of_values = checks.check_rules(rules, SchemaGround(Vocabulary(read)))
    missing = [RuleProblem(f"of the schema something is missing: {note}", _LOCATION) for note in read.notes]
    return [*missing, *problems] if problems else [], [*missing, *of_values]
