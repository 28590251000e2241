"""Killed workers, a real cluster, a job that fails: the answer is right, or one sentence."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.audit.logs import write_log
from tests.audit.test_agreement import ORDER_RULES, assert_same, lines_of, orders
from xmlcep.audit import SparkError, audit
from xmlcep.audit.session import start_session
from xmlcep.audit.spark_errors import explain, explained

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REPOSITORY = Path(__file__).resolve().parents[2]


def test_a_killed_worker_changes_nothing(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from xmlcep.audit import spark as job
    from xmlcep.audit import tasks

    log = write_log(tmp_path / "a.jsonl", lines_of(orders("a", txn=True)) + lines_of(orders("b")))
    killed = tmp_path / "killed"

    def deadly(*arguments, **options):  # type: ignore[no-untyped-def]
        task = tasks.replay_task(*arguments, **options)

        def run(batches):  # type: ignore[no-untyped-def]
            for batch in task(batches):
                if not killed.exists():
                    killed.touch()
                    os.kill(os.getpid(), signal.SIGKILL)
                yield batch

        return run

    monkeypatch.setattr(job, "replay_task", deadly)
    distributed = audit(
        log, ORDER_RULES, engine="spark", spark=spark, partitions=3, out=tmp_path / "spark.out"
    )
    assert killed.exists()
    assert_same(distributed, audit(log, ORDER_RULES, out=tmp_path / "local.out"))


def test_a_failed_job_is_one_sentence_and_leaves_nothing(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from xmlcep.audit import spark as job

    log = write_log(tmp_path / "a.jsonl", lines_of(orders("a")))

    def broken(*_arguments, **_options):  # type: ignore[no-untyped-def]
        def run(batches):  # type: ignore[no-untyped-def]
            raise ValueError("the replay is broken")
            yield from batches

        return run

    monkeypatch.setattr(job, "replay_task", broken)
    with pytest.raises(SparkError) as caught:
        audit(log, ORDER_RULES, engine="spark", spark=spark, out=tmp_path / "f.jsonl")
    assert "ValueError: the replay is broken" in str(caught.value) and "\n" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


@pytest.mark.parametrize("master", ["nonsense", "local[x]", "local[2", "spark:/host", "local[2] ", ""])
def test_what_is_no_master(master: str) -> None:
    with pytest.raises(
        SparkError, match=r"is no Spark master: expected local, local\[4\], spark://HOST:PORT"
    ):
        start_session(master)


def test_causes_are_named() -> None:
    assert "master cannot be reached" in explain(
        RuntimeError(
            "java.lang.IllegalStateException: Cannot call methods on a stopped SparkContext.\n\tat x.y"
        )
    )
    assert "memory" in explain(RuntimeError("... java.lang.OutOfMemoryError: Java heap space\n\tat x.y"))
    assert "SPARK_LOCAL_DIRS" in explain(RuntimeError("java.io.IOException: No space left on device"))
    with pytest.raises(ZeroDivisionError), explained():
        raise ZeroDivisionError  # our own faults are not dressed up


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """A standalone master with two workers on the loopback interface; its URL."""
    import pyspark

    from xmlcep.audit.java import find_java

    home = Path(pyspark.__file__).parent
    java = find_java()
    environment = os.environ | {
        "SPARK_HOME": str(home), "SPARK_NO_DAEMONIZE": "1", "JAVA_HOME": str(java.home), "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable, "SPARK_WORKER_DIR": str(folder / "work"),
    }  # fmt: skip
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str) -> None:
        with (folder / f"{len(started)}.log").open("wb") as log:
            started.append(
                subprocess.Popen(
                    [str(home / "bin" / "spark-class"), *arguments],
                    env=environment,
                    cwd=folder,
                    stdout=log,
                    stderr=log,
                )
            )

    port, web = free_port(), free_port()
    url = f"spark://127.0.0.1:{port}"
    try:
        start(
            "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port),
            "--webui-port", str(web),
        )  # fmt: skip
        wait_for(folder / "0.log", "I have been elected leader")
        for _ in range(2):
            start(
                "org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", "1g",
                "--webui-port", str(free_port()), url,
            )  # fmt: skip
        for number in (1, 2):
            wait_for(folder / f"{number}.log", "Successfully registered with master")
        yield url
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait(timeout=30)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def wait_for(log: Path, sign: str) -> None:
    """Waits until a process has written this."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if re.search(sign, log.read_text(errors="replace")):
            return
        time.sleep(0.1)
    pytest.fail(f"{log.name} does not say {sign!r}: {log.read_text(errors='replace')[-2000:]}")


@pytest.mark.slow
def test_a_cluster_of_two_workers(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    log = write_log(tmp_path / "a.jsonl", lines_of(orders("a", txn=True)) + lines_of(orders("b", 300)))
    (tmp_path / "rules.xcep").write_text(str(ORDER_RULES))
    local = audit(log, ORDER_RULES, out=tmp_path / "local.jsonl")
    with cluster(tmp_path) as url:
        # A process of its own: this one may have a session already. The workers do not see the sources.
        done = subprocess.run(
            [
                sys.executable, "-m", "xmlcep", "audit", str(log), "--rules", str(tmp_path / "rules.xcep"), "--engine",
                "spark", "--master", url, "--partitions", "5", "--out", str(tmp_path / "spark.jsonl"),
            ],
            cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(REPOSITORY)}, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "spark.jsonl").read_bytes() == local.out.read_bytes()
