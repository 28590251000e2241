"""Calls of everything that lxml has, whoever thought of it: methods, functions and classes are read from its modules.

What calls return is kept and called in turn: iterators that are half done when the document changes, smart strings,
attributes, results of transformations, other trees of the same nodes. Arguments are chosen by the names of parameters,
or at random (`call_arguments`). Every event must be told; what lxml's C code edits by itself is observed.
"""

from __future__ import annotations

import copy
import functools
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import lxml.html
import lxml.html.builder
import lxml.html.diff
import lxml.html.formfill
from lxml import ElementInclude, builder, cssselect, etree, isoschematron, objectify, sax

from tests.wrapping.call_arguments import Arguments
from tests.wrapping.vocabulary import REFUSALS, WRAPPING
from xmlcep.errors import XmlCepError
from xmlcep.wrapping import UnseenEditError
from xmlcep.wrapping.lxml_access import ContentOnly
from xmlcep.wrapping.shadow.shadow import Tracked

if TYPE_CHECKING:
    from tests.wrapping.mutator import Mutator

MODULES = (
    etree, objectify, builder, cssselect, sax, ElementInclude, isoschematron, lxml.html, lxml.html.diff,
    lxml.html.formfill, lxml.html.builder,
)  # fmt: skip
LEFT_OUT = {
    "dump", "open_in_browser", "submit_form", "open_http_urllib", "set_default_parser", "set_element_class_lookup",
    "use_global_python_log", "set_pytype_attribute_tag", "enable_recursive_str",
    "enableRecursiveStr", "register_namespace", "PyErrorLog", "adopt_external_document",
    "set_global_max_depth", "main",
}  # fmt: skip
"""They change lxml for everybody, write to the screen, or ask the network."""
FREEING = {"xinclude", "XInclude"}
"""They free nodes that Python objects stand for (docs/wrapping.md)."""
BY_ITSELF = {
    "strip_tags", "strip_elements", "strip_attributes", "indent", "annotate", "deannotate", "xsiannotate", "pyannotate",
    "setattr", "addattr",
}  # fmt: skip
"""They edit in C, which nobody sees who does not observe it."""
DUNDERS = {
    "__setitem__", "__delitem__", "__getitem__", "__iter__", "__next__", "__len__", "__contains__", "__copy__",
    "__deepcopy__", "__call__", "__reversed__", "__bool__", "__enter__", "__exit__", "__eq__", "__or__", "__ior__",
    "__setattr__", "__getattr__", "__delattr__", "__repr__", "__str__", "__add__", "__isub__", "__iand__", "__ixor__",
    "__reduce__", "__reduce_ex__", "__sizeof__", "__dir__", "__hash__",
}  # fmt: skip
FAILURES = (AssertionError, LookupError, RuntimeError, UnboundLocalError)
"""What the wrapper itself may fail with,"""
PASSING_ON = {"__getitem__", "<lambda>"}
"""but where it says what lxml does."""
KEPT = {
    "lxml.etree", "lxml.objectify", "lxml.sax", "lxml.html", "lxml.builder", "lxml.isoschematron", "lxml.html.formfill",
    "xmlcep.wrapping.calls.attributes", "xmlcep.wrapping.calls.lxml_methods",
}  # fmt: skip
"""Where the classes are defined whose objects are called later."""


@cache
def _public() -> tuple[tuple[Callable[..., Any], ...], ...]:
    """The functions and classes of lxml's modules."""
    return tuple(
        tuple(
            each
            for name, each in vars(module).items()
            if callable(each)
            and not name.startswith("__")
            and name not in LEFT_OUT | FREEING
            and not (isinstance(each, type) and issubclass(each, (BaseException, etree._BaseErrorLog)))
        )
        for module in MODULES
    )


@cache
def _members(kind: type) -> tuple[str, ...]:
    """What an object has to be called or set; of a wrapped tree's what a plain one's has."""
    names = [name for name in dir(kind) if not name.startswith("__") or name in DUNDERS]
    return tuple(name for name in names if "pyx" not in name and name not in LEFT_OUT | FREEING)


