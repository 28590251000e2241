"""Real histories made again on wrapped documents: every version comes out, and the rules find things."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest
from click.testing import CliRunner
from lxml import etree

import xmlcep
from samples.histories.__main__ import main
from samples.histories.edits import Edit, EditError, Editor, Script
from samples.histories.recording import DifferenceError, record_history
from samples.histories.versions import canonical, versions_of
from xmlcep.documents.replica import Replica
from xmlcep.log import Header, read_log
from xmlcep.recording import rebuild

RULES = Path(__file__).resolve().parents[2] / "samples" / "histories" / "rules"
RULED = (
    "apa-csl", "kde-markdown", "mapsforge-motorider", "maven-pom", "spring-mvc-docbook", "vulkan-vk", "wayland",
)  # fmt: skip
SMALL = ("kde-markdown", "spring-mvc-docbook", "mapsforge-motorider")


def _edit(op, kind, path, value=None, old=None, pos=None):
    return Edit(2, "2020-01-01T00:00:00+00:00", op, kind, path, value, old, pos)


@pytest.fixture
def root():
    return etree.fromstring('<a xmlns:p="urn:p" k="1">one<b>x</b>two<!--c--><b/>three</a>')


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (_edit("upd", "text", "/a[1]/text()", "uno", "one"), "<a>uno<b>x</b>two<!--c--><b/>three</a>"),
        (_edit("del", "text", "/a[1]/b[1]/text()", None, "x"), "<a>one<b/>two<!--c--><b/>three</a>"),
        (_edit("upd", "tail", "/a[1]/b[1]/tail()", "due", "two"), "<a>one<b>x</b>due<!--c--><b/>three</a>"),
        (_edit("del", "tail", "/a[1]/b[2]/tail()", None, "three"), "<a>one<b>x</b>two<!--c--><b/></a>"),
        (_edit("ins", "elem", "/a[1]/p:q[1]", "p:q", pos=3), "<a>one<b>x</b>two<!--c--><b/>three<p:q/></a>"),
        (_edit("ins", "elem", "/a[1]/b[1]", "b", pos=0), "<a>one<b/><b>x</b>two<!--c--><b/>three</a>"),
        (_edit("ins", "elem", "/a[1]/b[2]", "b", pos=1), "<a>one<b>x</b>two<b/><!--c--><b/>three</a>"),
        (
            _edit("ins", "comment", "/a[1]/comment()[1]", "n", pos=0),
            "<a>one<!--n--><b>x</b>two<!--c--><b/>three</a>",
        ),
        (_edit("ins", "pi", "/a[1]/x", "x y", pos=0), "<a>one<?x y?><b>x</b>two<!--c--><b/>three</a>"),
        (_edit("upd", "comment", "/a[1]/comment()[1]", "d", "c"), "<a>one<b>x</b>two<!--d--><b/>three</a>"),
        (_edit("del", "comment", "/a[1]/comment()[1]", None, "c"), "<a>one<b>x</b>two<b/>three</a>"),
    ],
)
def test_an_edit_does_what_it_says(root, edit, expected):
    Editor(root, {"p": "urn:p"}).apply(edit)
    shown = etree.tostring(root, encoding="unicode").replace(' xmlns:p="urn:p" k="1"', "")
    assert shown == expected


def test_a_processing_instruction_keeps_its_target():
    """The script has the target before the text; lxml's text is what stands behind it."""
    tree = etree.fromstring('<a><?rfc toc="no"?></a>')
    editor = Editor(tree, {})
    editor.apply(_edit("upd", "pi", "/a[1]/processing-instruction()[1]", 'rfc toc="yes"', 'rfc toc="no"'))
    assert etree.tostring(tree) == b'<a><?rfc toc="yes"?></a>'
    editor.apply(_edit("upd", "pi", "/a[1]/processing-instruction()[1]", "rfc", 'rfc toc="yes"'))
    assert etree.tostring(tree) == b"<a><?rfc?></a>"
    with pytest.raises(EditError, match="is no processing instruction for php"):
        editor.apply(_edit("upd", "pi", "/a[1]/processing-instruction()[1]", "php x", "rfc"))


