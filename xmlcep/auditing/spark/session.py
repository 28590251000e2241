"""A Spark session made for audits, or the caller's own."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import logging
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import MissingExtraError
from .failures import SparkError, explain
from .java import find_java
from .worker_daemon import DAEMON_SETTINGS, FORKS_LOADED

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOOPBACK = "127.0.0.1"
MAX_TASK_FAILURES = 4
DEFAULT_MASTER = f"local[*,{MAX_TASK_FAILURES}]"
_MASTERS = re.compile(r"local(\[(\*|\d+)(,\d+)?\])?|local-cluster\[\d+,\d+,\d+\]|yarn|(spark|k8s)://\S+")
PACKAGES = ("path_types", "contexts", "xmlcep")

# Below this many bytes of log the time to compile hot code exceeds what the compiled code saves.
SMALL_INPUT = 512 * 2**20

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
    """Raises `MissingExtraError` unless all that an audit with Spark imports is installed.

    pandas is not loaded, which takes long: PySpark asks for it when records have to be sorted, in the middle of a job.
    """
    for package in ("pyspark", "pyarrow", "numpy", "pandas"):
        if find_spec(package) is None:
            raise MissingExtraError("an audit with Spark", package, "spark")


@contextmanager
def spark_session(
    spark: SparkSession | None = None, *, master: str | None = None, input_bytes: int = 0
) -> Iterator[SparkSession]:
    """The session to audit with: ``spark`` or the active one, which stay open, else one that is stopped at the end.

    ``master`` is a Spark master URL; default: that of ``spark-submit`` in a program it runs, else this machine
    with all its cores, failed tasks retried. ``input_bytes`` is how much is to be read; it decides how much the
    Java compiler does. Raises `MissingExtraError`, `NoJavaError` or `SparkError`.
    """
    require_spark()
    from pyspark.sql import SparkSession

    given = spark or (None if master else SparkSession.getActiveSession())
    if given is not None:
        ship_packages(given)
        yield given
        return
    with _without_log_of_py4j():
        chosen = master or (None if _submitted() else DEFAULT_MASTER)
        session = start_session(chosen, input_bytes=input_bytes)
        with _noted_interrupts() as interrupts:
            try:
                ship_packages(session)
                yield session
            except BaseException:
                # Ctrl-C may have cut through a conversation with the JVM.
                with contextlib.suppress(Exception):
                    session.stop()
                if interrupts:  # whatever came of it
                    raise KeyboardInterrupt from None
                raise
            session.stop()


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
def _held_interrupts() -> Iterator[list[int]]:
    """Holds back Ctrl-C, and keeps PySpark from handling it; yields the list of those that came.

    A JVM that is left while it starts never ends. PySpark's handler asks the JVM to cancel all jobs, from within
    whatever the program is asking it at that moment, which fails. A second Ctrl-C is not held back.
    """
    came: list[int] = []

    def note(number: int, _: object) -> None:
        came.append(number)
        if len(came) > 1:
            raise KeyboardInterrupt

    with _handling_interrupts(note):
        yield came


@contextmanager
def _noted_interrupts() -> Iterator[list[int]]:
    """Yields the list of Ctrl-C that came."""
    came: list[int] = []

    def note(number: int, _: object) -> None:
        came.append(number)
        raise KeyboardInterrupt

    with _handling_interrupts(note):
        yield came


@contextmanager
def _handling_interrupts(handler: Callable[[int, object], None]) -> Iterator[None]:
    """Handles Ctrl-C so, in the main thread; handlers can be set nowhere else, by PySpark neither."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)


