"""What two trees differ in, as a person would tell it: tables."""

from __future__ import annotations

import pytest
from lxml import etree

from xmlcep.matching import Contents, Key, changes, match, outline

ROWS = {
    "nothing": ("<r><a/></r>", "<r>\n  <a></a>\n</r>", []),
    "attributes in another order": ('<r k="1" l="2"/>', '<r l="2" k="1"/>', []),
    "another prefix": ('<r xmlns="urn:x"/>', '<p:r xmlns:p="urn:x"/>', []),
    "a text": ("<r><a>1</a></r>", "<r><a>2</a></r>", ["~ /r/a/text() '1' → '2'"]),
    "attributes": (
        '<r k="1" l="2"/>', '<r k="3" m="4"/>', ["~ /r/@k '1' → '3'", "- /r/@l '2'", "+ /r/@m '4'"],
    ),
    "an element comes": ("<r><a/></r>", "<r><a/><b k='1'>x</b></r>", ["+ /r/b k='1' 'x' (3 nodes)"]),
    "an element goes": ("<r><a/><a/></r>", "<r><a/></r>", ["- /r/a[2]"]),
    "one of many, without keys": (
        "<r><a>one</a><a>two</a><a>three</a></r>",
        "<r><a>one</a><a>new</a><a>two</a><a>three</a></r>",
        ["+ /r/a[2] 'new' (2 nodes)"],
    ),
    "known by id": (
        '<r><i id="1"><p>5</p></i><i id="2"><p>6</p></i></r>',
        '<r><i id="2"><p>7</p></i></r>',
        ["- /r/i[@id='1'] (4 nodes)", "~ /r/i/p/text() '6' → '7'"],
    ),
    "known by a child element": (
        "<r><m><n>ann</n><v>1</v></m><m><n>bob</n><v>1</v></m><m><n>cy</n><v>1</v></m></r>",
        "<r><m><n>ann</n><v>1</v></m><m><n>bob</n><v>2</v></m><m><n>cy</n><v>1</v></m></r>",
        ["~ /r/m[2]/v/text() '1' → '2'"],
    ),
    "known by two child elements": (
        "<r><d><g>x</g><a>1</a></d><d><g>x</g><a>2</a></d><d><g>y</g><a>1</a><v>5</v></d></r>",
        "<r><d><g>x</g><a>2</a></d><d><g>y</g><a>1</a><v>6</v></d></r>",
        ["- /r/d[1] (5 nodes)", "~ /r/d[2]/v/text() '5' → '6'"],
    ),
    "numbers that count are no keys": (
        '<r><l n="1">one x</l><l n="2">two y</l><l n="3">three z</l></r>',
        '<r><l n="1">zero w</l><l n="2">one x</l><l n="3">two y</l><l n="4">three z</l></r>',
        [
            "+ /r/l[1] n='1' 'zero w' (3 nodes)",
            "~ /r/l[2]/@n '1' → '2'", "~ /r/l[3]/@n '2' → '3'", "~ /r/l[4]/@n '3' → '4'",
        ],
    ),
    "known by its name": (
        "<r><size>1</size><price>2</price></r>", "<r><size>3</size><price>4</price></r>",
        ["~ /r/size/text() '1' → '3'", "~ /r/price/text() '2' → '4'"],
    ),
    "renamed": (
        '<r><arg name="time" type="uint"/></r>', '<r><arg name="serial" type="uint"/></r>',
        ["~ /r/arg/@name 'time' → 'serial'"],
    ),
    "an element of another name": (
        "<r><x/><price c='1'>9<!--n--></price><y/></r>", "<r><x/><cost c='1'>9<!--n--></cost>t<y/></r>",
        ["~ /r/price → /r/cost (3 nodes)", "+ /r/text() 't'"],
    ),
    "another name, with what is below it": (
        "<r><a><b k='1'><c>one</c></b></a><d/></r>", "<r><e><b k='1'><c>one</c></b></e><d/></r>",
        ["~ /r/a → /r/e (5 nodes)"],
    ),
    "another name, and another content": (
        "<r><price>9</price></r>", "<r><cost>8</cost></r>",
        ["- /r/price '9' (2 nodes)", "+ /r/cost '8' (2 nodes)"],
    ),
    "several other names, in their order": (
        "<r><a>1</a><b>2</b><k/><c/></r>", "<r><x>1</x><new/><y>2</y><k/><z/></r>",
        ["~ /r/a → /r/x (2 nodes)", "+ /r/new", "~ /r/b → /r/y (2 nodes)", "~ /r/c → /r/z"],
    ),
    "a root of another name": ("<r><a>1</a></r>", "<s><a>1</a></s>", ["~ /r → /s (3 nodes)"]),
    "another one": (
        '<r><f name="time" type="uint">one</f></r>', '<r><f name="serial" type="int">two</f></r>',
        ["- /r/f name='time' type='uint' 'one' (4 nodes)", "+ /r/f name='serial' type='int' 'two' (4 nodes)"],
    ),
    "moved in its list": (
        '<r><i id="1"/><i id="2"><x/></i><i id="3"><x/></i></r>',
        '<r><i id="2"><x/></i><i id="3"><x/></i><i id="1"/></r>',
        ["> /r/i[@id='1'] → /r/i[@id='1'] (2 nodes)"],
    ),
    "the lighter one is moved": (
        '<r><i id="1"><x/><x/><x/></i><i id="2"/><i id="3"/></r>',
        '<r><i id="2"/><i id="3"/><i id="1"><x/><x/><x/></i></r>',
        ["> /r/i[@id='2'] → /r/i[@id='2'] (2 nodes)", "> /r/i[@id='3'] → /r/i[@id='3'] (2 nodes)"],
    ),
    "moved to another parent": (
        "<r><a><m><x>1</x></m></a><b/></r>", "<r><a/><b><m><x>1</x></m></b></r>",
        ["> /r/a/m → /r/b/m (3 nodes)"],
    ),
    "moved and changed": (
        '<r><a><m xml:id="m"><x>the text</x><y/></m></a><b/></r>',
        '<r><a/><b><m xml:id="m"><x>the texts</x><y/></m></b></r>',
        ["> /r/a/m → /r/b/m (5 nodes)", "~ /r/b/m/x/text() 'the text' → 'the texts'"],
    ),
    "put into a new one": (
        "<r><m><x>1</x></m></r>", "<r><box><m><x>1</x></m></box></r>",
        ["+ /r/box", "> /r/m → /r/box/m (3 nodes)"],
    ),
    "taken out of one that goes": (
        "<r><box k='1'><m><x>1</x></m></box></r>", "<r><m><x>1</x></m></r>",
        ["- /r/box k='1' (2 nodes)", "> /r/box/m → /r/m (3 nodes)"],
    ),
    "mixed content": (
        "<p>one <b>two</b> three</p>", "<p>one <b>2</b> four</p>",
        ["~ /p/b/text() 'two' → '2'", "~ /p/text()[2] ' three' → ' four'"],
    ),
    "white space in mixed content": ("<p>a<b/> <c/></p>", "<p>a<b/><c/></p>", ["- /p/text()[2] ' '"]),
    "a comment": (
        "<r><!--old--><a/></r>", "<r><a/><!--new--></r>",
        ["- /r/comment() 'old'", "+ /r/comment() 'new'"],
    ),
    "another root": ("<r><a/></r>", "<s><b/></s>", ["- /r (2 nodes)", "+ /s (2 nodes)"]),
    "names in namespaces": (
        '<r xmlns:p="urn:p"><p:a p:k="1"/></r>', '<r xmlns:p="urn:p"><p:a p:k="2"/></r>',
        ["~ /r/p:a/@p:k '1' → '2'"],
    ),
}  # fmt: skip


