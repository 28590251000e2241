"""What a caller gives beside the text of rules: reference documents (V8), values of parameters (V9), languages (O1)."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from path_types.names import is_ncname

from ..algebra import RuleParameter
from ..arguments import BY_NAME, NAMES, check, optional
from ..errors import RuleProblem
from ..language.parser import NUMBER
from ..languages import Language, Languages
from ..suggestions import did_you_mean_or_list
from .references import ReferenceSources, Source
from .rule_programs import DELETED, DELTA
from .variables import BUILT_IN

ParameterValue: TypeAlias = "float | str"
RESERVED = frozenset({*BUILT_IN, DELTA, DELETED})
"""Names that expressions know otherwise (F2, L2)."""


@dataclass(frozen=True, slots=True)
class Additions:
    """Reference documents and where they are looked for, languages, and values of parameters by name; a number may be
    given as text, as a command line has it."""

    sources: ReferenceSources = field(default_factory=ReferenceSources)
    languages: Languages = field(default_factory=Languages)
    params: Mapping[str, ParameterValue] = field(default_factory=dict)

    @classmethod
    def of(
        cls, call: str, *, references: Mapping[str, Source] | None = None,
        languages: Mapping[str, Language] | None = None, allow: Iterable[str] = (),
        params: Mapping[str, ParameterValue] | None = None,
    ) -> Additions:  # fmt: skip
        """Those that somebody has given to this call; raises `ArgumentError` for what is none."""
        check(
            call, references=(references, optional(BY_NAME)), languages=(languages, optional(BY_NAME)),
            allow=(allow, NAMES), params=(params, optional(BY_NAME)),
        )  # fmt: skip
        return cls(ReferenceSources(references or {}), Languages(languages or {}, tuple(allow)), params or {})

    def beside(self, file: str) -> Additions:
        """The same where documents that are not given lie beside this rules file."""
        return replace(self, sources=replace(self.sources, beside=file))

    def declared(self) -> tuple[RuleParameter, ...]:
        """The given values as parameters, for rules made in Python, which declare none."""
        return tuple(
            RuleParameter(name, 0.0 if _is_number(value) else "") for name, value in self.params.items()
        )

    def parameters(
        self, declared: Sequence[RuleParameter], problems: list[RuleProblem]
    ) -> tuple[RuleParameter, ...]:
        """The parameters that rules declare, with the values that are given; what is wrong with these is appended to
        ``problems``."""
        names = [parameter.name for parameter in declared]
        problems += [_unknown(name, names) for name in self.params if name not in names]
        return tuple(self._with_value(parameter, problems) for parameter in declared)

    def _with_value(self, parameter: RuleParameter, problems: list[RuleProblem]) -> RuleParameter:
        name, given = parameter.name, self.params.get(parameter.name, parameter.value)
        if name in RESERVED or not is_ncname(name):
            why = "is known of every event" if name in RESERVED else "is not a name"
            problems.append(RuleProblem(f"${name} {why}", "choose another name (V9)", parameter.at))
        if isinstance(parameter.value, str):
            if isinstance(given, str):
                return replace(parameter, value=given)
        elif _is_number(given):
            return replace(parameter, value=float(given))
        expected = "a text" if isinstance(parameter.value, str) else "a number such as 100 or 1.5"
        problems.append(RuleProblem(f"the parameter ${name} is {given!r}: expected {expected} (V9)"))
        return parameter


def _is_number(given: object) -> bool:
    """Whether it is a number, or the text of one, as a command line has it."""
    if isinstance(given, str):
        return NUMBER.fullmatch(given) is not None
    return isinstance(given, (int, float)) and not isinstance(given, bool) and math.isfinite(given)


def _unknown(name: str, names: Collection[str]) -> RuleProblem:
    hint = did_you_mean_or_list(name, names) if names else f"declare it: param {name} = 100"
    return RuleProblem(f"the rules have no parameter {name!r}", f"{hint} (V9)")
