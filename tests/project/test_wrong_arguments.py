"""Every public call with every wrong kind of argument: a sentence, never an accident of the inside."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import xmlcep
from path_types import PathType
from xmlcep.actions import triggering_graph
from xmlcep.auditing.explanations import pending, why, why_not
from xmlcep.errors import ArgumentError
from xmlcep.recording.recorder import Recording
from xmlcep.versions.difference import Difference
from xmlcep.wrapping.acting.active_rules import ActiveRules
from xmlcep.wrapping.watches import Watch
from xmlcep.xpath import compile_expression

RULES = "event Both = ins(item/price) & ins(item/quantity)\n"
SCHEMA = (
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="item"><xs:complexType><xs:sequence>'
    '<xs:element name="price" type="xs:decimal"/></xs:sequence></xs:complexType></xs:element></xs:schema>'
)
ACTING = xmlcep.parse_rules("rule Seen on (ins(item)) do set '@seen' = '1'")
EVENT = xmlcep.PrimitiveEvent(1, "ins", PathType.parse("/order/item/price"), (1, 2, 3), pos=0, doc="d")
FINDING = xmlcep.Detector(xmlcep.parse_rules("event One = ins(item/price)")).feed(EVENT)[0]

pytestmark = pytest.mark.filterwarnings("ignore:Truth-testing of elements")

# What a slip of the hand gives: nothing, a number, a text for a list, a value for a function, and so on.
WRONG: tuple[Any, ...] = (
    None, 0, -1, 2.5, True, "nope", "", b"x", [], [None], {}, {"x": 1}, {1: None}, object(), str, {1}, (1, 2),
    etree.Element("e"), "\ud800", "\0", 10**30, float("nan"), datetime(2020, 1, 1), (each for each in ()),
)  # fmt: skip

INTERNAL = {
    "Document.attach", "Document.detach", "Watch.stream", "Detector.elsewhere",
    "Detector.concerns", "Detector.set_clock", "Replica.add", "Replica.environment", "Replica.environment_in_tree",
    "Recording.continue_watch", "Recording.past", "Recording.write_control",
    "Rules.takes_external", "PathType.child", "PathType.of",
}  # fmt: skip
"""What parts of xmlcep call of each other."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a document, rules, a schema and a log."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.xml").write_text("<order><item/></order>")
    (tmp_path / "e.xml").write_text("<order><item/><item/></order>")
    (tmp_path / "r.xcep").write_text(RULES)
    (tmp_path / "x.xsd").write_text(SCHEMA)
    document = xmlcep.fromstring("<order><item/></order>")
    with document, xmlcep.record(document, tmp_path / "log.jsonl"):
        etree.SubElement(document.root[0], "price")
    return tmp_path


def functions(place: Path) -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """The public functions and classes, with arguments that are right."""
    rules, numbers = xmlcep.parse_rules(RULES), iter(range(10**6))
    log, schema = place / "log.jsonl", place / "x.xsd"

    def record(doc: Any = None, path: Any = None, **options: Any) -> None:
        new = xmlcep.fromstring("<order/>")
        given = new if doc is None else doc
        xmlcep.record(given, place / f"{next(numbers)}.jsonl" if path is None else path, **options).close()

    def history(path: Any = None, out: Any = None, **options: Any) -> None:
        path, out = path or [place / "d.xml", place / "e.xml"], out or place / f"{next(numbers)}.jsonl"
        xmlcep.history(path, out, **options)

    return {
        "audit": (xmlcep.audit, {"logs": log, "rules": rules, "engine": "local"}),
        "blame": (xmlcep.blame, {"log": log}),
        "history": (history, {}),
        "report": (xmlcep.report, {"logs": log, "rules": rules, "out": place / "page.html"}),
        "check_rules": (xmlcep.check_rules, {"rules": rules, "schema": schema}),
        "combine": (xmlcep.combine, {"derived": xmlcep.derive(schema), "text": ""}),
        "derive": (xmlcep.derive, {"schema": schema}),
        "diff": (xmlcep.diff, {"old": place / "d.xml", "new": place / "d.xml"}),
        "fromstring": (xmlcep.fromstring, {"text": "<a/>"}),
        "load_rules": (xmlcep.load_rules, {"path": place / "r.xcep"}),
        "parse": (xmlcep.parse, {"source": place / "d.xml"}),
        "parse_rules": (xmlcep.parse_rules, {"text": RULES}),
        "read_log": (xmlcep.read_log, {"source": log}),
        "rebuild": (xmlcep.rebuild, {"log": log}),
        "record": (record, {}),
        "recover": (xmlcep.recover, {"log": log}),
        "wrap": (xmlcep.wrap, {"tree": etree.fromstring("<a/>")}),
        "Detector": (xmlcep.Detector, {"rules": rules}),
        "Replica": (xmlcep.Replica, {}),
        "Rules.from_definitions": (xmlcep.Rules.from_definitions, {"definitions": rules.definitions}),
        "triggering_graph": (triggering_graph, {"triggers": ACTING.triggers}),
        "compile_expression": (compile_expression, {"text": "price > 3"}),
        "pending": (pending, {"logs": log, "rules": rules}),
        "why": (why, {"logs": log, "rules": rules, "finding": 1}),
        "why_not": (why_not, {"logs": log, "rules": rules, "event": "Both"}),
    }


