"""CPU time and memory of this process and all below it: with Spark a JVM and its Python workers do the work."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from pathlib import Path
from typing import NamedTuple

from .frame import Unavailable

_INTERVAL_S = 0.5
_PROC = Path("/proc")
_SET_CHILD_SUBREAPER = 36  # of prctl(2)


class _Process(NamedTuple):
    """A process as /proc has it: CPU in ticks, its own and that of the children it has waited for."""

    parent: int
    name: str
    ticks: int
    resident: int


class Memory(NamedTuple):
    """Bytes: the most that all processes held at one time, and the highest peak of a process of each kind.

    Pages that processes share (after a fork) count for each of them.
    """

    at_once: int
    driver: int
    java: int
    worker: int


class ProcessTree:
    """This process and all below it.

    CPU time is exact to a clock tick: a process that has ended counts with the one that waited for it, or
    stands in /proc until that happens; one whose parent has ended becomes a child of this process. Only where a
    parent ignores the ends of its children (PySpark's daemon does, so it is about workers that end before
    the audit does) counts what was seen of them last, half a second before the end at most. Memory is
    looked at as often.
    """

    def __init__(self) -> None:
        if sys.platform != "linux":
            raise Unavailable("CPU time of process trees: there is no /proc here")
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self._ticks = os.sysconf("SC_CLK_TCK")
        self._page = os.sysconf("SC_PAGE_SIZE")
        self._lock = threading.Lock()
        self._forsaken: dict[int, int] = {}  # ticks of processes nobody waits for, as last seen
        self._at_once = 0
        self._peaks: dict[str, int] = {}
        self._over = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def seconds(self) -> float:
        """CPU seconds used so far."""
        with self._lock:
            processes = self._processes()
            self._note_forsaken(processes)
            ended = sum(ticks for pid, ticks in self._forsaken.items() if pid not in processes)
            return (ended + sum(process.ticks for process in processes.values())) / self._ticks

    def seconds_of_all(self) -> float:
        """CPU seconds that all processes of the machine have used since it was started."""
        total = (_PROC / "stat").read_text().split("\n", 1)[0].split()
        user, nice, system, _, _, irq, softirq = map(int, total[1:8])
        return (user + nice + system + irq + softirq) / self._ticks

    def memory(self) -> Memory:
        """What memory was used so far."""
        with self._lock:
            self._look()
        return Memory(self._at_once, *(self._peaks.get(kind, 0) for kind in ("driver", "java", "worker")))

    def close(self) -> None:
        """Stops looking."""
        self._over.set()

    def _watch(self) -> None:
        while not self._over.wait(_INTERVAL_S):
            with self._lock:
                self._look()

    def _look(self) -> None:
        processes = self._processes()
        self._note_forsaken(processes)
        resident = sum(process.resident for process in processes.values()) * self._page
        self._at_once = max(self._at_once, resident)
        for pid, process in processes.items():
            kind = "driver" if pid == os.getpid() else "java" if process.name == "java" else "worker"
            self._peaks[kind] = max(self._peaks.get(kind, 0), peak(pid))

    def _note_forsaken(self, processes: dict[int, _Process]) -> None:
        careless = {pid for pid in processes if _ignores_children(pid)}
        self._forsaken |= {pid: each.ticks for pid, each in processes.items() if each.parent in careless}

    def _processes(self) -> dict[int, _Process]:
        """All that belong to the tree."""
        everything = {
            int(path.name): process
            for path in _PROC.iterdir()
            if path.name.isdigit() and (process := _read(path)) is not None
        }
        below = {os.getpid()}
        grown = True
        while grown:
            found = {pid for pid, process in everything.items() if process.parent in below} - below
            below |= found
            grown = bool(found)
        return {pid: everything[pid] for pid in below}


def _read(path: Path) -> _Process | None:
    try:
        text = (path / "stat").read_text()
    except OSError:
        return None  # it has just ended
    name = text[text.index("(") + 1 : text.rindex(")")]
    fields = text[text.rindex(")") + 1 :].split()
    return _Process(int(fields[1]), name, sum(map(int, fields[11:15])), int(fields[21]))


def peak(pid: int) -> int:
    """The most memory a process has held; 0 if it has ended."""
    field = _status(pid, "VmHWM")
    return int(field.split()[0]) * 1024 if field else 0


def _ignores_children(pid: int) -> bool:
    """Whether the kernel forgets the children of this process when they end."""
    field = _status(pid, "SigIgn")
    return bool(field and int(field, 16) >> (signal.SIGCHLD - 1) & 1)


def _status(pid: int, name: str) -> str:
    try:
        lines = (_PROC / str(pid) / "status").read_text().splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(f"{name}:")), "")
