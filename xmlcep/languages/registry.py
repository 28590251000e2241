"""The languages there are: given by the caller, those of the package, and plugins (rules O1, O2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import entry_points
from typing import cast

from ..errors import ArgumentError
from ..suggestions import did_you_mean_or_list
from .protocol import Language, Question

GROUP = "xmlcep.languages"
"""The entry point group of plugins: each is called as its language, and is the engine or a class of it."""

# They are entry points as well; workers that get the package as a file have no metadata of it.
_OWN = {"xpath31": "xmlcep.languages.xpath31:XPath31", "python": "xmlcep.languages.python:Python"}


class LanguageProblem(ValueError):
    """Why a text cannot be used, and what to do; ``of_language`` if that is about its language, not about the text."""

    def __init__(self, message: str, hint: str = "", *, of_language: bool = False) -> None:
        super().__init__(message)
        self.hint = hint
        self.of_language = of_language


@dataclass(frozen=True, slots=True)
class CompiledText:
    """A text of a language, ready to be asked.

    ``variables`` are the names it binds, None if it does not say; ``needs_document`` says whether it looks at the
    document, ``on_workers`` whether it works in other processes.
    """

    language: str
    ask: Question
    needs_document: bool
    on_workers: bool
    variables: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Languages:
    """The languages that some rules can use: ``given`` by the caller, by name, and all that are installed; of these the
    ones that can do anything have to be in ``allow``.

    Raises `ArgumentError` if what is allowed is none of them."""

    given: Mapping[str, Language] = field(default_factory=dict)
    allow: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.allow:
            known = {*_plugins(), *self.given}
            for name in self.allow:
                if name not in known:
                    hint = did_you_mean_or_list(name, sorted(known))
                    raise ArgumentError(f"allow: there is no language {name!r} (O1): {hint}")

    def compile(self, name: str, text: str) -> CompiledText:
        """A text of a language; raises `LanguageProblem`."""
        engine = self._engine(name)
        if name not in self.given and name not in self.allow and getattr(engine, "needs_permission", False):
            raise LanguageProblem(
                f"the language {name!r} is not allowed: its texts can do anything, and rules are data (O2)",
                f"if you trust these rules: --allow {name}, or load_rules(…, allow=({name!r},))",
                of_language=True,
            )
        try:
            question = engine.compile(text)
        except Exception as error:
            said = " ".join(str(error).split()) or type(error).__name__
            raise LanguageProblem(f"{name} cannot read this: {said} (O1)") from error
        if not callable(question):
            raise LanguageProblem(f"{name} made {question!r} of this, which cannot be called (O1)")
        needs_document = getattr(question, "needs_document", getattr(engine, "needs_document", True))
        variables = getattr(question, "variables", None)
        return CompiledText(
            name, question, bool(needs_document), bool(getattr(engine, "on_workers", True)),
            None if variables is None else tuple(variables),
        )  # fmt: skip

    def _engine(self, name: str) -> Language:
        if name in self.given:
            return self.given[name]
        plugins = _plugins()
        if name not in plugins:
            raise LanguageProblem(
                f"there is no language {name!r} (O1)",
                did_you_mean_or_list(name, sorted({*plugins, *self.given})),
                of_language=True,
            )
        module, _, attribute = plugins[name].partition(":")
        try:
            found = getattr(import_module(module), attribute)
            return cast("Language", found() if isinstance(found, type) else found)
        except Exception as error:
            said = " ".join(str(error).split()) or type(error).__name__
            raise LanguageProblem(
                f"the language {name!r} cannot be loaded: {said} (O1)", of_language=True
            ) from error


def _plugins() -> dict[str, str]:
    """The languages that are installed, and where they are."""
    return {plugin.name: plugin.value for plugin in entry_points(group=GROUP)} | _OWN
