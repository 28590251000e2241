"""Random expressions that are right, and values for their variables, nasty ones among them."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from xmlcep.xpath import VariableKind

VARIABLES = {
    "s": VariableKind.STRING,
    "t": VariableKind.STRING,
    "meta:user": VariableKind.STRING,
    "n": VariableKind.NUMBER,
    "m": VariableKind.NUMBER,
    "b": VariableKind.BOOLEAN,
    "v": VariableKind.VALUE,
    "w": VariableKind.VALUE,
    "l": VariableKind.LIST,
    "k": VariableKind.LIST,
}

NUMBERS = st.one_of(
    st.sampled_from(
        [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            -0.5,
            1.5,
            2.5,
            -2.5,
            39.98,
            0.1 + 0.2,
            1 / 3,
            1e-5,
            1.5e-7,
            5e-324,
            1e15,
            1e16,
            2.0**53,
            2.0**53 + 2,
            1e21,
            1e22,
            1e23,
            1e308,
            -1e308,
            math.inf,
            -math.inf,
            math.nan,
            123456789.125,
            0.49999999999999994,
        ]
    ),
    st.floats(),
    st.integers(-5, 12),
    st.sampled_from([2**53 + 1, -(2**63), 10**400]),
)
TEXTS = st.one_of(
    st.sampled_from(
        [
            "",
            " ",
            "0",
            "-0",
            "1",
            " 7 ",
            "+1",
            "1e3",
            "1E-2",
            ".5",
            "5.",
            "-.5",
            "- 1",
            "--1",
            "39.98",
            "1.14",
            "NaN",
            "Infinity",
            "-Infinity",
            "0x10",
            "1_000",
            "\u0661",
            "\u00a05",
            "9" * 400,
            "0." + "0" * 330 + "1",
            "3.14159265358979323846264338327950288",
            "true",
            "false",
            "a",
            "A",
            "abc",
            "ß",
            "İ",
            "größe",
            "日本語",
            "𝄞clef",
            "a\u0301",
            " a  b\t\nc\r ",
            "\u2003",
            "\x00",
            "\x1f",
            "\ud800",
            "\ufffe",
            "'",
            '"',
            "ab" * 300,
            "1970-01-01T00:00:00Z",
            "2026-02-28T23:59:60.5+01:30",
        ]
    ),
    st.text(st.sampled_from("ab \t.-019eÄß𝄞"), max_size=6),
)
SINGLES = st.one_of(TEXTS, NUMBERS, st.booleans())
LISTS = st.one_of(
    st.lists(SINGLES, max_size=4),
    st.lists(st.sampled_from(["1", "2", 1.0, 2.5, "a", True]), max_size=40),
    st.lists(NUMBERS, min_size=1, max_size=3),
)


def values_of(kind: VariableKind) -> st.SearchStrategy[object]:
    """Values of a variable of this kind, missing ones among them."""
    match kind:
        case VariableKind.STRING:
            return st.one_of(TEXTS, st.none())
        case VariableKind.NUMBER:
            return st.one_of(NUMBERS, st.none())
        case VariableKind.BOOLEAN:
            return st.one_of(st.booleans(), st.none())
        case VariableKind.VALUE:
            return st.one_of(SINGLES, st.none())
    return LISTS


ASSIGNMENTS = st.fixed_dictionaries({name: values_of(kind) for name, kind in VARIABLES.items()})

_STRINGS = (
    "'a'",
    '"1"',
    "''",
    "' 7 '",
    "'1e3'",
    "'größe'",
    '"it\'s"',
    "'true'",
    "'NaN'",
    "'1970-01-01T00:00:00Z'",
)
_NUMBERS = (
    "0",
    "1",
    "2",
    "3",
    ".5",
    "1.14",
    "39.98",
    "1000000000.5",
    "9007199254740993",
    "1" + "0" * 310,
    "0.1",
)
_PATTERNS = ('"^[a-c]*$"', r"'\d'", "'a|b', 'i'", r"'\w+\s'", r"'\p{Lu}|[^-\i]'")
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


class Grammar:
    """Draws expressions of a kind. ``own``: what ``.`` may be: nothing, a value of a list, or the context node.

    ``paths``: location paths to be used where nodes may stand; ``named``: they lead to nodes, which have names.
    """

    def __init__(
        self,
        draw: st.DrawFn,
        *,
        own: str = "",
        paths: st.SearchStrategy[str] | None = None,
        named: bool = True,
    ) -> None:
        self.draw = draw
        self.own = own
        self.paths = paths
        self.named = named

    def one_of(self, *choices: str) -> str:
        return self.draw(st.sampled_from(choices))

    def any(self, depth: int) -> str:
        makers = [self.string, self.number, self.boolean, self.list, self.value]
        return self.draw(st.sampled_from(makers))(depth)

    def value(self, depth: int) -> str:
        return self.one_of("$v", "$w")

    def string(self, depth: int) -> str:
        if depth <= 0:
            return self.one_of(*_STRINGS, "$s", "$t", "$meta:user")

        def any_() -> str:
            return self.any(depth - 1)

        forms = [
            lambda: f"string({any_()})",
            lambda: f"concat({any_()}, {any_()}, {any_()})",
            lambda: f"{self.one_of('substring-before', 'substring-after')}({any_()}, {any_()})",
            lambda: f"substring({any_()}, {any_()})",
            lambda: f"substring({any_()}, {any_()}, {any_()})",
            lambda: f"{self.one_of('normalize-space', 'upper-case', 'lower-case')}({any_()})",
            lambda: f"translate({any_()}, {any_()}, {any_()})",
            lambda: self.string(0),
        ]
        if self.paths is not None and self.named:
            nodes = self.paths
            forms.append(lambda: f"{self.one_of('name', 'local-name', 'namespace-uri')}({self.draw(nodes)})")
        return self.draw(st.sampled_from(forms))()

    def number(self, depth: int) -> str:
        if depth <= 0:
            return self.one_of(
                *_NUMBERS, "$n", "$m", *(["position()", "last()"] if self.own == "item" else [])
            )
        return self.draw(
            st.sampled_from(
                [
                    lambda: f"number({self.any(depth - 1)})",
                    lambda: f"count({self.list(depth - 1)})",
                    lambda: f"sum({self.list(depth - 1)})",
                    lambda: f"{self.one_of('min', 'max', 'avg')}({self.list(depth - 1)})",
                    lambda: f"{self.one_of('floor', 'ceiling', 'round', 'abs')}({self.any(depth - 1)})",
                    lambda: f"string-length({self.any(depth - 1)})",
                    lambda: f"time({self.string(depth - 1)})",
                    lambda: (
                        f"({self.any(depth - 1)} {self.one_of('+', '-', '*', 'div', 'mod')} {self.any(depth - 1)})"
                    ),
                    lambda: f"-{self.one_of('', '-')}({self.any(depth - 1)})",
                    lambda: self.number(0),
                ]
            )
        )()

    def boolean(self, depth: int) -> str:
        if depth <= 0:
            return self.one_of(
                "true()", "false()", "$b", *(["lang('a')"] if self.paths is not None and self.named else [])
            )
        return self.draw(
            st.sampled_from(
                [
                    lambda: f"({self.any(depth - 1)} {self.one_of(*_COMPARISONS)} {self.any(depth - 1)})",
                    lambda: f"({self.any(depth - 1)} {self.one_of(*_COMPARISONS)} {self.any(depth - 1)})",
                    lambda: (
                        f"({self.any(depth - 1)} {self.one_of(*_COMPARISONS)} {self.any(depth - 1)}"
                        f" {self.one_of(*_COMPARISONS)} {self.any(depth - 1)})"
                    ),
                    lambda: f"({self.any(depth - 1)} {self.one_of('and', 'or')} {self.any(depth - 1)})",
                    lambda: f"not({self.any(depth - 1)})",
                    lambda: f"boolean({self.any(depth - 1)})",
                    lambda: (
                        f"{self.one_of('contains', 'starts-with', 'ends-with')}"
                        f"({self.any(depth - 1)}, {self.string(depth - 1)})"
                    ),
                    lambda: f"matches({self.any(depth - 1)}, {self.one_of(*_PATTERNS)})",
                ]
            )
        )()

    def list(self, depth: int) -> str:
        kinds = ["variable", "filter", "distinct"] if depth > 0 else ["variable"]
        kinds += ["own"] * bool(self.own) + ["path"] * 2 * (self.paths is not None)
        match self.one_of(*kinds):
            case "own":
                return "."
            case "path":
                assert self.paths is not None
                return self.draw(self.paths)
            case "filter":
                inner = Grammar(self.draw, own="item")
                kind = self.draw(st.sampled_from([inner.boolean, inner.number, inner.any]))
                return f"({self.list_of_values(depth - 1)})[{kind(depth - 1)}]"
            case "distinct":
                return f"distinct-values({self.list(depth - 1)})"
        return self.one_of("$l", "$k")

    def list_of_values(self, depth: int) -> str:
        return Grammar(self.draw, own=self.own, paths=self.paths).list(depth)


@st.composite
def expressions(
    draw: st.DrawFn,
    *,
    own: str = "",
    paths: st.SearchStrategy[str] | None = None,
    depth: int = 3,
    named: bool = True,
) -> str:
    """Expressions of any kind."""
    return Grammar(draw, own=own, paths=paths, named=named).any(depth)
