"""A Spark session made for an audit, or the caller's own."""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import MissingExtraError
from .failures import SparkError, explain
from .java import find_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DEFAULT_MASTER = "local[*,4]"  # a failed task is tried again, as on a cluster
_MASTERS = re.compile(r"local(\[(\*|\d+)(,\d+)?\])?|local-cluster\[\d+,\d+,\d+\]|yarn|(spark|k8s|sc)://\S+")
_LOOPBACK = "127.0.0.1"
PACKAGES = ("path_types", "contexts", "xmlcep")
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # With a bound Spark measures each row on its way to Python, which takes longer than all else.
    "spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1),
}
"""What sessions of our own are set to."""

_LOGGING = """\
status = off
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
rootLogger.level = off
rootLogger.appenderRef.console.ref = console
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = off
"""


def require_spark() -> None:
    """Raises `MissingExtraError` unless all that an audit with Spark imports is installed."""
    for package in ("pyspark", "pyarrow", "pandas"):  # PySpark's Arrow functions want the last
        if find_spec(package) is None:
            raise MissingExtraError("an audit with Spark", package, "spark")


@contextmanager
def spark_session(spark: SparkSession | None = None, *, master: str | None = None) -> Iterator[SparkSession]:
    """The session to audit with: ``spark`` or the active one, which stay open, else one that is stopped at the end.

    ``master`` is a Spark master URL, or one of Spark Connect (``sc://…``); default: that of ``spark-submit`` in a
    program it runs, else this machine with all its cores, failed tasks retried. Raises `MissingExtraError`,
    `NoJavaError` or `SparkError`.
    """
    require_spark()
    from pyspark.sql import SparkSession

    given = spark or (None if master else SparkSession.getActiveSession())
    if given is not None:
        yield given
        return
    with _without_log_of_py4j():
        session = start_session(master or (None if _submitted() else DEFAULT_MASTER))
        with _interrupts(held=0) as interrupts:
            try:
                yield session
            except BaseException:
                # Ctrl-C may have cut through a conversation with the JVM.
                with contextlib.suppress(Exception):
                    session.stop()
                if interrupts:  # whatever came of it
                    raise KeyboardInterrupt from None
                raise
            session.stop()


def start_session(master: str | None) -> SparkSession:
    """A new session on this master, quiet and set up for audits; None: on the one that ``spark-submit`` was given.

    Workers that are not on this machine are sent the package. Raises `NoJavaError` or `SparkError`.
    """
    require_spark()
    from pyspark.sql import SparkSession

    if master is not None and not _MASTERS.fullmatch(master):
        raise SparkError(
            f"{master!r} is no Spark master: expected local, local[4], spark://HOST:PORT, sc://HOST:PORT, yarn or k8s://…"
        )
    builder = SparkSession.builder.appName("xmlcep audit")
    if master is not None and master.startswith("sc://"):
        builder = builder.remote(master)
    else:
        builder = builder.config(map=_settings(master))
    with _interrupts(held=1) as interrupts:
        try:
            session = builder.getOrCreate()
            if not (master or "").startswith("local"):
                send_package(session)
        except Exception as error:  # those of PySpark and py4j have no common base
            if interrupts:  # what ends us has ended the JVM, too
                raise KeyboardInterrupt from None
            where = master or "the master of spark-submit"
            raise SparkError(f"Spark did not start on {where}: {explain(error)}") from error
    if interrupts:
        session.stop()
        raise KeyboardInterrupt
    return session


def _settings(master: str | None) -> dict[str, bool | float | int | str | None]:
    """The settings of a session with a JVM here."""
    settings: dict[str, bool | float | int | str | None] = {**SETTINGS}
    local = master is not None and master.startswith("local")
    if master is not None:
        settings["spark.master"] = master
    if not _submitted():  # else Java runs already
        os.environ["JAVA_HOME"] = str(find_java().home)
        settings["spark.driver.extraJavaOptions"] = f"-Dlog4j2.configurationFile=file:{_quiet_logging()}"
        if local:
            settings["spark.driver.memory"] = _memory()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if local or _LOOPBACK in (master or ""):
        os.environ.setdefault("SPARK_LOCAL_IP", _LOOPBACK)
    return settings


def _memory() -> str:
    """How much memory a JVM gets that does all the work: a quarter of the machine's, at most 4 GiB."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return "1g"
    return f"{max(1024, min(4096, total // 2**22))}m"


def _folder(prefix: str) -> Path:
    """A temporary folder that is gone when this process is."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _quiet_logging() -> Path:
    file = _folder("xmlcep-spark-") / "log4j2.properties"
    file.write_text(_LOGGING, encoding="utf-8")
    return file


def _submitted() -> bool:
    """Whether ``spark-submit`` runs this program: then its JVM waits for us, and its master is set."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def send_package(spark: SparkSession) -> None:
    """Sends the packages of this project to the workers of a session, which need lxml, lark and pyarrow besides.

    May be called again.
    """
    spark.addArtifacts(str(_archive()), pyfile=True)


@cache
def _archive() -> Path:
    """A zip of the project's packages, as workers import them from: one for this process, of a name of its own, as
    Spark refuses other files of one name."""
    folder = _folder("xmlcep-packages-")
    archive = folder / f"{folder.name}.zip"
    top = Path(__file__).resolve().parents[3]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for package in PACKAGES:
            for path in sorted((top / package).rglob("*")):
                if path.is_file() and path.suffix != ".pyc":
                    target.write(path, path.relative_to(top).as_posix())
    return archive


# ---- Ctrl-C ---------------------------------------------------------------------------------------------------


@contextmanager
def _without_log_of_py4j() -> Iterator[None]:
    """What py4j complains of it raises, too: its log would only add tracebacks, such as those of Ctrl-C."""
    root, own = logging.getLogger(), logging.getLogger("py4j")
    level = own.level
    root.addFilter(_is_not_of_py4j)  # some of it goes to the root logger
    own.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        own.setLevel(level)
        root.removeFilter(_is_not_of_py4j)


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    return "py4j" not in Path(record.pathname).parts


@contextmanager
def _interrupts(*, held: int) -> Iterator[list[int]]:
    """Yields the list of Ctrl-C that came, the first ``held`` of which have no other effect.

    A JVM that is left while it starts never ends. PySpark's handler asks the JVM to cancel all jobs, from within
    whatever the program is asking it at that moment, which fails.
    """
    came: list[int] = []

    def note(number: int, _: object) -> None:
        came.append(number)
        if len(came) > held:
            raise KeyboardInterrupt

    if (
        threading.current_thread() is not threading.main_thread()
    ):  # where handlers cannot be set, by PySpark neither
        yield came
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
