"""The hash chain: the first altered, missing or moved record is found."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.log.models import RecordedDocument
from xmlcep.cli.main import run
from xmlcep.cli.verify import command
from xmlcep.log import segments
from xmlcep.log.errors import BrokenChainError, LogError, UnsealedError
from xmlcep.log.seal import START, verify
from xmlcep.recording.recorder import record


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    document = RecordedDocument(1)
    with record(document, tmp_path / "log.jsonl", seal=True, max_bytes=5_000):
        for _ in range(15):
            document.change()
    return tmp_path / "log.jsonl"


def test_an_untouched_log_is_unbroken(sealed: Path) -> None:
    seal = verify(sealed)
    lines = [line for file in segments(sealed) for line in file.read_text().splitlines()]
    assert len(segments(sealed)) > 1
    assert (seal.length, seal.head) == (len(lines), json.loads(lines[-1])["hash"])
    assert verify(sealed, head=json.loads(lines[4])["hash"]) == seal


def test_the_chain_is_as_documented(sealed: Path) -> None:
    before = START
    for file in segments(sealed):
        for line in file.read_text().splitlines():
            content = json.loads(line)
            claimed = content.pop("hash")
            canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            before = hashlib.sha256((before + canonical).encode()).hexdigest()
            assert claimed == before


def test_every_altered_missing_or_swapped_record_is_found(sealed: Path) -> None:
    file = segments(sealed)[0]
    lines = file.read_bytes().splitlines(keepends=True)
    for index in range(1, len(lines) - 1):
        altered = json.loads(lines[index])
        altered["ts"] += 1000
        for changed, problem in (
            ([*lines[:index], json.dumps(altered).encode() + b"\n", *lines[index + 1 :]], "was altered"),
            ([*lines[:index], *lines[index + 1 :]], "are missing before it"),
            ([*lines[:index], lines[index + 1], lines[index], *lines[index + 2 :]], "were moved"),
            ([*lines[:index], lines[index - 1], *lines[index:]], "moved here or repeated"),
        ):
            file.write_bytes(b"".join(changed))
            with pytest.raises(BrokenChainError, match=problem) as caught:
                verify(sealed)
            assert str(caught.value).startswith(f"{file}:{index + 1}: ")


def test_a_missing_file_is_found(sealed: Path) -> None:
    assert len(segments(sealed)) > 2
    segments(sealed)[1].unlink()
    with pytest.raises(BrokenChainError, match="records are missing before it"):
        verify(sealed)


def test_every_bit_flip_is_found(sealed: Path) -> None:
    content = sealed.read_bytes()
    choose = random.Random(1)
    for _ in range(300):
        position = choose.randrange(len(content))
        flipped = bytearray(content)
        flipped[position] ^= 1 << choose.randrange(8)
        sealed.write_bytes(flipped)
        if json_lines(bytes(flipped)) == json_lines(content):
            continue  # the same JSON, for example another escape
        with pytest.raises(BrokenChainError):
            verify(sealed)


def json_lines(content: bytes) -> object:
    try:
        return [json.loads(line) for line in content.splitlines()]
    except ValueError:
        return None


def test_a_cut_off_end_is_found_by_the_head(sealed: Path) -> None:
    head = verify(sealed).head
    last = segments(sealed)[-1]
    last.write_bytes(b"".join(last.read_bytes().splitlines(keepends=True)[:-1]))
    assert verify(sealed).head != head
    with pytest.raises(BrokenChainError, match="records were cut off at its end"):
        verify(sealed, head=head)


def test_a_log_without_seal_and_a_log_without_records(tmp_path: Path) -> None:
    record(RecordedDocument(1), tmp_path / "log.jsonl").close()
    with pytest.raises(UnsealedError, match="not sealed"):
        verify(tmp_path / "log.jsonl")
    with pytest.raises(BrokenChainError, match="not sealed"):  # there was a seal, says who kept its head
        verify(tmp_path / "log.jsonl", head=START)
    result = CliRunner().invoke(command, [str(tmp_path / "log.jsonl")])
    assert (result.exit_code, result.stdout) == (4, "")
    assert "not sealed" in result.stderr
    (tmp_path / "blank.jsonl").write_text("\n")
    with pytest.raises(LogError, match="no records"):
        verify(tmp_path / "blank.jsonl")


def test_a_log_in_which_some_records_have_lost_their_seal_is_broken(sealed: Path) -> None:
    lines = sealed.read_bytes().splitlines()
    for keep in (slice(1, None), slice(5, 6), slice(0, 3)):
        kept = set(range(len(lines))[keep])
        stripped = [line if index in kept else without_seal(line) for index, line in enumerate(lines)]
        sealed.write_bytes(b"".join(line + b"\n" for line in stripped))
        with pytest.raises(BrokenChainError, match="not sealed"):
            verify(sealed)


@pytest.mark.parametrize("key", ["ts", "n", "hash", "value"])
def test_a_key_that_stands_twice_is_found_whichever_value_counts(sealed: Path, key: str) -> None:
    lines = sealed.read_bytes().splitlines(keepends=True)
    index = next(
        number for number, line in enumerate(lines) if f'"{key}":"'.encode() in line or key in ("ts", "n")
    )
    number = index if index else 1
    for first in (True, False):
        other = f'"{key}":"other"'.encode()
        line = lines[number]
        twice = b"{%s,%s" % (other, line[1:]) if first else b"%s,%s}\n" % (line.rstrip()[:-1], other)
        sealed.write_bytes(b"".join([*lines[:number], twice, *lines[number + 1 :]]))
        with pytest.raises(BrokenChainError, match=f"the key '{key}' occurs more than once"):
            verify(sealed)


def without_seal(line: bytes) -> bytes:
    content = json.loads(line)
    return json.dumps({name: content[name] for name in content if name not in ("n", "hash")}).encode()


def test_the_command(sealed: Path) -> None:
    seal = verify(sealed)
    result = CliRunner().invoke(command, [str(sealed), "--head", seal.head])
    assert (result.exit_code, result.stdout) == (0, f"{seal.length} records, unbroken; head {seal.head}\n")
    sealed.write_bytes(sealed.read_bytes().replace(b'"op":"ins"', b'"op":"del"', 1))
    result = CliRunner().invoke(command, [str(sealed)])
    assert result.exit_code == 1
    assert "was altered" in result.stderr


def test_a_packed_log_that_is_cut_off_is_said_to_be(sealed: Path, tmp_path: Path) -> None:
    packed = gzip.compress(sealed.read_bytes())
    path = tmp_path / "cut.jsonl.gz"
    for length in (40, len(packed) // 2, len(packed) - 3):
        path.write_bytes(packed[:length])
        with pytest.raises(LogError, match="the file is damaged from here on"):
            verify(path)
        assert run(["verify", str(path)]) == 2