def told(old: str, new: str, keys: tuple[str, ...] = (), *, ignore_whitespace: bool = True) -> list[str]:
    contents = Contents()
    trees = [
        outline(etree.fromstring(text), contents, ignore_whitespace=ignore_whitespace) for text in (old, new)
    ]
    return [str(change) for change in changes(match(*trees, [Key.parse(key) for key in keys]))]


@pytest.mark.parametrize("name", ROWS)
def test_a_row(name: str) -> None:
    old, new, expected = ROWS[name]
    assert told(old, new) == expected


def test_white_space_counts_when_asked_for() -> None:
    assert told("<r><a/></r>", "<r> <a/></r>", ignore_whitespace=False) == ["+ /r/text() ' '"]


OLD = '<o><i part="1" name="lamp"><q>2</q></i><i part="2" name="rake"><q>5</q></i></o>'
NEW = '<o><i part="2" name="lamp"><q>5</q></i></o>'


def test_only_what_xml_calls_white_space_is_left_out() -> None:
    """A no-break space, or a line separator, is text."""
    for text in "\u00a0\u0085\u2028\u3000":
        assert told("<a><b/> <c/></a>", f"<a><b/>{text}<c/></a>")
    assert told("<a><b/> <c/></a>", "<a>\t<b/>\r\n<c/></a>") == []


def test_without_a_key_the_usual_one_counts() -> None:
    assert told(OLD, NEW) == [
        "~ /o/i/@part '1' → '2'",
        "~ /o/i/q/text() '2' → '5'",
        "- /o/i[@name='rake'] part='2' (5 nodes)",
    ]


@pytest.mark.parametrize("key", ["i=@part", "{}i=@part"[2:], "i=q,@part"])
def test_a_given_key_counts_first(key: str) -> None:
    assert told(OLD, NEW, (key,)) == [
        "- /o/i[@name='lamp'] part='1' (5 nodes)",
        "~ /o/i/@name 'rake' → 'lamp'",
    ]


def test_elements_with_other_given_keys_are_others_however_alike() -> None:
    old, new = '<o><i k="1">the same words</i></o>', '<o><i k="2">the same words</i></o>'
    assert told(old, new) == ["~ /o/i/@k '1' → '2'"]
    assert told(old, new, ("i=@k",)) == [
        "- /o/i k='1' 'the same words' (3 nodes)",
        "+ /o/i k='2' 'the same words' (3 nodes)",
    ]


def test_two_of_one_key_are_told_apart_by_their_contents() -> None:
    old = '<o><i k="1">one</i><i k="1">two</i><i k="2">x</i></o>'
    new = '<o><i k="1">two</i><i k="2">x</i></o>'
    assert told(old, new, ("i=@k",)) == ["- /o/i[1] k='1' 'one' (3 nodes)"]


def test_values_are_shown_harmlessly_and_not_at_full_length() -> None:
    assert told("<r><a>x</a></r>", "<r><a>\u202eevil\x85</a></r>") == [
        "~ /r/a/text() 'x' → '\\u202eevil\\x85'"
    ]
    start, rest = "word " * 40, " end" * 40
    [shown] = told(f"<r><a>{start}old{rest}</a></r>", f"<r><a>{start}new{rest}</a></r>")
    assert "old" in shown and "new" in shown and len(shown) < 200
