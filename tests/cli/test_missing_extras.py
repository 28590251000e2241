"""Without a package that an extra brings, what needs it is refused in one sentence that names the command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.source import ROOT
from xmlcep.cli import main

SAMPLE = ROOT / "samples" / "purchase_order"
RULES = str(SAMPLE / "purchase-order.xcep")
LOG = '{"doc":"order","ts":1,"op":"ins","path":"/order","ids":[1]}\n'
# No other test has this pattern: those that were translated before are remembered.
PATTERN = "event A = ins(item/@n)[matches(., 'without an extra')]"


@pytest.mark.parametrize(
    ("package", "arguments", "said"),
    [
        *(
            (package, f"audit log.jsonl --rules {RULES} --engine spark",
             f"an audit with Spark needs {package}: run  pip install 'xmlcep[spark]'")
            for package in ("pyspark", "pyarrow", "pandas")
        ),
        ("pyspark", f"audit log.jsonl --rules {RULES} --engine spark --dry-run",
         "an audit with Spark needs pyspark: run  pip install 'xmlcep[spark]'"),
        ("pyarrow", "rebuild log.parquet", "Parquet needs pyarrow: run  pip install 'xmlcep[arrow]'"),
        ("pyarrow", f"audit log.jsonl --rules {RULES} --format parquet --out findings.parquet",
         "Parquet needs pyarrow: run  pip install 'xmlcep[arrow]'"),
        ("pyarrow", "verify log.zst",
         "a log packed with zstd needs pyarrow: run  pip install 'xmlcep[arrow]'"),
        ("xmlschema", f"derive {SAMPLE}/purchase-order.xsd",
         "reading an XML Schema needs xmlschema: run  pip install 'xmlcep[schema]'"),
        ("jinja2", f"report log.jsonl --rules {RULES} -o page.html",
         "a report needs jinja2: run  pip install 'xmlcep[report]'"),
        ("re2", "check pattern.xcep", "hint: run  pip install 'xmlcep[regex]'"),
    ],
)  # fmt: skip
def test_the_command_that_installs_it_is_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    package: str,
    arguments: str,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("log.jsonl").write_text(LOG)
    Path("log.zst").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(40))
    Path("log.parquet").write_bytes(b"PAR1" + bytes(40) + b"PAR1")
    Path("pattern.xcep").write_text(PATTERN)
    monkeypatch.setitem(sys.modules, package, None)
    before = set(Path().iterdir())
    assert main.run(arguments.split()) == 2
    written = capsys.readouterr()
    assert written.err.strip().endswith(said)
    assert written.out == ""
    assert set(Path().iterdir()) == before


@pytest.mark.parametrize("text", ["matches (., '1')", "fn:matches(., '1')", "matches#2(., '1')"])
def test_patterns_of_xpath31_are_refused_before_any_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    """elementpath may be there without RE2: the extra schema brings it, too."""
    monkeypatch.setitem(sys.modules, "re2", None)
    rules = tmp_path / "opaque.xcep"
    rules.write_text(f'event A = opaque["xpath31", "{text}"](item/@n)')
    assert main.run(["check", str(rules)]) == 2
    said = (
        "event A: xpath31 cannot read this: matches() needs google-re2: run pip install 'xmlcep[regex]' (O1)"
    )
    assert said in capsys.readouterr().err
    rules.write_text(f'event A = opaque["xpath31", "{text.replace("matches", "my-matches")}"](item/@n)')
    main.run(["check", str(rules)])
    assert "re2" not in capsys.readouterr().err


@pytest.mark.parametrize(("door", "extra"), [("spark", "spark"), ("streams", "arrow")])
def test_a_door_names_the_command_too(door: str, extra: str) -> None:
    program = f"import sys; sys.modules['pyarrow'] = None; import xmlcep.{door}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert f"xmlcep.{door} needs pyarrow: run  pip install 'xmlcep[{extra}]'" in done.stderr
