"""Logs with a tree: recorded, rolled over, continued, interrupted; attacks, each named; witnesses."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from lxml import etree

import xmlcep
from xmlcep.cli import main
from xmlcep.log.errors import LogError
from xmlcep.log.seal import verify
from xmlcep.log.tree import verify_tree
from xmlcep.log.writing import write_new_file
from xmlcep.proofs import Signing, private_key, public_key
from xmlcep.proofs.checkpoint import Checkpoint
from xmlcep.proofs.errors import ProofError
from xmlcep.proofs.hashing import check_inclusion, inclusion, leaf_hash
from xmlcep.proofs.keys import write_keys
from xmlcep.proofs.log_tree import last_checkpoint, tree_folder
from xmlcep.proofs.notes import Note, PrivateKey
from xmlcep.proofs.tiles import Tiles
from xmlcep.proofs.witness import witness
from xmlcep.recording.recovery import recover

pytest.importorskip("cryptography")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    write_keys(PrivateKey.new("orders"), tmp_path / "key")
    return tmp_path / "key"


def edit(document: xmlcep.Document, count: int) -> None:
    for number in range(count):
        etree.SubElement(document.root, "item").text = str(number)


def recorded(log: Path, tree: object, count: int = 300, **options: object) -> xmlcep.Document:
    document = xmlcep.fromstring("<order/>", name="order")
    with xmlcep.record(document, log, tree=tree, **options):  # type: ignore[arg-type]
        edit(document, count)
    return document


def files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def checkpoint(log: Path) -> Checkpoint:
    note = last_checkpoint(tree_folder(log))
    assert note is not None
    return Checkpoint.parse(note.text)


def lines(log: Path) -> list[bytes]:
    return log.read_bytes().splitlines()


@pytest.mark.parametrize("options", [{}, {"max_bytes": 5_000}, {"durability": "event"}, {"durability": "os"}])
def test_every_entry_is_proved_by_the_tiles(tmp_path: Path, key: Path, options: dict[str, object]) -> None:
    log = tmp_path / "order.jsonl"
    recorded(log, key, **options)
    covered = verify_tree(log, keys=[public_key(f"{key}.pub")])
    assert covered.checkpoint.size == covered.entries >= 601
    verify(log)  # the chain, as of any sealed log
    entries = [
        line
        for file in sorted(tmp_path.glob("order*.jsonl"), key=lambda f: (len(f.name), f))
        for line in lines(file)
    ]
    tiles = Tiles(tree_folder(log), covered.entries)
    for index in (0, 1, 255, 256, 257, 300, covered.entries - 1):
        path = inclusion(index, index + 1, covered.entries, tiles.full)
        check_inclusion([leaf_hash(entries[index])], index, covered.entries, path, covered.checkpoint.root)
        assert json.loads(entries[index])["n"] == index + 1


def test_a_log_continued_has_the_tree_of_one_written_at_once(tmp_path: Path, key: Path) -> None:
    """Also where a crash has torn its last line, and where its tiles are gone."""
    log = tmp_path / "order.jsonl"
    document = recorded(log, key, 200)
    for damage in ("nothing", "torn", "tiles"):
        if damage == "torn":
            with log.open("ab") as stream:
                stream.write(b'{"doc":"ord')
        if damage == "tiles":
            shutil.rmtree(tree_folder(log) / "tile")
        with xmlcep.record(document, log, tree=key):
            edit(document, 200)
        assert verify_tree(log).checkpoint.size == verify_tree(log).entries
    document.close()
    with xmlcep.record(again := xmlcep.fromstring("<a/>", name="a"), tmp_path / "a.jsonl", tree=True):
        assert again is not None
    back = recover(log, tree=key)
    back.close()
    before = files(tree_folder(log))
    shutil.rmtree(tree_folder(log))
    recover(log, tree=key).close()  # a sealed log gets a tree whenever it is asked for
    assert {name: data for name, data in files(tree_folder(log)).items() if name != "checkpoint"} == {
        name: data for name, data in before.items() if name != "checkpoint"
    }


def test_when_there_is_a_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many entries or so many seconds, between transactions only; at the end."""
    log, now = tmp_path / "order.jsonl", [0.0]
    monkeypatch.setattr("xmlcep.proofs.log_tree.time.monotonic", lambda: now[0])
    document = xmlcep.fromstring("<order/>", name="order")
    with xmlcep.record(document, log, tree=Signing(entries=10, seconds=60)):
        edit(document, 4)
        assert last_checkpoint(tree_folder(log)) is None
        edit(document, 1)
        assert checkpoint(log).size == 10
        with document.transaction():
            edit(document, 20)
            assert checkpoint(log).size == 10
        assert checkpoint(log).size == 51
        edit(document, 1)
        assert checkpoint(log).size == 51
        now[0] = 61.0
        document.root.set("a", "1")
        assert checkpoint(log).size == 54
        document.root.set("a", "2")
    assert checkpoint(log).size == 55