class EveryCall:
    """What the edits of a mutator may be: any call of anything, with anything."""

    def __init__(self, edits: Mutator) -> None:
        self.m = edits
        self.given = Arguments(edits)
        self.said = ""
        self.calls: list[Callable[[], Any]] = [self.every]

    def every(self) -> str:
        """One call, or one assignment; what it is refused with, if it is, is nothing but lxml's own or says why."""
        self.said = ""
        try:
            self.once()
        except XmlCepError as error:
            if isinstance(error, UnseenEditError):
                raise AssertionError(f"{self.said}: comes upon what nobody has seen") from error
            if not isinstance(error, REFUSALS):
                raise
            self.said += f": {type(error).__name__}"
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            if (
                isinstance(error, FAILURES)
                and where.filename.startswith(WRAPPING)
                and where.name not in PASSING_ON
            ):
                raise AssertionError(f"{self.said}: fails in the wrapper") from error
            self.said += f": {type(error).__name__}"
        return self.said

    def once(self) -> Any:
        """One call, or one assignment."""
        random = self.m.random
        if random.random() < 0.25:
            call = random.choice(random.choice(_public()))
            name = str(getattr(call, "__name__", call))
        else:
            it = self.any_object()
            plain = next((kind for kind in type(it).__mro__ if kind.__module__.startswith("lxml")), type(it))
            name = random.choice(_members(plain) or ("__repr__",))
            if name in ("text", "tail", "tag", "base", "target", "attrib") or (
                not callable(getattr(plain, name, None)) and random.random() < 0.7
            ):
                self.said = f"{plain.__name__}.{name} ="
                setattr(it, name, self.given.argument(name))
                return self.said
            call = getattr(it, name)
            name = f"{plain.__name__}.{name}"
        if not callable(call):
            self.keep(call)
            return self.said
        positional, named = self.given.for_call(call)
        self.said = f"{name}({', '.join(repr(each)[:60] for each in positional)} {', '.join(named)})"
        if name.endswith("extend") and isinstance(call.__self__, ContentOnly):
            return self.said  # lxml 6.1 would damage the tree
        if name.endswith("extend"):  # by what goes on as long as there are children: for ever
            positional = [islice(each, 20) if hasattr(each, "__iter__") else each for each in positional]
        it = getattr(call, "__self__", None)
        unseen = self.goes_unseen(call, name)
        if unseen or (isinstance(it, etree._Element) and not isinstance(it, Tracked)):
            # The root of a document, taken by somebody whom nobody sees, is refused until it is taken out again.
            roots = set(self.m.roots)
            positional = [
                copy.deepcopy(each) if isinstance(each, etree._Element) and each in roots else each
                for each in positional
            ]
        if not unseen:
            self.keep(call(*positional, **named))
            return self.said
        self.given.depth = 9  # observe() inside observe() is refused
        try:
            with ExitStack() as stack:
                for document in self.m.documents:
                    stack.enter_context(document.observe())
                self.keep(call(*positional, **named))
        finally:
            self.given.depth = 0
        return self.said

    def goes_unseen(self, call: Any, name: str) -> bool:
        """Whether C code edits, or an element takes nodes that is of a class of its own and in no document."""
        it = getattr(call, "__self__", None)
        element = isinstance(it, etree._Element) and not isinstance(it, Tracked)
        return (
            name.rsplit(".", 1)[-1] in BY_ITSELF
            or (element and not any(it in set(root.iter()) for root in self.m.roots))
            or isinstance(call, (builder.ElementMaker, functools.partial))
            or type(call).__module__.startswith("lxml.objectify")
            or (isinstance(call, type) and issubclass(call, etree._Element) and not issubclass(call, Tracked))
        )

    def keep(self, found: Any) -> None:
        """Something a call has returned; iterators go on later."""
        if isinstance(found, (list, tuple, dict)) and found:
            found = self.m.random.choice(list(found))
        if isinstance(found, etree._Element) and not isinstance(found, Tracked) and self.m.documents:
            return
        if type(found).__module__ in KEPT or hasattr(found, "__next__"):
            self.given.kept = [*self.given.kept[-12:], found]

    # --- choosing

    def any_object(self) -> Any:
        """One whose method is called: mostly a node of the tree, or what a call has returned."""
        random = self.m.random
        kind = random.randrange(10)
        if kind < 3:
            return self.m.element()
        if kind < 7 and self.given.kept:
            return random.choice(self.given.kept)
        if kind == 7:
            return self.m.element().attrib
        if kind == 8:
            return random.choice([*self.m.root.iter()])
        return self.m.root.getroottree()
