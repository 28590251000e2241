"""What is declared agrees with what is there: packages, extras, the README's commands, the CI script."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
from configparser import ConfigParser
from pathlib import Path

import pytest

from tests.project.source import PACKAGES, ROOT, tracked_files
from tests.project.test_layering import CORE, EXTRAS

FOR_THE_PROJECT = ("all", "test", "docs")
"""Extras that no module needs: everything together, the tests, the site."""
SETUP = ConfigParser()
SETUP.read(ROOT / "setup.cfg", encoding="utf-8")
# Packages whose folder is another one: their files stand once, outside the package.
MOVED = dict(line.split(" = ") for line in SETUP["options"]["package_dir"].strip().splitlines())


def lines(section: str, option: str) -> list[str]:
    return SETUP[section][option].split()


def distributions(requirements: list[str]) -> set[str]:
    return {re.split(r"[>\[]", requirement)[0] for requirement in requirements}


def test_every_package_folder_is_listed() -> None:
    folders = {
        ".".join(file.relative_to(ROOT).parent.parts)
        for package in PACKAGES
        for file in (ROOT / package).rglob("*.py")
    }
    assert set(lines("options", "packages")) == folders | set(MOVED)
    assert all((ROOT / folder).is_dir() for folder in MOVED.values())


def test_data_of_the_moved_packages_is_there() -> None:
    for package, patterns in SETUP["options.package_data"].items():
        folder = MOVED.get(package, package.replace(".", "/"))
        for pattern in patterns.replace(",", " ").split():
            assert list((ROOT / folder).glob(pattern)), f"{package}: {pattern}"


def package_of(file: Path) -> str:
    """The name that the folder of a file has as a package."""
    folder = file.relative_to(ROOT).parent
    return {where: name for name, where in MOVED.items()}.get(str(folder), ".".join(folder.parts))


DATA_OF_PACKAGES = [
    file
    for file in tracked_files()
    if file.suffix not in (".py", ".md") and package_of(file) in lines("options", "packages")
]


@pytest.mark.parametrize("file", DATA_OF_PACKAGES, ids=str)
def test_data_of_the_packages_is_installed(file: Path) -> None:
    patterns = SETUP["options.package_data"][package_of(file)].replace(",", " ").split()
    assert any(file.match(pattern) for pattern in patterns)


def test_requirements_are_what_the_modules_import() -> None:
    extras = SETUP["options.extras_require"]
    assert distributions(lines("options", "install_requires")) == CORE
    offered = {name for extra in extras if extra not in FOR_THE_PROJECT for name in lines(extras.name, extra)}
    comes_with_pyspark, needed_by_pyspark = {"py4j"}, {"pandas", "protobuf"}
    called_otherwise = {
        "re2": "google-re2", "sse_starlette": "sse-starlette", "rfc3161_client": "rfc3161-client",
        "opentelemetry": "opentelemetry-api",
    }  # fmt: skip
    imported = {called_otherwise.get(name, name) for name in EXTRAS}
    assert distributions(list(offered)) == imported - comes_with_pyspark | needed_by_pyspark
    assert extras["all"].strip() == f"xmlcep[{','.join(e for e in extras if e not in FOR_THE_PROJECT)}]"


def test_requirements_have_floors_and_no_ceilings() -> None:
    extras = SETUP["options.extras_require"]
    wanted = lines("options", "install_requires") + [r for e in extras for r in lines(extras.name, e)]
    outside = [r for r in wanted if not re.fullmatch(r"[\w-]+(\[\w+\])?>=[\d.]+|xmlcep\[[\w,]+\]", r)]
    assert outside == ["pandas>=2.2,<3"]  # setup.cfg says why


def test_what_runs_before_a_commit_is_what_ci_runs_and_is_installed() -> None:
    config = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    hooks = dict(re.findall(r"- id: (\w+)\n(?:.*\n)*?        entry: (.+)\n", config))
    steps = dict(re.findall(r"^ *step (\w+) (.+)$", script, re.MULTILINE))
    assert hooks == {
        name: steps[name].replace("format --check", "format") for name in ("lint", "format", "types")
    }
    assert config.count("repo: local") == config.count("repo:")


def test_the_source_distribution_is_the_project(tmp_path: Path) -> None:
    """What the README and the pages point at is in it, and its tests can be run."""
    source = tmp_path / "source"
    files = {file.relative_to(ROOT) for file in tracked_files()}
    for file in files:
        (source / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, source / file)
    build = f"from setuptools.build_meta import build_sdist; print(build_sdist({str(tmp_path)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", build], cwd=source, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    with tarfile.open(tmp_path / done.stdout.split()[-1]) as archive:
        packed = {Path(*Path(name).parts[1:]) for name in archive.getnames()}
    assert sorted(map(str, files - packed)) == [".gitignore"]


def test_typed() -> None:
    assert all((ROOT / package / "py.typed").is_file() for package in PACKAGES)


@pytest.mark.parametrize(
    ("extra", "command", "ci"),
    [("all", "xmlcep demo", "step demo xmlcep demo"), ("test", "pytest", "step tests pytest")],
)
def test_the_readme_and_the_ci_script_say_the_same(extra: str, command: str, ci: str) -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    said = f"python3 -m venv .venv && . .venv/bin/activate && pip install '.[{extra}]' && {command}"
    assert said in (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert ci in script
    assert "pip install --quiet --disable-pip-version-check --no-compile '.[test,docs]' || exit 1" in script
    assert "xmlcep[all]" in lines("options.extras_require", "test")
