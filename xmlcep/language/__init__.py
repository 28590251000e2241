"""The event language: rules texts to event definitions and back (docs/language.md).

`grammar.lark` is the syntax (`grammar` adds that of operators),
`parser` reads with it (`statements` cuts the text, `building` makes values,
`options` knows the options, `mistakes` explains syntax errors), `printer` writes. `xml_form` is another form of the
same; `forms` reads either.
"""

from .forms import read_definitions
from .parser import PREDECLARED, ParsedRules, parse_definitions
from .printer import print_definitions, print_expression, print_path
from .xml_form import is_xml, print_xml_definitions

__all__ = [
    "PREDECLARED",
    "ParsedRules",
    "is_xml",
    "parse_definitions",
    "print_definitions",
    "print_expression",
    "print_path",
    "print_xml_definitions",
    "read_definitions",
]