METHODS: dict[str, dict[str, Any]] = {
    "Detector.from_state": {
        "rules": xmlcep.parse_rules(RULES), "state": xmlcep.Detector(xmlcep.parse_rules(RULES)).to_state(),
    },
    "Replica.from_snapshot": {"xml_text": "<a/>", "ids": [1]},
    "Replica.from_state": {"state": xmlcep.Replica().to_state()},
    "Rules.from_definitions": {"definitions": ()}, "PathType.parse": {"text": "a"},
    "Recording.watch": {"rules": xmlcep.parse_rules(RULES)}, "Recording.replace": {"rules": xmlcep.parse_rules(RULES)},
    "Document.advance": {"time": 1}, "Document.element": {"of": 1}, "Document.resume": {"ids": [1, 2], "clock": 0},
    "Document.rules": {"rules": ACTING}, "Document.signal": {"event": "A", "node": None},
    "Document.subscribe": {"callback": len}, "Document.update_to": {"new": "d.xml"},
    "Document.watch": {"rules": xmlcep.parse_rules(RULES)}, "Watch.advance": {"time": 1},
    "Watch.why": {"finding": FINDING}, "Watch.why_not": {"event": "Both"}, "Detector.why": {"finding": FINDING},
    "Detector.advance": {"time": 1}, "Detector.replay": {"events": [EVENT]},
    "Detector.feed": {"event": EVENT}, "Detector.replace": {"rules": xmlcep.parse_rules(RULES)},
    "Watch.replace": {"rules": xmlcep.parse_rules(RULES)}, "ActiveRules.replace": {"rules": ACTING},
    "Watch.can_still_raise": {"event": "Both", "node": 1}, "Detector.can_still_raise": {"event": "Both", "node": 1},
    "Detector.why_not": {"event": "Both"}, "Replica.apply": {"event": EVENT},
}  # fmt: skip
"""Arguments that are right, of the methods that need some beside the one that is wrong."""


NUMBERS = iter(range(10**6))
OBJECTS: dict[type, Callable[[], Any]] = {
    xmlcep.Document: lambda: xmlcep.fromstring("<order><item/></order>"),
    Watch: lambda: xmlcep.fromstring("<order><item/></order>").watch(xmlcep.parse_rules(RULES)),
    Recording: lambda: xmlcep.record(xmlcep.fromstring("<order/>", name="d"), f"{next(NUMBERS)}.jsonl"),
    ActiveRules: lambda: xmlcep.fromstring("<order/>").rules(ACTING),
    xmlcep.Detector: lambda: xmlcep.Detector(xmlcep.parse_rules(RULES)),
    xmlcep.Replica: xmlcep.Replica,
    xmlcep.Rules: lambda: xmlcep.parse_rules(RULES),
    Difference: lambda: xmlcep.diff("d.xml", "d.xml"),
    xmlcep.AuditResult: lambda: xmlcep.audit("log.jsonl", xmlcep.parse_rules(RULES), engine="local"),
    PathType: lambda: PathType.parse("a/b"),
}


