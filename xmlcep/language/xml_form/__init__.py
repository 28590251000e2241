"""Rules as XML: every construct of the event language as an element of one namespace (docs/language.md).

`rules.xsd` is the schema, to which `schema` adds the operators; `names` says what elements are called, `markup`
where things are in the text, `reader`
reads files, `events` what is in an event, `writer` writes.
"""

from .names import NAMESPACE
from .reader import is_xml, parse_xml_definitions
from .schema import schema_text
from .writer import print_xml_definitions

__all__ = ["NAMESPACE", "is_xml", "parse_xml_definitions", "print_xml_definitions", "schema_text"]