def test_attributes_are_set_changed_and_deleted(root):
    editor = Editor(root, {"p": "urn:p"})
    editor.apply(_edit("upd", "attr", "/a[1]/@k", "2", "1"))
    editor.apply(_edit("ins", "attr", "/a[1]/@p:n", "3"))
    assert dict(root.attrib) == {"k": "2", "{urn:p}n": "3"}
    editor.apply(_edit("del", "attr", "/a[1]/@k", None, "2"))
    assert dict(root.attrib) == {"{urn:p}n": "3"}


@pytest.mark.parametrize(
    "edit",
    [
        _edit("upd", "text", "/a[1]/text()", "uno", "eins"),
        _edit("upd", "text", "/a[1]/c[1]/text()", "uno", "one"),
        _edit("del", "elem", "/a[1]/b[1]"),
        _edit("ins", "elem", "/a[1]/b[9]", "b", pos=9),
    ],
    ids=["other text", "no such node", "its tail would go along", "no such place"],
)
def test_an_edit_that_does_not_fit_is_refused_and_says_where(root, edit):
    before = etree.tostring(root)
    with pytest.raises(EditError, match=r"version 2: .*/a\[1\]"):
        Editor(root, {}).apply(edit)
    assert etree.tostring(root) == before


@pytest.mark.parametrize("name", SMALL)
def test_every_version_comes_out_and_can_be_rebuilt_from_the_log(shared_data, tmp_path, name):
    log = tmp_path / "log.jsonl"
    done = record_history(shared_data, name, log, check_all=True)
    versions = versions_of(shared_data / "histories" / name)
    numbers = [number for number, _ in Script(shared_data / "logs", name)]
    assert done.compared == len(numbers) > 10
    assert done.events > 1000
    rebuilt = rebuild(log)
    assert canonical(rebuilt) == canonical(_without_comments(versions[done.versions].parse()))


def test_records_carry_version_date_and_transaction(shared_data, tmp_path):
    log = tmp_path / "log.jsonl"
    record_history(shared_data, "kde-markdown", log)
    events = [item for item in read_log(log) if not isinstance(item, Header)]
    assert events[0].meta == {"version": "2", "date": "2016-09-25T12:51:16+02:00"}
    assert events[0].at.startswith("2016-09-25T10:51:16")
    numbers = list(dict.fromkeys(int(event.meta["version"]) for event in events))
    assert numbers == sorted(numbers)
    assert [event.txn for event in events] == sorted(event.txn for event in events)


def test_a_wrong_version_is_told(shared_data, tmp_path, monkeypatch):
    monkeypatch.setattr("samples.histories.recording.canonical", lambda root: str(id(root)))
    with pytest.raises(DifferenceError, match="not version 44"):
        record_history(shared_data, "kde-markdown", tmp_path / "log.jsonl")


def test_the_program_records_and_does_not_write_over_a_log(shared_data, tmp_path):
    arguments = [str(shared_data), "kde-markdown", "--out", str(tmp_path), "--check-all"]
    first = CliRunner().invoke(main, arguments)
    assert first.exit_code == 0, first.output
    assert "41 versions compared and equal" in first.output
    second = CliRunner().invoke(main, arguments)
    assert second.exit_code == 1
    assert "is there already" in second.output


@pytest.mark.parametrize("name", RULED)
def test_there_are_at_least_five_rules_for_each_log(name):
    rules = xmlcep.load_rules(RULES / f"{name}.xcep")
    assert len(rules.definitions) >= 5
    assert any(tree.dependencies for tree in rules.graph.trees)