def test_nothing_that_may_be_undone_is_under_a_checkpoint(tmp_path: Path) -> None:
    """Within a transaction, immediate or not, there is none; a crash there leaves a log that goes on."""
    log, crashed = tmp_path / "order.jsonl", tmp_path / "crashed"
    document = recorded(log, True, 3)
    with xmlcep.record(document, log, tree=Signing(entries=1)):
        with document.transaction(immediate=True):
            edit(document, 3)
            crashed.mkdir()
            for name, data in files(tmp_path).items():
                (crashed / name).parent.mkdir(parents=True, exist_ok=True)
                (crashed / name).write_bytes(data)
        assert checkpoint(log).size == verify_tree(log).entries == 13
    assert (checkpoint(crashed / log.name).size, len(lines(crashed / log.name))) == (7, 13)
    recover(crashed / log.name).close()
    assert verify_tree(crashed / log.name).entries == checkpoint(crashed / log.name).size


def test_a_signed_log_is_not_continued_without_its_key(tmp_path: Path, key: Path) -> None:
    log = tmp_path / "order.jsonl"
    document = recorded(log, key, 3)
    write_keys(PrivateKey.new("orders"), tmp_path / "other")
    for tree, message in ((False, "give the key"), (tmp_path / "other", "not signed by orders")):
        with pytest.raises(ProofError, match=message):
            xmlcep.record(document, log, tree=tree)
    with xmlcep.record(document, log, tree=key):
        edit(document, 1)
    with pytest.raises(LogError, match="tree of another log"):
        shutil.copytree(tree_folder(log), tree_folder(tmp_path / "new.jsonl"))
        recorded(tmp_path / "new.jsonl", True, 1)


def with_lines(change: Callable[[list[bytes]], object], log: Path) -> None:
    all_lines = log.read_bytes().splitlines(keepends=True)
    change(all_lines)
    log.write_bytes(b"".join(all_lines))


def cut(log: Path) -> None:
    with_lines(lambda all_lines: all_lines.__delitem__(slice(-5, None)), log)


def taken_out(log: Path) -> None:
    with_lines(lambda all_lines: all_lines.__delitem__(slice(5, 8)), log)


def put_in(log: Path) -> None:
    with_lines(lambda all_lines: all_lines.insert(5, all_lines[4]), log)


def changed(log: Path) -> None:
    with_lines(lambda all_lines: all_lines.__setitem__(5, all_lines[5].replace(b'"pos":', b'"pos":1')), log)


def the_last_changed(log: Path) -> None:
    with_lines(lambda all_lines: all_lines.__setitem__(-1, all_lines[-1].replace(b"299", b"300")), log)


def swapped_far(log: Path) -> None:
    def swap(all_lines: list[bytes]) -> None:
        all_lines[5], all_lines[300] = all_lines[300], all_lines[5]

    with_lines(swap, log)


def rewritten(log: Path) -> None:
    """All of it, seal and all: another history of the same length, which begins the same."""
    size = checkpoint(log).size
    log.unlink()
    document = xmlcep.fromstring("<order/>", name="order")
    folder = tree_folder(log)
    folder.rename(folder.with_name("aside"))
    with xmlcep.record(document, log, seal=True):
        while len(lines(log)) < size:
            etree.SubElement(document.root, "other")
    folder.with_name("aside").rename(folder)


def rewritten_tiles_and_all(log: Path) -> None:
    rewritten(log)
    for name in files(tree_folder(log) / "tile"):
        (tree_folder(log) / "tile" / name).write_bytes(bytes(256 * 32))


def swapped(log: Path) -> None:
    def swap(all_lines: list[bytes]) -> None:
        all_lines[5], all_lines[6] = all_lines[6], all_lines[5]

    with_lines(swap, log)


def another(log: Path) -> None:
    document = xmlcep.fromstring("<order><first/></order>", name="order")
    with xmlcep.record(document, log.with_name("other.jsonl"), seal=True):
        edit(document, 300)
    log.with_name("other.jsonl").replace(log)


def no_checkpoint(log: Path) -> None:
    (tree_folder(log) / "checkpoint").unlink()


def altered_checkpoint(log: Path) -> None:
    file = tree_folder(log) / "checkpoint"
    text = file.read_text().split("\n")
    text[1] = str(int(text[1]) - 1)
    file.write_text("\n".join(text))


def another_key(log: Path) -> None:
    file = tree_folder(log) / "checkpoint"
    file.write_text(str(PrivateKey.new("orders").sign(Note(Note.parse(file.read_bytes()).text))))


