"""Engines of other languages: where they come from, what is refused, what fails (O1, O2)."""

from __future__ import annotations

import pickle
import sys
import types
from collections.abc import Callable
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from typing import Any

import pytest

from xmlcep import Detector, PrimitiveEvent, RuleError, parse_rules
from xmlcep.engine.errors import OpaqueError
from xmlcep.languages import GROUP, DocumentView, registry
from xmlcep.rules import PlainRules, Rules


def event(value: str, ts: int = 1) -> PrimitiveEvent:
    record = {"ts": ts, "op": "ins", "path": "/order/item/@n", "ids": [1, 2, 2 + ts], "value": value}
    return PrimitiveEvent.from_record(record)


class Saying:
    """A language whose texts are all answered alike."""

    needs_document = False

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def compile(self, text: str) -> Callable[..., Any]:
        """What gives the answer, or raises it."""

        def ask(_: PrimitiveEvent, document: DocumentView | None) -> Any:
            assert document is None
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer

        return ask


def rules_saying(answer: object, leaf: str = 'opaque["own", "x"](item/@n)') -> Rules:
    return parse_rules(f"event E = {leaf}", languages={"own": Saying(answer)})


def refusal(text: str, **given: Any) -> RuleError:
    with pytest.raises(RuleError) as caught:
        parse_rules(text, **given)
    return caught.value


@pytest.mark.parametrize("answer", [True, {}, {"length": 1}])
def test_yes(answer: object) -> None:
    assert Detector(rules_saying(answer)).feed(event("7"))


@pytest.mark.parametrize("answer", [False, None])
def test_no(answer: object) -> None:
    assert not Detector(rules_saying(answer)).feed(event("7"))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (ValueError("no such part"), "ValueError: no such part"),
        (KeyError(), "KeyError"),
        ("yes", "returned 'yes', not True, False or a mapping"),
        (1, "returned 1, not True, False or a mapping"),
        ({"x": [1]}, "returned $x = [1]: expected a string, a number or a boolean"),
        ({"ts": 1}, "returned a variable 'ts': expected a name that no event has"),
        ({1: 1}, "returned a variable 1: expected a name that no event has"),
    ],
)
def test_what_fails_never_counts_as_no(answer: object, said: str) -> None:
    with pytest.raises(OpaqueError) as caught:
        Detector(rules_saying(answer)).feed(event("7"))
    assert str(caught.value) == f"event E: own, asked of ins(/order#1/item#2/@n#3) at 1, {said} (O2)"


def test_what_comes_with_the_package_is_an_entry_point() -> None:
    assert {plugin.name: plugin.value for plugin in entry_points(group=GROUP)} == registry._OWN


def test_plugins_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("some_plugin")
    module.ENGINE = Saying(True)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "some_plugin", module)
    plugins = [
        EntryPoint("other", "some_plugin:ENGINE", GROUP),
        EntryPoint("broken", "no_such_module:X", GROUP),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: EntryPoints(plugins))
    rules = parse_rules('event E = opaque["other", "x"](item/@n)')
    assert Detector(rules).feed(event("7"))
    error = refusal('event E = opaque["broken", "x"](item/@n)')
    assert str(error).splitlines()[0] == (
        "<rules>:1:19: event E: the language 'broken' cannot be loaded: No module named 'no_such_module' (O1)"
    )
    assert "did you mean xpath31?" in str(refusal('event E = opaque["xpath30", "x"](item/@n)'))


def test_a_text_that_cannot_be_read_points_at_it() -> None:
    class Strict:
        def compile(self, text: str) -> Any:
            raise ValueError("expected 'yes'\nor 'no'")

    error = refusal('event E = ins(a) ; opaque["own", "maybe"](a/@n)', languages={"own": Strict()})
    assert str(error) == (
        "<rules>:1:35: event E: own cannot read this: expected 'yes' or 'no' (O1)\n"
        '  event E = ins(a) ; opaque["own", "maybe"](a/@n)\n'
        "                                    ^^^^^"
    )


def test_what_is_made_of_a_text_must_be_a_question() -> None:
    class Odd:
        def compile(self, text: str) -> Any:
            return 5

    assert "own made 5 of this, which cannot be called" in str(
        refusal('event E = opaque["own", "x"](a)', languages={"own": Odd()})
    )


@pytest.mark.parametrize("name", ["ts", "a b", "x"])
def test_variables_that_cannot_be_bound(name: str) -> None:
    class Binding:
        def compile(self, text: str) -> Any:
            question = Saying(True).compile(text)
            question.variables = (name,)  # type: ignore[attr-defined]
            return question

    text = 'event E = opaque["own", "x"](a/@n) as $x'
    assert f"own binds ${name}, which is not a name or has a value already" in str(
        refusal(text, languages={"own": Binding()})
    )


def test_names_that_are_not_declared_are_known_when_they_are_returned() -> None:
    leaf = 'opaque["own", "x"](item/@n)[$length > 3]'
    assert Detector(rules_saying({"length": 4}, leaf)).feed(event("7"))
    assert not Detector(rules_saying({"length": 3}, leaf)).feed(event("7"))
    assert not Detector(rules_saying(True, leaf)).feed(event("7"))  # it has no value


# Python


