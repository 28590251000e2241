"""Errors come out of another process as what they are; what belongs to one document says that it cannot be copied."""

from __future__ import annotations

import copy
import pickle
import weakref
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import xmlcep
from path_types import PathType
from xmlcep.auditing import OutputError
from xmlcep.wrapping import WrapError

RULES = xmlcep.parse_rules("event A = ins(item)")
ACTING = xmlcep.parse_rules("""rule R on (upd(@n)) do set "/a/@n" = "'x'", delete "/a" """)
ENDLESS = xmlcep.parse_rules("""rule R on (*(a/@n)) do set "/a/@n" = "concat(., 'x')" """)


def wrong_rules() -> None:
    xmlcep.parse_rules("event A = ins(\nevent B = x[2,1] ins(a/b)")


def wrong_files() -> None:
    xmlcep.load_rules("there-is-none.xcep")


def wrong_path() -> None:
    PathType.parse("a//b")


def failing_callback() -> None:
    def fail(event: object) -> None:
        raise KeyError(event)

    document = xmlcep.fromstring("<a/>")
    document.subscribe(fail)
    document.root.set("n", "1")


def failing_rule() -> None:
    document = xmlcep.fromstring("<a n='1'/>")
    with document.rules(ACTING):
        document.root.set("n", "2")


def endless_rule() -> None:
    document = xmlcep.fromstring("<a n='1'/>")
    with document.rules(ENDLESS):
        document.root.set("n", "2")


def wrong_argument() -> None:
    xmlcep.fromstring("<a/>").watch(RULES, keep="2")  # type: ignore[arg-type]


def missing_extra() -> None:
    raise xmlcep.MissingExtraError("reading an XML Schema", "xmlschema", "schema")


def wrong_output() -> None:
    raise OutputError("out.jsonl: cannot be written: No space left on device")


CALLS = [
    wrong_rules, wrong_files, wrong_path, failing_callback, failing_rule, endless_rule, wrong_argument, missing_extra,
    wrong_output,
]  # fmt: skip


def error_of(call: Callable[[], None]) -> xmlcep.XmlCepError:
    with pytest.raises(xmlcep.XmlCepError) as caught:
        call()
    return caught.value


@pytest.mark.parametrize(
    "again", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy], ids=["pickled", "copied"]
)
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
def test_an_error_stays_what_it_is(call: Callable[[], None], again: Callable[[Any], Any]) -> None:
    error = error_of(call)
    other = again(error)
    assert type(other) is type(error)
    assert str(other) == str(error)
    assert repr(other) == repr(error)
    for name in ("line", "column", "rule", "action", "ts", "rules", "text", "source_name"):
        assert getattr(other, name, None) == getattr(error, name, None)


def test_an_error_reaches_whoever_waits_for_a_process() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        with pytest.raises(xmlcep.RuleError, match="1:14"):
            pool.submit(wrong_rules).result()
        with pytest.raises(xmlcep.XmlCepError, match="KeyError"):
            pool.submit(failing_callback).result()


def test_what_belongs_to_one_document_is_not_copied(tmp_path: Path) -> None:
    document = xmlcep.fromstring("<a/>", name="a")
    with (
        document.rules(ACTING) as acting,
        document.watch(RULES) as watch,
        xmlcep.record(document, tmp_path / "log.jsonl") as recording,
    ):
        for each in (document, acting, watch, recording, document.transaction()):
            for call in (copy.copy, copy.deepcopy, pickle.dumps):
                with pytest.raises(
                    WrapError, match=f"an? {type(each).__name__} cannot be copied, nor pickled: .*"
                ):
                    call(each)  # type: ignore[operator]
        for each in (document, acting, watch, recording):
            assert weakref.ref(each)() is each


async def coroutine(given: object) -> None: ...


class Awaited:
    async def __call__(self, given: object) -> None: ...


@pytest.mark.parametrize("callback", [coroutine, Awaited()], ids=["function", "object"])
def test_what_would_have_to_be_awaited_is_no_callback(callback: Any) -> None:
    """It would be called, and never run."""
    document = xmlcep.fromstring("<a/>")
    rules = xmlcep.parse_rules("""rule R on (ins(item)) do call "f" """)
    for call in (
        lambda: document.subscribe(callback),
        lambda: document.watch(RULES, on_event=callback),
        lambda: document.rules(rules, actions={"f": callback}),
        lambda: document.rules(rules, actions={"f": print}, on_fire=callback),
        lambda: document.rules(rules, actions={"f": print}, on_error=callback),
        lambda: xmlcep.audit("log.jsonl", RULES, progress=callback),
        lambda: xmlcep.fromstring("<a/>", now=callback),
    ):
        with pytest.raises(xmlcep.XmlCepError, match="async def"):
            call()
