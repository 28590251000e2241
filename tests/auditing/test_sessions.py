"""Sessions of our own: where they run, what they send, and that Ctrl-C ends them with one word, no traceback."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import ZipFile

import pytest

from tests.auditing.logs import write_log
from tests.auditing.test_agreement import lines_of, orders
from tests.project.source import ROOT, tracked_files
from xmlcep.auditing.spark import session as sessions
from xmlcep.cli.main import run

pytestmark = pytest.mark.usefixtures("signals_heard")

PACKAGES = tuple(f"{each}/" for each in sessions.PACKAGES)


def interrupt() -> None:
    """What Ctrl-C does."""
    os.kill(os.getpid(), signal.SIGINT)


class Session:
    """A Spark session whose JVM does not answer any more."""

    stops = 0

    def stop(self) -> None:
        self.stops += 1
        raise OSError("Answer from Java side is empty")


def test_while_the_jvm_starts_it_waits() -> None:
    before = signal.getsignal(signal.SIGINT)
    with sessions._interrupts(held=1) as came:
        interrupt()
        assert came == [signal.SIGINT]
        with pytest.raises(KeyboardInterrupt):
            interrupt()  # the second does not wait
    assert signal.getsignal(signal.SIGINT) is before


def test_whatever_comes_of_an_interrupt_is_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    session = Session()
    monkeypatch.setattr(sessions, "start_session", lambda *_, **__: session)
    before = signal.getsignal(signal.SIGINT)
    with (
        pytest.raises(KeyboardInterrupt),
        sessions.spark_session(master="local"),
        other_error(),
    ):
        interrupt()
    assert session.stops == 1 and signal.getsignal(signal.SIGINT) is before


class Builder:
    """Makes a session, or what else ``getOrCreate`` does."""

    def __init__(self, get_or_create: Callable[[], Any]) -> None:
        self.getOrCreate = get_or_create
        self.settings: dict[str, Any] = {}

    def appName(self, _: str) -> Builder:
        return self

    def config(self, *, map: dict[str, Any]) -> Builder:
        self.settings = map
        return self


@pytest.fixture
def submitted(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], Builder]:
    """Has a session made by this function, in a program that ``spark-submit`` runs: no Java is looked for."""
    pyspark = pytest.importorskip("pyspark.sql")
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    monkeypatch.setattr(sessions, "find_java", None)

    def building(get_or_create: Callable[[], Any]) -> Builder:
        builder = Builder(get_or_create)
        monkeypatch.setattr(pyspark.SparkSession, "builder", builder)
        return builder

    return building


def test_what_ends_us_and_the_jvm_while_it_starts_is_an_interrupt(
    submitted: Callable[[Callable[[], Any]], Builder],
) -> None:
    """SIGTERM for all processes of a group, as `timeout` and systemd send it."""

    def get_or_create() -> None:
        interrupt()
        raise RuntimeError("[JAVA_GATEWAY_EXITED] Java gateway process exited")

    submitted(get_or_create)
    with pytest.raises(KeyboardInterrupt):
        sessions.start_session("local")


def test_the_command_says_one_word_and_leaves_nothing(
    submitted: Callable[[Callable[[], Any]], Builder], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = write_log(tmp_path / "log.jsonl", lines_of(orders("a")))
    rules = tmp_path / "rules.xcep"
    rules.write_text("event A = ins(item)")
    stopped = []

    def get_or_create() -> Any:
        interrupt()
        return SimpleNamespace(stop=lambda: stopped.append(True))

    submitted(get_or_create)
    out = tmp_path / "out.jsonl"
    options = ["--engine", "spark", "--master", "local", "--out", str(out)]
    assert run(["audit", str(log), "--rules", str(rules), *options]) == 130
    assert (stopped, capsys.readouterr().err) == ([True], "stopped\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.jsonl", "rules.xcep"]


def test_without_a_session_an_audit_runs_where_it_was_submitted_to(
    submitted: Callable[[Callable[[], Any]], Builder], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the settings that it makes; tests/auditing/test_submit.py submits one."""
    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: None)
    sent, stopped = [], []
    session = SimpleNamespace(
        addArtifacts=lambda file, *, pyfile: sent.append((file, pyfile)), stop=lambda: stopped.append(True)
    )
    settings = submitted(lambda: session)
    with sessions.spark_session() as ours:
        sessions.send_package(session)  # type: ignore[arg-type]
        assert (ours, stopped) == (session, [])
    assert stopped == [True] and settings.settings == sessions.SETTINGS
    (first, second) = sent
    assert first == second and first[1]
    packed = set(ZipFile(first[0]).namelist())
    assert packed == {
        path for each in tracked_files() if (path := each.relative_to(ROOT).as_posix()).startswith(PACKAGES)
    }


@contextmanager
def other_error() -> Iterator[None]:
    """Puts an error of its own in place of what comes out of the block, as py4j does."""
    try:
        yield
    finally:
        raise RuntimeError("Answer from Java side is empty")


def test_py4j_has_no_log_of_its_own(caplog: pytest.LogCaptureFixture) -> None:
    file = "/lib/py4j/java_gateway.py"
    record = logging.LogRecord("root", logging.ERROR, file, 1, "while sending", (), None)
    with sessions._without_log_of_py4j():
        logging.getLogger().handle(record)
        logging.getLogger("py4j.clientserver").error("while sending")
        logging.getLogger("other").error("told")
    assert [each.message for each in caplog.records] == ["told"]
    logging.getLogger().handle(record)
    assert len(caplog.records) == 2


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
def test_at_a_terminal(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    log = write_log(tmp_path / "log.jsonl", lines_of(orders("a")))
    rules = tmp_path / "rules.xcep"
    rules.write_text("event A = ins(item)")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [
            sys.executable, "-m", "xmlcep", "audit", str(log), "--rules", str(rules), "--engine", "spark",
            "--out", str(tmp_path / "out.jsonl"),
        ],
        cwd=ROOT, env=os.environ | {"TMPDIR": str(temporary)}, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + 60
    while not list(temporary.glob("xmlcep-spark-*")) and time.monotonic() < until:
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=120)  # ends only when the JVM has ended: it has the pipe, too
    assert (said.split(), process.returncode) == (["stopped"], 130)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.jsonl", "rules.xcep", "temporary"]
