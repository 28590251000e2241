"""Runs that kill themselves (SIGKILL) at a step they take towards the disk, each in a process of its own."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from typing import Any


def fsync_at_once(file: Any) -> None:
    """For `os.fsync`: does not wait for the disk, which matters only where a machine stops. The file has to be open."""
    os.fstat(file if isinstance(file, int) else file.fileno())


class Killer:
    """Kills this process at its n-th step: before or behind a call of what brings something to the disk, or half way
    through a copy."""

    def __init__(self, at: int) -> None:
        self._left = at

    def step(self) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            self.step()
            result = call(*args, **kwargs)
            self.step()
            return result

        return called

    def copy(self, source: Any, target: Any, length: int = 0) -> None:
        content = source.read()
        target.write(content[: len(content) // 2])
        target.flush()
        self.step()
        target.write(content[len(content) // 2 :])

    def arm(self) -> None:
        for name in ("fsync", "replace", "unlink", "truncate", "open"):
            setattr(os, name, self.around(getattr(os, name)))
        shutil.copyfileobj = self.copy  # type: ignore[assignment]  # not generic


def killed(run: Callable[[], None], at: int) -> bool:
    """Whether ``run``, in a child, was killed at its step ``at``; False if it took less."""
    child = os.fork()
    if child == 0:
        try:
            Killer(at).arm()
            run()
            os._exit(0)
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", flush=True)
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return True
    assert status == 0, "a run has failed"
    return False
