"""Rules: definitions that have been read and checked as a whole, with their event trees and event graph.

Read `trees` (derived path types, rules T1 to T4), `programs`, `variables` and `compiling` (their expressions),
`event_graph` (what depends on what, G1), `references` and `additions` (what is given beside the text, V8, V9),
`ruleset`, `files`, `drawing`; of action rules `fragments`, `rule_programs`, `active_rules`.
"""

from .files import load_rules, read_rules_text
from .plain_rules import PlainRules
from .references import ReferenceDocument
from .references import Source as ReferenceSource
from .ruleset import IgnoredRulesWarning, Rules, parse_rules

__all__ = [
    "IgnoredRulesWarning",
    "PlainRules",
    "ReferenceDocument",
    "ReferenceSource",
    "Rules",
    "load_rules",
    "parse_rules",
    "read_rules_text",
]
