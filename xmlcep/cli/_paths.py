"""The names of files and folders as commands take them."""

from __future__ import annotations

import os
from typing import Any

import click


class FilePath(click.Path):
    """A path. The empty one names nothing, although the system takes it for the folder that one is in: what a script
    has no value for would be read, or written to, somewhere."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        if not os.fspath(value):
            self.fail("'' names no file: it is empty", param, ctx)
        return super().convert(value, param, ctx)
