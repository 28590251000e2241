"""Ctrl-C: a session that ends, one word, no traceback."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.auditing.logs import write_log
from tests.auditing.test_agreement import lines_of, orders
from xmlcep.auditing.spark import session as sessions

pytestmark = pytest.mark.usefixtures("signals_heard")

REPOSITORY = Path(__file__).resolve().parents[2]


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


def test_what_ends_us_and_the_jvm_while_it_starts_is_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGTERM for all processes of a group, as `timeout` and systemd send it."""
    pyspark = pytest.importorskip("pyspark.sql")

    class Builder:
        def __getattr__(self, _: str) -> Any:
            return lambda *_, **__: self

        def getOrCreate(self) -> None:
            interrupt()
            raise RuntimeError("[JAVA_GATEWAY_EXITED] Java gateway process exited")

    monkeypatch.setattr(pyspark.SparkSession, "builder", Builder())
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")  # no Java is looked for
    with pytest.raises(KeyboardInterrupt):
        sessions.start_session("local")


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
        cwd=REPOSITORY, env=os.environ | {"TMPDIR": str(temporary)}, stderr=subprocess.PIPE, text=True,
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
