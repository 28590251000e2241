"""What an expression is about: the kinds of values, of its context node, and how far it sees."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias


class VariableKind(Enum):
    """What a variable holds, and what an expression gives. Any but a list and nodes can be missing (None)."""

    STRING = "a string"
    NUMBER = "a number"
    BOOLEAN = "true or false"
    VALUE = "one value"
    """A string, a number or a boolean: which is known when it is evaluated."""
    LIST = "a list of values"
    """Values in order (V5). In an expression it is a node-set with a text node for each."""
    NODES = "nodes"
    """As a variable: the root node of a reference document (V8)."""
    ELEMENTS = "elements"
    """Of a variable: elements of the document itself (``$delta`` of a rule, L1)."""
    TEXTS = "text nodes"
    """Likewise; the variable has the elements that they are in."""
    ATTRIBUTES = "attributes"
    """Likewise."""

    @property
    def is_list(self) -> bool:
        """Whether it is a node-set to XPath: it can be counted, filtered and added up."""
        return self in (VariableKind.LIST, VariableKind.NODES)

    @property
    def is_of_document(self) -> bool:
        """Whether a variable of this kind has nodes of the document that expressions are asked of."""
        return self in (VariableKind.ELEMENTS, VariableKind.TEXTS, VariableKind.ATTRIBUTES)


Variables: TypeAlias = Mapping[str, VariableKind]
"""What an expression may refer to: names without the ``$``, such as ``old`` or ``meta:user``."""


Known: TypeAlias = Mapping[str, "VariableKind | float | str"]
"""The same with names that have one value for good (V9): a number or a text in place of the kind."""


class NodeKind(Enum):
    """What the context node of an expression is."""

    ELEMENT = "element"
    TEXT = "text node"
    ATTRIBUTE = "attribute"
    NONE = "none"
    """There is none, and no document: location paths have nowhere to start."""

    __hash__ = object.__hash__  # members are single objects; that of Enum is a call in Python


class Scope(Enum):
    """What an expression with an element as its context node sees."""

    SUBTREE = "subtree"
    """The element is the root of all it sees (D4, U2): absolute paths start at it, ``..`` of it is empty."""
    DOCUMENT = "document"
    """The whole document (F1)."""
    LIVE = "live document"
    """The whole document as an application has it: it may have comments and processing instructions, which are passed
    over."""
