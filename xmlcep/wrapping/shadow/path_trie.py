"""The path types of a wrapped document, each found by its parent's and a plain name."""

from __future__ import annotations

from path_types import PathType, Step

from ..xml_validity import check_name

_TEXT = Step.text()


class PathTrie:
    """A path type with the path types below it at hand, by plain names; one per document and path.

    ``name`` is that of its elements.
    """

    __slots__ = ("attributes", "children", "name", "path", "text")

    def __init__(self, path: PathType) -> None:
        self.path = path
        self.name = path.last.test
        self.text = path.child(_TEXT)
        self.children: dict[str, PathTrie] = {}
        self.attributes: dict[str, PathType] = {}

    def child(self, name: str) -> PathTrie:
        """That of child elements called ``name``; raises `RefusedError` for what is not XML name."""
        known = self.children.get(name)
        if known is None:
            check_name(name, "element")
            known = self.children[name] = PathTrie(self.path.child(Step.element(name)))
        return known

    def attribute(self, name: str) -> PathType:
        """The path type of the attribute called ``name``; raises `RefusedError` for what is not XML name."""
        known = self.attributes.get(name)
        if known is None:
            check_name(name, "attribute")
            known = self.attributes[name] = self.path.child(Step.attribute(name))
        return known
