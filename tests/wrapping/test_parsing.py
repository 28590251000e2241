"""The safe parser: what is refused or inert, and how it is said."""

from __future__ import annotations

import bz2
import gzip
import io
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from xmlcep.wrapping import DocumentError, fromstring, parse
from xmlcep.wrapping.parsing import DEPTH_LIMIT, parse_bytes

LAUGHS = (
    "<!DOCTYPE l [<!ENTITY a 'ha'>"
    + "".join(f"<!ENTITY a{n} '{'&a' + str(n - 1) + ';' if n else ''}x'>" for n in range(9))
    + "]><l>&a8;</l>"
)  # fmt: skip


def nested(depth: int) -> str:
    return "<a>" * depth + "</a>" * depth


@pytest.mark.parametrize(("text", "said"), [
    ("<a><b></a>", r"<text>:1:\d+: .*mismatch"),
    ("<a>\n<b>\n</a>", r"<text>:3:"),
    ("", "empty|Document"),
    ("text", "expected"),
    ("<a>&undefined;</a>", "ntity"),
    ("<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>", "entity &e;"),
    ("<!DOCTYPE a [<!ENTITY e 'x'>]><a/>", "declares the entity 'e'"),
    ("<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>", "entity"),
    ("<!DOCTYPE a [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]><a/>", "entit"),
    (LAUGHS, "entit"),
    (nested(DEPTH_LIMIT + 1), "256"),
    ("<a>\x01</a>", "<text>:1"),
])  # fmt: skip
def test_refused(text: str, said: str) -> None:
    with pytest.raises(DocumentError, match=said):
        fromstring(text)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_compressed_files_are_not_unpacked(pack: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.xml.gz"
    file.write_bytes(pack(b"<a/>"))
    with pytest.raises(DocumentError, match="unpack it first"):
        parse(file)


@pytest.mark.parametrize("address", ["http://example.org/a.xml", "file:///etc/passwd"])
def test_addresses_are_not_fetched(address: str) -> None:
    with pytest.raises(DocumentError, match="download"):
        parse(address)


def test_text_given_to_parse() -> None:
    with pytest.raises(DocumentError, match="fromstring"):
        parse("<a/>")
    with pytest.raises(DocumentError, match="neither"):
        parse(3)  # type: ignore[arg-type]


def test_a_missing_file() -> None:
    with pytest.raises(FileNotFoundError):
        parse("no-such-file.xml")


def test_the_deepest_that_is_taken() -> None:
    assert fromstring(nested(DEPTH_LIMIT)).root.tag == "a"


def test_a_dtd_is_not_loaded_and_xinclude_is_data(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret", encoding="utf-8")
    include = f'<a xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="{secret}" parse="text"/></a>'
    document = fromstring(f'<!DOCTYPE a SYSTEM "{tmp_path}/no.dtd">{include}')
    assert b"secret<" not in etree.tostring(document.root)
    assert len(document.root) == 1


@pytest.mark.parametrize("text", [
    '<?xml version="1.0" encoding="latin-1"?><a>é</a>',
    '<?xml version="1.0" encoding="utf-16"?>\n<a>é</a>',
    "\ufeff<a>é</a>", "<a>é</a>",
])  # fmt: skip
def test_text_is_text_whatever_its_declaration_says(text: str) -> None:
    assert fromstring(text).root.text == "é"


@pytest.mark.parametrize("before", ["", "<?xml version='1.0'?>", "\ufeff", "<!--c-->", "<!DOCTYPE a>"])
@pytest.mark.parametrize(
    "instruction", ["<?xml-stylesheet href='s'?>", "<?xml-model href='s'?>", "<?x?>", "<?xmlx y?>"]
)
@pytest.mark.parametrize("form", [str, str.encode])
def test_processing_instructions_before_the_root_stay(before: str, instruction: str, form: Any) -> None:
    root = fromstring(form(f"{before}{instruction}<a/>")).root
    assert etree.tostring(root.getprevious()).decode() == instruction


def test_bytes_are_decoded_as_declared() -> None:
    assert (
        fromstring('<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>'.encode("latin-1")).root.text == "é"
    )
    assert parse(io.StringIO("<a>é</a>")).root.text == "é"
    assert fromstring("<a>é</a>".encode("utf-16")).root.text == "é"


def test_errors_name_the_source(tmp_path: Path) -> None:
    file = tmp_path / "bad.xml"
    file.write_text("<a>\n<b></a>", encoding="utf-8")
    with pytest.raises(DocumentError, match=r"bad\.xml:2:"):
        parse(file)
    assert parse_bytes(b"<a/>").getroot().tag == "a"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-7"])
def test_no_document_type_leads_outside_however_ids_are(encoding: str, tmp_path: Path) -> None:
    """A parser that collects no ids, as is used where they are no names, would read it."""
    (tmp_path / "a.dtd").write_text('<!ATTLIST a k CDATA "from outside">')
    text = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE a SYSTEM "{tmp_path}/a.dtd"><a xml:id="1"/>'
    with pytest.raises(DocumentError, match="attribute value 1 is not an NCName"):
        parse_bytes(text.encode(encoding))
    assert parse_bytes(text.replace('"1"', '"b"').encode(encoding)).getroot().get("k") is None
