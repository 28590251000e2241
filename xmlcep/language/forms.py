"""Rules in either form: text of the event language, or XML."""

from __future__ import annotations

from ..errors import RuleProblem
from .parser import ParsedRules, parse_definitions
from .statements import comment_count
from .xml_form import is_xml, parse_xml_definitions
from .xml_form.markup import xml_comment_count


def read_definitions(text: str, problems: list[RuleProblem], file: str = "") -> ParsedRules:
    """Reads rules in the form in which they are; what is wrong in them is appended to ``problems`` and left out.

    ``file`` is the name that positions in them get where there are several texts.
    """
    read = parse_xml_definitions if is_xml(text) else parse_definitions
    return read(text, problems, file)


def comments_in(text: str) -> int:
    """How many comments there are in rules: in the event language the lines with one."""
    return xml_comment_count(text) if is_xml(text) else comment_count(text)