def methods() -> Iterator[tuple[str, Callable[[], Any]]]:
    """The public methods, each of a new object every time."""
    for kind, make in OBJECTS.items():
        for name, member in inspect.getmembers(kind, inspect.isroutine):
            known = f"{kind.__name__}.{name}"
            if not name.startswith("_") and member.__module__ and known not in INTERNAL:
                yield known, lambda make=make, name=name: getattr(make(), name)


def refused(make: Callable[[], Any], right: dict[str, Any], parameter: inspect.Parameter, value: Any) -> bool:
    """Whether a call with one argument that is wrong is refused with a sentence; raises what else it raises."""
    arguments = {**right, parameter.name: value}
    call = make()
    first = [
        name for name, each in inspect.signature(call).parameters.items() if each.kind is each.POSITIONAL_ONLY
    ]
    positional = [arguments.pop(name) for name in first]
    if parameter.kind is parameter.VAR_POSITIONAL:
        positional = [*arguments.values()]
        arguments = {}
    try:
        result = call(*positional, **arguments)
        if hasattr(result, "__iter__") and not isinstance(result, etree._Element):
            list(result)
    except (xmlcep.XmlCepError, OSError) as error:  # OSError: of files that are not there
        assert str(error)
        return True
    return False


def check_all(make: Callable[[], Any], right: dict[str, Any], called: Any) -> int:
    """Tries every argument with every wrong value; returns how many were refused."""
    count = 0
    for parameter in inspect.signature(called).parameters.values():
        if parameter.kind is not parameter.VAR_KEYWORD:
            count += sum(refused(make, right, parameter, value) for value in WRONG)
    return count


def test_functions(place: Path) -> None:
    for name, (function, right) in functions(place).items():
        called = xmlcep.record if name == "record" else function
        assert check_all(lambda function=function: function, right, called) or name == "Replica", name


@pytest.mark.parametrize(
    ("name", "make"), list(methods()), ids=lambda each: each if isinstance(each, str) else ""
)
def test_methods(name: str, make: Callable[[], Any], place: Path) -> None:
    check_all(make, METHODS.get(name, {}), make())


@pytest.mark.parametrize(("call", "said"), [
    (lambda: xmlcep.fromstring(None), "fromstring(): text is None: expected XML as text or bytes"),
    (lambda: xmlcep.fromstring("<a/>", now=5), "a document: now is 5: expected a function"),
    (lambda: xmlcep.fromstring("<a/>", name=b"a"), "a document: name is b'a': expected text"),
    (lambda: xmlcep.Detector(xmlcep.parse_rules(RULES)).feed({"op": "ins"}),
     "feed(): event is {'op': 'ins'}: expected a PrimitiveEvent"),
    (lambda: xmlcep.Detector(xmlcep.parse_rules(RULES), trees=3), "a detector: trees is 3: expected a list of names"),
    (lambda: xmlcep.fromstring("<a/>").watch(xmlcep.parse_rules(RULES), keep="x"),
     "watch(): keep is 'x': expected a whole number from 0 on, or None"),
    (lambda: xmlcep.wrap(etree.Element("a"), clock="1"), "wrap(): clock is '1': expected a whole number from 0 on"),
    (lambda: xmlcep.rebuild(""), "a log: path is '': expected the path of a file"),
    (lambda: xmlcep.rebuild("\udcff"), "a log: path is '\\udcff': expected the path of a file; the name is not UTF-8"),
    (lambda: xmlcep.rebuild("a\0b"), "a log: path is 'a\\x00b': expected the path of a file; a name has no null byte"),
    (lambda: xmlcep.recover(b"a"), "recover(): log is b'a': expected the path of a file as text: os.fsdecode()"),
])  # fmt: skip
def test_what_is_said(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        call()
    assert str(caught.value).startswith(said)
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, xmlcep.XmlCepError)
