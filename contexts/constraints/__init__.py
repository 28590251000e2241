"""Constraints: what the events of a combination have to satisfy beside having occurred (rules Q1 to Q5)."""

from .relation import RELATIONS as RELATIONS