def test_the_rules_find_patterns_changed_without_a_new_version(shared_data, tmp_path):
    log = tmp_path / "log.jsonl"
    record_history(shared_data, "kde-markdown", log)
    items = iter(read_log(log))
    header = next(items)
    detector = xmlcep.Detector(
        xmlcep.load_rules(RULES / "kde-markdown.xcep"),
        document=Replica.from_snapshot(header.snapshot, header.ids),
    )
    found = [*detector.replay(items), *detector.close()]
    late = [event for event in found if event.name == "RaisedLate"]
    versions = [
        {int(change.meta["version"]) for change in event.flattened() if change.path.last.test == "String"}
        for event in late
    ]
    assert {event.name for event in found} >= {"NewPattern", "PatternChurn", "RaisedLate", "StylesRenamed"}
    assert any(len(changed) > 1 for changed in versions)


def _found(shared_data, tmp_path, name):
    """The findings of the rules for a history, by rule, and what they bind."""
    log = tmp_path / "log.jsonl"
    record_history(shared_data, name, log)
    result = xmlcep.audit(
        log, xmlcep.load_rules(RULES / f"{name}.xcep"), engine="local", out=tmp_path / "findings.jsonl"
    )
    found = defaultdict(list)
    for line in result.lines():
        finding = json.loads(line)
        found[finding["name"]].append(finding)
    return found


def test_wayland_what_was_missing_moved_and_set_back(shared_data, tmp_path):
    found = _found(shared_data, tmp_path, "wayland")
    assert [finding["bindings"] for finding in found["RetypedBack"]] == 2 * [
        {"before": ["int"], "between": ["fixed"], "after": ["int"]}
    ]
    moves = {(move["bindings"]["from"][0], move["bindings"]["to"][0]) for move in found["Moved"]}
    assert moves >= {
        ("wl_display", "wl_surface"),
        ("wl_shell", "wl_shell_surface"),
        ("wl_display", "wl_registry"),
    }
    assert {"93", "131"} <= {finding["meta"]["version"] for finding in found["GrownSilently"]}
    assert _lacking_description(shared_data) >= {f["meta"]["version"] for f in found["Undescribed"]}


def _lacking_description(shared_data):
    """The versions with a request that has no description and was not there in the version before, by name."""
    versions, before = set(), None
    for number, version in sorted(versions_of(shared_data / "histories" / "wayland").items()):
        requests = {
            (request.getparent().get("name"), request.get("name")): request.find("description") is not None
            for request in version.parse().iter("request")
        }
        if before is not None and any(not said for key, said in requests.items() if key not in before):
            versions.add(str(number))
        before = requests
    return versions


def test_maven_what_was_set_back_and_what_got_another_group(shared_data, tmp_path):
    found = _found(shared_data, tmp_path, "maven-pom")
    [back] = found["SetBack"]
    assert (back["bindings"]["property"], back["bindings"]["between"]) == ("resolverVersion", ["1.9.1"])
    assert [f["bindings"]["artifact"] for f in found["Regrouped"]] == [
        "plexus-sec-dispatcher", "plexus-utils", "plexus-utils",
    ]  # fmt: skip
    assert {property for f in found["TakenAlong"] for property in f["bindings"]["property"]} == {
        "plexusUtilsVersion"
    }


def test_patterns_that_were_changed_under_the_old_version(shared_data, tmp_path):
    found = _found(shared_data, tmp_path, "kde-markdown")
    assert [finding["meta"]["version"] for finding in found["Unraised"]] == ["16", "21", "22", "23"]
    assert {f["bindings"]["to"][0] for f in found["PatternMoved"]} == {"find-header"}


def _without_comments(root):
    for comment in list(root.iter(etree.Comment, etree.ProcessingInstruction)):
        parent, before = comment.getparent(), comment.getprevious()
        if before is None:
            parent.text = (parent.text or "") + (comment.tail or "")
        else:
            before.tail = (before.tail or "") + (comment.tail or "")
        comment.tail = None
        parent.remove(comment)
    return root
