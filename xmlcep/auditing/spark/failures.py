"""What went wrong in a Spark job, in one sentence instead of a Java stack."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import XmlCepError


class SparkError(XmlCepError, RuntimeError):
    """Spark could not do its work; one sentence says why, without a Java stack."""


# The last line of a Python traceback inside the message of a Java exception: "package.module.Class: text".
_PYTHON_ERROR = re.compile(r"^(?:[\w.]+\.)?(\w+(?:Error|Exception|Interrupt)): (.*)$", re.MULTILINE)
_JAVA_ENDED = "Java has ended: it was killed, perhaps for lack of memory"
_CAUSES = {
    "OutOfMemoryError": "it ran out of memory: give Spark more (spark.driver.memory) or use more partitions",
    "No space left on device": "the disk for temporary files is full: set SPARK_LOCAL_DIRS to a larger one",
    "spark.driver.maxResultSize": "the findings of one partition are more than the driver is allowed to take:"
    " let the tasks write them (--out FOLDER/), set spark.driver.maxResultSize to 0 or use more partitions",
    "Python worker exited unexpectedly": "a Python worker process was killed, perhaps for lack of memory,"
    " more often than a task is tried again",
    "All masters are unresponsive": "the master cannot be reached",
    "Cannot call methods on a stopped SparkContext": "the master cannot be reached, or has ended the application",
    "JAVA_GATEWAY_EXITED": "Java ended at once: look at what it wrote above, and at JAVA_HOME and SPARK_HOME",
    "Error while sending or receiving": _JAVA_ENDED,
    "Answer from Java side is empty": _JAVA_ENDED,
    "Connection refused": f"{_JAVA_ENDED}, or the master or a worker cannot be reached",
    "MemoryError": "a Python worker ran out of memory: use more partitions, or fewer workers at a time",
}


@contextmanager
def explained() -> Iterator[None]:
    """Turns the exceptions of PySpark into `SparkError`; lets the project's own pass."""
    try:
        yield
    except (XmlCepError, KeyboardInterrupt, GeneratorExit):
        raise
    except Exception as error:
        if not type(error).__module__.startswith(("pyspark", "py4j")):
            if isinstance(error, (ConnectionError, EOFError)):
                raise SparkError(f"the Spark job failed: {_JAVA_ENDED}") from error
            raise
        raise SparkError(f"the Spark job failed: {explain(error)}") from error


def explain(error: BaseException) -> str:
    """The cause of a Spark error in one line."""
    text = str(error)
    for sign, cause in _CAUSES.items():
        if sign in text:
            return cause
    found = _PYTHON_ERROR.findall(text)
    if found:
        name, message = found[-1]
        return str(message) if name == "RuntimeError" else f"{name}: {message}"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    causes = [line for line in lines if line.startswith((": ", "Caused by: "))]
    return (causes or lines or [type(error).__name__])[-1].removeprefix("Caused by: ").removeprefix(": ")
