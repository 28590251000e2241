"""Rules as plain values, which can go to another process."""

from __future__ import annotations

from typing import NamedTuple

from ..languages import Language
from .additions import ParameterValue
from .ruleset import Rules, parse_rules


class PlainRules(NamedTuple):
    """Rules as plain values, for another process: their text, the XML of their reference documents by name, the engines
    of languages that were given by the caller, what is allowed, and values of parameters by name."""

    text: str
    documents: tuple[tuple[str, bytes], ...] = ()
    languages: tuple[tuple[str, Language], ...] = ()
    allow: tuple[str, ...] = ()
    params: tuple[tuple[str, ParameterValue], ...] = ()

    @classmethod
    def of(cls, rules: Rules) -> PlainRules:
        """Those of checked rules."""
        documents = tuple((name, document.data) for name, document in rules.documents.items())
        languages = tuple(rules.languages.given.items())
        text = str(rules) if rules.text is None else rules.text
        params = tuple((each.name, each.value) for each in rules.parameters)
        return cls(text, documents, languages, rules.languages.allow, params)

    def parse(self) -> Rules:
        """The rules."""
        return parse_rules(
            self.text, references=dict(self.documents), languages=dict(self.languages), allow=self.allow,
            params=dict(self.params),
        )  # fmt: skip