def _submitted() -> bool:
    """Whether ``spark-submit`` runs this program: then its JVM waits for us, and its master is set."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def _check_local_folders() -> None:
    """Raises `SparkError` where Spark would find no folder for what workers put aside, and say so in many lines."""
    given = os.environ.get("SPARK_LOCAL_DIRS", "")
    folders = [Path(each) for each in given.split(",") if each]
    if folders and not any(map(_is_writable, folders)):
        raise SparkError(
            f"SPARK_LOCAL_DIRS is {given}: nothing can be written there: set it to a folder with room, or leave it out"
        )


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def start_session(master: str | None, *, input_bytes: int = 0) -> SparkSession:
    """A new session on this master, quiet and set up for audits; None: on the one that ``spark-submit`` was given.

    Raises `NoJavaError` or `SparkError`.
    """
    require_spark()
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    if master is not None and not _MASTERS.fullmatch(master):
        raise SparkError(
            f"{master!r} is no Spark master: expected local, local[4], spark://HOST:PORT, yarn or k8s://…"
        )
    builder = SparkSession.builder.appName("xmlcep audit")
    if master is not None:
        builder = builder.master(_retrying(master))
    local = master is not None and master.startswith("local")
    if local:
        _check_local_folders()
    # Without a launched JVM there is a choice of Java; in spark-submit it runs already.
    if SparkContext._gateway is None and not _submitted():
        java = find_java()
        os.environ["JAVA_HOME"] = str(java.home)
        builder = builder.config("spark.driver.extraJavaOptions", _java_options(input_bytes))
        if local:
            builder = builder.config("spark.driver.memory", _memory())
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if local or LOOPBACK in (master or ""):
        os.environ.setdefault("SPARK_LOCAL_IP", LOOPBACK)
        builder = builder.config("spark.driver.host", LOOPBACK).config("spark.driver.bindAddress", LOOPBACK)
    settings = _SETTINGS | (DAEMON_SETTINGS if local and FORKS_LOADED else {})
    for name, value in settings.items():
        builder = builder.config(name, value)
    with _held_interrupts() as interrupts:
        try:
            session = builder.getOrCreate()
        except Exception as error:  # those of PySpark and py4j have no common base
            if interrupts:  # what ends us has ended the JVM, too
                raise KeyboardInterrupt from None
            where = master or "the master of spark-submit"
            raise SparkError(f"Spark did not start on {where}: {explain(error)}") from error
    if interrupts:
        session.stop()
        raise KeyboardInterrupt
    _quieten_lost_connections(session)
    return session


def _quieten_lost_connections(session: SparkSession) -> None:
    """The driver is told in other ways that the JVM has gone: what takes accumulators' values would add a traceback."""
    server: Any = session.sparkContext._accumulatorServer
    usual = server.handle_error

    def handle_error(request: object, client: object) -> None:
        error = sys.exc_info()[1]
        if not isinstance(error, (EOFError, OSError)) and not type(error).__module__.startswith("pyspark"):
            usual(request, client)

    server.handle_error = handle_error


_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.ui.showConsoleProgress": "false",
    # Plans are small, and made with their numbers of tasks: to look at them again takes half a second of CPU.
    "spark.sql.adaptive.enabled": "false",
    # Rows are few and large: to compile code for them takes longer than what it saves.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version": "1",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "20000",
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",
    "spark.task.maxFailures": str(MAX_TASK_FAILURES),
    # Findings are fetched partition by partition and go to the disk: there is no size that is too much.
    "spark.driver.maxResultSize": "0",
}


def _retrying(master: str) -> str:
    """The master with failed tasks retried: ``local[2]`` alone gives up at the first."""
    if master == "local":
        return f"local[1,{MAX_TASK_FAILURES}]"
    if master.startswith("local[") and "," not in master:
        return f"{master[:-1]},{MAX_TASK_FAILURES}]"
    return master


def _memory() -> str:
    """How much memory a JVM gets that does all the work: a quarter of the machine's, at most 4 GiB."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return "1g"
    return f"{max(1024, min(4096, total // 2**22))}m"


def _java_options(input_bytes: int) -> str:
    folder = Path(tempfile.mkdtemp(prefix="xmlcep-spark-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    logging = folder / "log4j2.properties"
    logging.write_text(_LOGGING, encoding="utf-8")
    options = [f"-Dlog4j2.configurationFile=file:{logging}", "-XX:+UseParallelGC"]
    if input_bytes < SMALL_INPUT:
        options.append("-XX:TieredStopAtLevel=1")
    return " ".join(options)


def ship_packages(spark: SparkSession) -> None:
    """Sends the project's own packages to the workers, unless they share this machine's files.

    They are sent once for each session: Spark refuses a second file of the same name, so the name tells what is
    in it.
    """
    context = spark.sparkContext
    if str(context.master).startswith("local"):
        return
    folder = Path(tempfile.mkdtemp(prefix="xmlcep-ship-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    archive = build_archive(folder)
    if not any(shipped.endswith(f"/{archive.name}") for shipped in context.listFiles):
        context.addPyFile(str(archive))


def build_archive(folder: Path) -> Path:
    """A zip of the project's packages in ``folder``, as workers import them from; its name has its checksum."""
    archive = folder / "packages.zip"
    top = Path(__file__).resolve().parents[3]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for package in PACKAGES:
            for path in sorted((top / package).rglob("*")):
                if path.is_file() and path.suffix != ".pyc":
                    target.write(path, path.relative_to(top).as_posix())
    checksum = hashlib.sha256(archive.read_bytes()).hexdigest()
    return archive.rename(folder / f"xmlcep-packages-{checksum[:12]}.zip")
