"""`xmlcep.acting_as`: who does it, and in the course of what, by thread and task, on every record."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import xmlcep
from xmlcep.wrapping import Document


def told(doc: Document) -> list[Any]:
    metas: list[Any] = []
    doc.subscribe(lambda event: metas.append(event.meta))
    return metas


def edit(doc: Document) -> None:
    doc.root.set("n", str(int(doc.root.get("n", "0")) + 1))


PAIRS = st.fixed_dictionaries(
    {}, optional={"user": st.sampled_from(["ann", "bob"]), "correlation": st.sampled_from(["r1", 2])}
)
STEPS = st.recursive(
    st.just("edit"),
    lambda steps: st.tuples(st.sampled_from(["acting", "transaction"]), PAIRS, st.lists(steps, max_size=4)),
    max_leaves=12,
)


@given(st.lists(STEPS, max_size=5))
def test_records_have_what_the_blocks_around_the_edit_say(steps: list[Any]) -> None:
    """A pair of a transaction goes before one of `acting_as`, an inner block before an outer one."""
    doc = xmlcep.fromstring("<a/>")
    metas, expected = told(doc), []

    def run(steps: list[Any], acting: dict[str, str], meta: dict[str, str]) -> None:
        for step in steps:
            if step == "edit":
                edit(doc)
                expected.append({**acting, **meta} or None)
                continue
            kind, given, inner = step
            texts = {key: str(value) for key, value in given.items()}
            if kind == "acting":
                with xmlcep.acting_as(**given):
                    run(inner, {**acting, **texts}, meta)
            else:
                with doc.transaction(**given):
                    run(inner, acting, {**meta, **texts})

    run(steps, {}, {})
    assert metas == expected


def test_each_thread_and_task_says_its_own() -> None:
    docs = [xmlcep.fromstring("<a/>") for _ in range(3)]
    metas = [told(doc) for doc in docs]
    turn = threading.Barrier(2)

    def thread() -> None:
        edit(docs[0])  # begins without what is said elsewhere
        with xmlcep.acting_as(user="thread"):
            turn.wait()
            edit(docs[0])
            turn.wait()

    async def task(doc: Document, user: str | None) -> None:
        edit(doc)
        with xmlcep.acting_as(user=user):
            await asyncio.sleep(0)
            edit(doc)

    async def tasks() -> None:
        await asyncio.gather(task(docs[1], "one"), task(docs[2], None))

    with xmlcep.acting_as(user="main", correlation="r"):
        other = threading.Thread(target=thread)
        other.start()
        turn.wait()
        asyncio.run(tasks())
        turn.wait()
        other.join()
    edit(docs[1])
    assert metas == [
        [None, {"user": "thread"}],
        [{"user": "main", "correlation": "r"}, {"user": "one", "correlation": "r"}, None],
        [{"user": "main", "correlation": "r"}, {"user": "main", "correlation": "r"}],
    ]


def test_what_rules_do_is_done_for_the_same() -> None:
    rules = xmlcep.parse_rules("""
event Seen(/a) = external
event New = ins(b)
rule R on New do set "@seen" = "1", raise Seen("..")
""")
    doc = xmlcep.fromstring("<a/>")
    metas = told(doc)
    seen: list[Any] = []
    doc.rules(rules)
    declared = xmlcep.parse_rules("event Seen(/a) = external\nevent New = ins(b)")
    doc.watch(declared, on_event=lambda event: seen.append((event.name, event.cause.meta)))
    with xmlcep.acting_as(user="ann"):
        doc.root.append(doc.root.makeelement("b"))
    assert [meta["user"] for meta in metas] == ["ann", "ann"] and metas[1]["rule"] == "R"
    assert {name: meta["user"] for name, meta in seen} == {"New": "ann", "Seen": "ann"}


def test_a_function_can_be_decorated() -> None:
    doc = xmlcep.fromstring("<a/>")
    metas = told(doc)
    xmlcep.acting_as(user="robot")(edit)(doc)
    assert metas == [{"user": "robot"}]
