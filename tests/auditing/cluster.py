"""A real Spark cluster on this machine whose workers cannot import the package."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.java import JAVA_OPTIONS
from xmlcep.auditing.spark.java import find_java
from xmlcep.auditing.spark.session import PACKAGES

NOT_HERE = "this worker was not sent the package"
"""What a worker says that tries to import the package and was not sent it."""


@contextmanager
def bare_cluster(folder: Path) -> Iterator[str]:
    """A standalone master with two workers of one core on the loopback interface, files in ``folder``; its URL.

    Each worker has a folder of its own, and cannot import the package: where it is installed, that is hidden.
    """
    import pyspark

    hiding = folder / "hiding"
    for package in PACKAGES:
        (hiding / package).mkdir(parents=True)
        (hiding / package / "__init__.py").write_text(f"raise ImportError({NOT_HERE!r})\n")
    home = Path(pyspark.__file__).parent
    environment = os.environ | {
        "SPARK_HOME": str(home), "SPARK_NO_DAEMONIZE": "1", "JAVA_HOME": str(find_java().home),
        "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(hiding),
        "JDK_JAVA_OPTIONS": JAVA_OPTIONS,
    }  # fmt: skip
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str) -> Path:
        own = folder / str(len(started))
        own.mkdir()
        written = own / "log"
        command = [str(home / "bin" / "spark-class"), *arguments]
        with written.open("wb") as log:
            where = environment | {"SPARK_WORKER_DIR": str(own / "work")}
            started.append(subprocess.Popen(command, env=where, cwd=own, stdout=log, stderr=log))
        return written

    port = _free_port()
    url = f"spark://127.0.0.1:{port}"
    try:
        master = start(
            "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port),
            "--webui-port", str(_free_port()),
        )  # fmt: skip
        # The worker asks again until there is a master, but later and later.
        _wait_for(master, "I have been elected leader")
        workers = [
            start(
                "org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", "2g",
                "--webui-port", str(_free_port()), url,
            )
            for _ in range(2)
        ]  # fmt: skip
        for worker in workers:
            _wait_for(worker, "Successfully registered with master")
        yield url
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait(timeout=30)


def _free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _wait_for(log: Path, sign: str) -> None:
    """Waits until a process has written this."""
    until = time.monotonic() + 180
    while time.monotonic() < until:
        if re.search(sign, log.read_text(errors="replace")):
            return
        time.sleep(0.1)
    pytest.fail(f"{log.name} does not say {sign!r}: {log.read_text(errors='replace')[-2000:]}")
