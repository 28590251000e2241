"""The event language: rules texts to event definitions and back (docs/language.md).

`grammar.lark` is the syntax, `parser` reads with it (`statements` cuts the text, `building` makes values,
`options` knows the options, `mistakes` explains syntax errors), `printer` writes.
"""

from .parser import PREDECLARED as PREDECLARED
from .parser import ParsedRules as ParsedRules
from .parser import parse_definitions as parse_definitions
from .printer import print_definitions as print_definitions
from .printer import print_expression as print_expression
from .printer import print_path as print_path

__all__ = [
    "PREDECLARED",
    "ParsedRules",
    "parse_definitions",
    "print_definitions",
    "print_expression",
    "print_path",
]