def test_python_has_to_be_allowed() -> None:
    text = 'event E = opaque["python", "tests.spec.languages:odd"](item/@n)'
    error = refusal(text)
    assert str(error).splitlines()[0] == (
        "<rules>:1:19: event E: the language 'python' is not allowed: its texts can do anything, and rules are "
        "data (O2)"
    )
    assert (
        error.problems[0].hint
        == "if you trust these rules: --allow python, or load_rules(…, allow=('python',))"
    )
    assert "not allowed" in str(refusal(text, allow=("xpath31",)))
    rules = parse_rules(text, allow=("python",))
    assert [bool(Detector(rules).feed(event(value))) for value in ("7", "8")] == [True, False]
    for copy in (pickle.loads(pickle.dumps(rules)), PlainRules.of(rules).parse(), rules.part({"E"})):
        assert Detector(copy).feed(event("7"))


def test_nothing_is_imported_that_is_not_allowed() -> None:
    sys.modules.pop("this", None)
    refusal('event E = opaque["python", "this:x"](item/@n)')
    assert "this" not in sys.modules


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tests.spec.languages", "'tests.spec.languages' is not a function: write module:function"),
        (":odd", "':odd' is not a function: write module:function"),
        ("no_such_module:x", "No module named 'no_such_module'"),
        ("tests.spec.languages:even", "the module tests.spec.languages has no even"),
        ("tests.spec.languages:LANGUAGES", "which cannot be called"),
    ],
)
def test_python_functions_that_there_are_not(text: str, said: str) -> None:
    assert said in str(refusal(f'event E = opaque["python", "{text}"](item/@n)', allow=("python",)))


def test_a_class_can_be_named_by_its_path() -> None:
    text = 'event E = opaque["python", "tests.languages.questions:Parity.odd"](item/@n)'
    assert Detector(parse_rules(text, allow=("python",))).feed(event("7"))


# XPath 3.1


@pytest.mark.parametrize(
    "call",
    [
        "doc('x')", "doc-available('x')", "collection()", "unparsed-text('x')", "json-doc('x')",
        "environment-variable('HOME')", "parse-xml('<a/>')", "current-dateTime()", "current-date()",
        "random-number-generator()", "replace(., '(a+)+$', '')", "tokenize(., 'a')", "analyze-string(., 'a')",
        "fn:doc('x')", "transform(map{})", "load-xquery-module('x')", "doc#1('x')", "let $d := doc#1 return $d('x')",
        "uri-collection()", "available-environment-variables()", "trace(1)", "unparsed-text-lines('x')",
    ],
)  # fmt: skip
def test_what_xpath31_does_not_have(call: str) -> None:
    assert "is not there: see what xpath31 leaves out" in str(
        refusal(f'event E = opaque["xpath31", "{call}"](item/@n)')
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 +", "unexpected end of source"),
        ("price[", "unexpected end of source"),
        ("nothing(1)", "unknown function"),
        (
            "$price > 3",
            "the unknown variable $price: there are $old, $new, $op, $ts, $at, $doc, $txn and $meta:NAME",
        ),
        ("function-lookup(xs:QName('fn:doc'), 1)('x')", "an XPath function expected"),
    ],
)
def test_xpath31_that_cannot_be_read(text: str, said: str) -> None:
    assert said in str(refusal(f'event E = opaque["xpath31", "{text}"](item/@n)'))


def test_a_text_may_speak_of_what_is_not_there() -> None:
    parse_rules('event E = opaque["xpath31", "contains(., \'doc(x)\')"](item/@n)')


def test_patterns_of_xpath31_take_linear_time() -> None:
    rules = parse_rules('event E = opaque["xpath31", "matches(., \'^(a+)+$\')"](item/@n)')
    detector = Detector(rules)
    detector.feed(PrimitiveEvent.from_record({"ts": 1, "op": "ins", "path": "/order", "ids": [1]}))
    detector.feed(PrimitiveEvent.from_record({"ts": 2, "op": "ins", "path": "/order/item", "ids": [1, 2]}))
    assert not detector.feed(event("a" * 5000 + "b", ts=3))


def test_an_error_of_xpath31_is_one() -> None:
    rules = parse_rules('event E = opaque["xpath31", "xs:integer(.) > 3"](item/@n)')
    detector = Detector(rules)
    for ts, path, ids in ((1, "/order", [1]), (2, "/order/item", [1, 2])):
        detector.feed(PrimitiveEvent.from_record({"ts": ts, "op": "ins", "path": path, "ids": ids}))
    assert detector.feed(event("7", ts=3))
    with pytest.raises(OpaqueError, match=r"event E: xpath31, asked of ins\(/order#1/item#2/@n#6\) at 4, "):
        detector.feed(event("x", ts=4))


def test_xpath31_of_a_node_that_the_document_does_not_have_is_a_no() -> None:
    detector = Detector(parse_rules('event E = opaque["xpath31", "true()"](item/@n)'))
    assert not detector.feed(event("7", ts=3))  # nobody has told of its item


def test_a_variable_of_xpath31_has_one_value() -> None:
    rules = parse_rules("""event E = opaque["xpath31", "map{'all': (1, 2)}"](item/@n)""")
    detector = Detector(rules)
    for ts, path, ids in ((1, "/order", [1]), (2, "/order/item", [1, 2])):
        detector.feed(PrimitiveEvent.from_record({"ts": ts, "op": "ins", "path": path, "ids": ids}))
    with pytest.raises(OpaqueError, match=r"a variable has one value, not a sequence: use string-join\(\)"):
        detector.feed(event("7", ts=3))
