"""Rules: definitions that have been read and checked as a whole, with their event trees and event graph.

Read `trees` (derived path types, rules T1 to T4), `event_graph` (what depends on what, G1), `ruleset`,
`files`, `drawing`; of rules that act `fragments`, `rule_programs`, `active_rules`.
"""

from .files import load_rules as load_rules
from .files import read_rules_text as read_rules_text
from .ruleset import IgnoredRulesWarning as IgnoredRulesWarning
from .ruleset import Rules as Rules
from .ruleset import parse_rules as parse_rules

__all__ = ["IgnoredRulesWarning", "Rules", "load_rules", "parse_rules", "read_rules_text"]
