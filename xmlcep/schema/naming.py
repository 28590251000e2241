"""Names for what is derived: prefixes for namespaces, names for events."""

from __future__ import annotations

import re
from collections.abc import Iterable

from path_types import PathType, Step
from path_types.names import is_ncname

from .model import Schema, local, namespace

XSI = "http://www.w3.org/2001/XMLSchema-instance"
XML = "http://www.w3.org/XML/1998/namespace"

_WORD = re.compile(r"[^\W_]+")


class Prefixes:
    """The prefixes of a rules text, given out as names are used.

    The target namespace is that of unprefixed element names, unless the schema has elements without a
    namespace. Conditions write a prefix in any case, so that they keep their meaning in a text with another
    default.
    """

    def __init__(self, schema: Schema) -> None:
        names = [declaration.name for declaration in schema.declarations]
        self._known: dict[str, str] = {XML: "xml", XSI: "xsi"}
        for prefix, uri in schema.prefixes:
            if prefix and prefix not in ("xmlns", "xml") and is_ncname(prefix):
                self._known.setdefault(uri, prefix)
        self.default = schema.target if schema.target and all(map(namespace, names)) else ""
        self._used: dict[str, str] = {}

    @property
    def namespaces(self) -> dict[str, str]:
        """What has to be declared for the names used so far: prefix -> namespace, "" for the default."""
        default = {"": self.default} if self.default else {}
        return {**default, **{prefix: uri for uri, prefix in self._used.items() if uri != XML}}

    def use(self, path: PathType) -> None:
        """Makes sure that all names of a path can be written."""
        for step in path.steps:
            uri = namespace(step.test)
            if uri and (uri != self.default or not step.is_element):
                self._prefix(uri)

    def in_condition(self, name: str) -> str:
        """A name as an XPath condition writes it."""
        uri = namespace(name)
        if not uri:
            # without a prefix it would be taken for a name of the default namespace
            return (
                f"*[local-name() = '{local(name)}' and namespace-uri() = '']" if self.default else local(name)
            )
        return f"{self._prefix(uri)}:{local(name)}"

    def of_attribute(self, name: str) -> str:
        """The name of an attribute as an XPath condition writes it behind the ``@``."""
        uri = namespace(name)
        return f"{self._prefix(uri)}:{local(name)}" if uri else local(name)

    def _prefix(self, uri: str) -> str:
        prefix = self._used.get(uri)
        if prefix is None:
            taken = set(self._used.values())
            wanted = self._known.get(uri) or ("tns" if uri == self.default else "ns")
            number = 1
            prefix = wanted
            while prefix in taken:
                number += 1
                prefix = f"{wanted}{number}"
            self._used[uri] = prefix
        return prefix


class EventNames:
    """Names of events, each given out once: ``CompleteItem``, ``CompleteItemInOrder``, ``CompleteItem2``."""

    def __init__(self, schema: Schema) -> None:
        self._taken: set[str] = set()
        self._words = {uri: capitalised(prefix) for prefix, uri in schema.prefixes if prefix}
        self._target = schema.target

    def name(self, verb: str, path: PathType) -> str:
        """A new name for the event that says ``verb`` of the elements at ``path``."""
        for wanted in self._wanted(verb, path):
            if wanted not in self._taken:
                break
        return self.unique(wanted)

    def unique(self, wanted: str) -> str:
        """A new name: the one that is wanted, with a number behind it if it is given out already."""
        name, number = wanted, 2
        while name in self._taken:
            name = f"{wanted}{number}"
            number += 1
        self._taken.add(name)
        return name

    def _wanted(self, verb: str, path: PathType) -> Iterable[str]:
        """Names from short to long; they grow by the namespace, then by the ancestors."""
        last = path.last.test
        own = capitalised(local(last))
        ancestors = "".join(f"In{capitalised(local(step.test))}" for step in reversed(path.steps[:-1]))
        if path.absolute and len(path) == 1:
            ancestors = "AsRoot"
        uri = namespace(last)
        word = self._words.get(uri, "") if uri != self._target else ""
        if not ancestors:
            yield verb + own
        elif len(path) > 1:
            yield verb + own + f"In{capitalised(local(path.steps[-2].test))}"
        yield verb + own + ancestors
        yield verb + word + own + ancestors


def capitalised(name: str) -> str:
    """A name in the style of event names.

    >>> capitalised("score-part_wise"), capitalised("partNum")
    ('ScorePartWise', 'PartNum')
    """
    return "".join(word[0].upper() + word[1:] for word in _WORD.findall(name)) or name


def element_path(path: PathType, name: str) -> PathType:
    """The path of the child elements called ``name`` of the elements at ``path``."""
    return path.child(Step.element(name))
