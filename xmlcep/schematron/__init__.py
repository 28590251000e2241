"""Schematron files as rules: each assertion becomes an event, raised where an edit or a transaction breaks it.

Read `reading` (what a file asserts, with lxml's stylesheet for abstract patterns), `contexts` (match patterns as path
types and conditions), `converting`.
"""

from .converting import Converted, convert
from .reading import is_schematron

__all__ = ["Converted", "convert", "is_schematron"]