ATTACKS = {
    cut: "has 596 entries, its checkpoint 601: it was cut off at its end",
    taken_out: "the entries 6 to 8 were taken out",
    put_in: "entry 6 was put in",
    changed: "entry 6 was changed",
    the_last_changed: "entry 601 was changed",
    swapped: "the entries 6 and 7 were swapped",
    swapped_far: "the entries 6 and 301 were swapped",
    rewritten: "it was rewritten from entry 2 on",
    rewritten_tiles_and_all: "the log was rewritten, or forked: its first 601 entries",
    another: "is of another log",
    no_checkpoint: "its checkpoint is missing",
    altered_checkpoint: "it was altered",
    another_key: "the wrong key: not signed by orders",
}


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_attacks(tmp_path: Path, key: Path, attack: object, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "order.jsonl"
    recorded(log, key)
    assert main.run(["verify", str(log), "--key", f"{key}.pub"]) == 0
    assert "agrees with the checkpoint of 601 of 601 records; signed by orders" in capsys.readouterr().out
    attack(log)  # type: ignore[operator]
    with pytest.raises(ProofError, match=ATTACKS[attack]):  # type: ignore[index]
        verify_tree(log, keys=[public_key(f"{key}.pub")])
    assert main.run(["verify", str(log), "--key", f"{key}.pub"]) == 1
    assert ATTACKS[attack] in capsys.readouterr().err  # type: ignore[index]


def test_two_histories_of_one_log(tmp_path: Path, key: Path) -> None:
    """Who has the key can write another history: whoever kept a checkpoint of the first one has the proof."""
    log, kept = tmp_path / "order.jsonl", tmp_path / "kept"
    recorded(log, key, 20)
    kept.write_bytes((tree_folder(log) / "checkpoint").read_bytes())
    assert verify_tree(log, kept=[kept], keys=[public_key(f"{key}.pub")]).checkpoint.size == 41
    rewritten(log)
    shutil.rmtree(tree_folder(log))
    recover(log, tree=key).close()
    verify_tree(log, keys=[public_key(f"{key}.pub")])
    with pytest.raises(ProofError, match="forked: the log fits its own checkpoint, and not this one, of 41"):
        verify_tree(log, kept=[kept], keys=[public_key(f"{key}.pub")])


def test_a_witness(tmp_path: Path, key: Path) -> None:
    """Cosigns what goes on; neither a cut, nor a fork, nor another's checkpoint, nor with its clock set back."""
    log, state, own = tmp_path / "order.jsonl", tmp_path / "state", PrivateKey.new("eye", witness=True)
    folder, log_key = tree_folder(log), public_key(f"{key}.pub")
    document = recorded(log, key, 300)
    first = files(folder)

    def seen(at: int) -> Note:
        return witness(folder, log_key, own, state, at, write_new_file)

    def refused(message: str, at: int = 20) -> None:
        before = state.read_bytes()
        with pytest.raises(ProofError, match=message):
            seen(at)
        assert state.read_bytes() == before

    assert own.public.check(seen(10)) == 10
    with xmlcep.record(document, log, tree=key):
        edit(document, 500)
    kept = tmp_path / "kept"
    kept.write_text(str(seen(20)))
    assert verify_tree(log, kept=[kept], keys=[log_key, own.public]).entries == 1601
    with pytest.raises(ProofError, match="the wrong key: not signed by eye"):
        verify_tree(log, keys=[own.public])
    earlier = tmp_path / "earlier"
    earlier.write_text(str(own.sign(Note.parse(first["checkpoint"]), 30)))
    with pytest.raises(ProofError, match="the clock of eye was set back"):
        verify_tree(log, kept=[kept, earlier], keys=[own.public])
    refused("clock was set back", at=19)
    whole = files(folder)
    shutil.rmtree(folder)
    for name, data in first.items():  # what was there before
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    refused("cut off, or forked")
    for name, data in whole.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    with xmlcep.record(document, log, tree=key):
        edit(document, 300)
    for name in files(folder / "tile"):
        (folder / "tile" / name).write_bytes(bytes(256 * 32))
    refused("rewritten or forked")
    shutil.rmtree(folder / "tile")
    refused("missing or cut off")
    state.write_text("{}")
    refused("not a state of a witness")
    another_key(log)
    refused("not signed by orders")


def test_the_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main.run(["keygen", "log.key", "--name", "orders"]) == 0
    assert main.run(["keygen", "eye.key", "--witness"]) == 0
    assert main.run(["keygen", "eye.key"]) == 2
    assert private_key("log.key").name == "orders"
    recorded(Path("order.jsonl"), "log.key", 5)
    cosign = [
        "witness",
        "order.jsonl.tree",
        "--log-key",
        "log.key.pub",
        "--key",
        "eye.key",
        "--state",
        "seen",
    ]
    assert main.run([*cosign, "-o", "cosigned"]) == 0
    verify = ["verify", "order.jsonl", "--checkpoint", "cosigned", "--key", "log.key.pub"]
    assert main.run([*verify, "--key", "eye.key.pub"]) == 0
    assert "11 of 11 records; signed by orders, eye" in capsys.readouterr().out
    another_key(Path("order.jsonl"))
    assert main.run(cosign) == 1
    assert "not signed by orders" in capsys.readouterr().err
    for wrong in (["--key", "eye.key"], ["--key", "none"], ["--checkpoint", "none"], ["--key", "a+b"]):
        assert main.run(["verify", "order.jsonl", *wrong]) in (1, 2)
        assert "Traceback" not in capsys.readouterr().err
