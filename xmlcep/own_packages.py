"""Whether `path_types` and `contexts` are ours; importing this module raises ImportError if not.

They are installed at the top level, where another distribution can have a package of the same name (on PyPI,
Contexts is a test framework): the one installed later, or first on the path, hides the other. Without a word about it
that would be an error about some name that is not there.
"""

from __future__ import annotations

from importlib import import_module


def installed_version() -> str:
    """The version that is installed; empty where it is run from a source folder."""
    from importlib.metadata import PackageNotFoundError, version  # which takes long to import

    try:
        return version("xmlcep")
    except PackageNotFoundError:
        return ""


def _require_own(name: str) -> None:
    module = import_module(name)
    if getattr(module, "__part_of__", None) == "xmlcep":
        return
    # Only now: reading what is installed takes longer than all imports.
    from importlib.metadata import packages_distributions, version

    others = [owner for owner in dict.fromkeys(packages_distributions().get(name, [])) if owner != "xmlcep"]
    if others:
        whose = f"that of {' and '.join(f'{owner} {version(owner)}' for owner in others)}"
        cure = f"or  pip uninstall {' '.join(others)}  and then  pip install --force-reinstall xmlcep"
    else:
        whose, cure = "another one", "or take it off the path"
    raise ImportError(
        f"xmlcep has a package {name!r} of its own, but the one that Python finds is {whose} "
        f"({getattr(module, '__file__', None) or 'a folder without __init__.py'}); the two cannot be used together: "
        f"install xmlcep in an environment of its own (python3 -m venv), {cure}",
        name=name,
    )


_require_own("path_types")  # before contexts, which import it
_require_own("contexts")
