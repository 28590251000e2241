"""CPU time of this process and all below it: with Spark the work is done by a JVM and its Python workers."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from .frame import Unavailable

_INTERVAL_S = 0.2
_PROC = Path("/proc")


class ProcessTree:
    """Looks at the process tree now and then, for a process that has ended cannot be asked any more.

    What a process used between the last look and its end is missed.
    """

    def __init__(self) -> None:
        if not (_PROC / "self" / "stat").exists():
            raise Unavailable("CPU time of process trees: there is no /proc here")
        self._ticks = os.sysconf("SC_CLK_TCK")
        self._seen: dict[int, float] = {}
        self._over = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def seconds(self) -> float:
        """CPU seconds used so far."""
        self._look()
        return sum(self._seen.values())

    def close(self) -> None:
        """Stops looking."""
        self._over.set()

    def _watch(self) -> None:
        while not self._over.wait(_INTERVAL_S):
            self._look()

    def _look(self) -> None:
        processes = {int(path.name): self._read(path) for path in _PROC.iterdir() if path.name.isdigit()}
        below = {os.getpid()}
        grown = True
        while grown:
            found = {pid for pid, (parent, _) in processes.items() if parent in below and pid not in below}
            below |= found
            grown = bool(found)
        for pid in below:
            if pid in processes:
                self._seen[pid] = processes[pid][1]

    def _read(self, path: Path) -> tuple[int, float]:
        try:
            fields = (path / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            return -1, 0.0
        return int(fields[1]), (int(fields[11]) + int(fields[12])) / self._ticks
