"""Python functions as opaque expressions: ``opaque["python", "shop.checks:is_odd"](item/price/text())`` (O2)."""

from __future__ import annotations

from importlib import import_module

from .protocol import Question


class Python:
    """The text is ``module:function``; the function is asked (event, document), see `xmlcep.languages.Question`.

    Importing a module runs what is in it, so whoever loads the rules has to allow this language.
    """

    needs_permission = True

    def compile(self, text: str) -> Question:
        """The function of that name; raises `ValueError` if there is none, and whatever its module raises."""
        module, colon, path = text.partition(":")
        if not colon or not module or not path:
            raise ValueError(f"{text!r} is not a function: write module:function")
        found = import_module(module)
        for name in path.split("."):
            if not hasattr(found, name):
                raise ValueError(f"the module {module} has no {path}")
            found = getattr(found, name)
        function: Question = found  # type: ignore[assignment]
        return function
