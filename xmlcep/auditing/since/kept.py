"""States that earlier runs have left, to go back to one when a record comes late (``late="restart"``).

They are files in a folder beside the state, by the numbers of their runs; the state says which of them are good.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from ...rules import Rules
from ..findings.atomic_files import AtomicFile
from .state_file import AuditState

MOST = 8
"""States that are kept."""


def keep(state: AuditState) -> None:
    """Keeps the state as the last run has left it, if there was one."""
    if not state.path.exists():
        return
    folder = _folder(state)
    folder.mkdir(exist_ok=True)
    with AtomicFile(folder / str(state.runs)) as file, state.path.open("rb") as source:
        shutil.copyfileobj(source, file.stream)
    state.kept = [*state.kept, state.runs][-MOST:]


def state_before(state: AuditState, rules: Rules, first: Mapping[str, int]) -> AuditState:
    """The last kept state in which no document has come to the time point ``first`` names, else that of the beginning:
    as a state of the next run."""
    for run in reversed(state.kept):
        found = AuditState.load(_folder(state) / str(run), rules, state.options, {}, None)
        if all(found.reached(doc) < ts for doc, ts in first.items()):
            break
    else:
        run, found = 0, AuditState(state.path, state.options)
    found.path, found.runs, found.late = state.path, state.runs, state.late
    found.kept = [each for each in state.kept if each <= run]  # those behind lack what has come late
    return found


def tidy(state: AuditState) -> None:
    """Removes states that are not kept any more."""
    folder = _folder(state)
    for file in folder.iterdir() if folder.exists() else ():
        if file.name.isdecimal() and int(file.name) not in state.kept:
            file.unlink()


def _folder(state: AuditState) -> Path:
    return state.path.with_name(f".{state.path.name}.kept")
