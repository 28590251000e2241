"""Witnesses by URL and time stamps: what is asked and answered, with others' implementations where there are some."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

import xmlcep
from tests.proofs.test_log_trees import edit, key, recorded
from xmlcep.cli import main
from xmlcep.cli.witness import _handler
from xmlcep.log.tree import verify_tree
from xmlcep.log.writing import write_new_file
from xmlcep.proofs import public_key
from xmlcep.proofs.checkpoint import Checkpoint
from xmlcep.proofs.hashing import check_consistency, consistency, inclusion, leaf_hash, node_hash, root_of
from xmlcep.proofs.log_tree import last_checkpoint, tree_folder
from xmlcep.proofs.notes import Note, PrivateKey
from xmlcep.proofs.witness import SIZE, Answers, request_of, with_cosignature

pytest.importorskip("cryptography")
__all__ = ["key"]

OPENSSL = shutil.which("openssl")


@contextmanager
def listening(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """An HTTP server on this machine, for a block; its address."""
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def edit_tree(folder: Path) -> None:
    """Other hashes in all tiles that are full."""
    for file in (folder / "tile" / "0").iterdir():
        if file.is_file():
            file.write_bytes(bytes(256 * 32))


def test_a_witness_by_url(tmp_path: Path, key: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says up to where it has signed, and signs what goes on from there."""
    log, out, own = tmp_path / "order.jsonl", tmp_path / "cosigned", PrivateKey.new("eye", witness=True)
    answers = Answers([public_key(f"{key}.pub")], own, tmp_path / "state", write_new_file)
    document = recorded(log, key, 20)
    with listening(_handler(answers)) as url:
        ask = ["witness", str(tree_folder(log)), "--url", url, "-o", str(out)]
        for _ in range(2):
            assert main.run(ask) == 0
            covered = verify_tree(log, kept=[out], keys=[public_key(f"{key}.pub"), own.public])
            assert covered.checkpoint.size == covered.entries
            with xmlcep.record(document, log, tree=key):
                edit(document, 300)
        assert main.run(ask) == 0
        with xmlcep.record(document, log, tree=key):
            edit(document, 300)
        edit_tree(tree_folder(log))
        assert main.run(ask) == 1
        assert "with status 422" in capsys.readouterr().err
        assert main.run([*ask[:3], f"{url}/nowhere"]) == 1
        assert "status 404" in capsys.readouterr().err
    assert main.run(ask) == 1
    assert "no answer" in capsys.readouterr().err


def test_what_a_witness_answers(tmp_path: Path, key: Path) -> None:
    """The statuses of C2SP tlog-witness."""
    log, own = tmp_path / "order.jsonl", PrivateKey.new("eye", witness=True)
    answers = Answers([public_key(f"{key}.pub")], own, tmp_path / "state", write_new_file)
    folder = tree_folder(log)
    document = recorded(log, key, 20)
    first = request_of(folder, 0)
    answer = answers.add_checkpoint(first, 10)
    assert (answer.status, answer.text[:6]) == (200, "— eye ")
    assert own.public.check(with_cosignature(folder, answer.text.encode())) == 10
    assert answers.add_checkpoint(first, 11)[:3] == (409, "41\n", SIZE)
    with xmlcep.record(document, log, tree=key):
        edit(document, 10)
    right = request_of(folder, 41)
    head, _, note = right.partition(b"\n\n")
    old, *steps = head.split(b"\n")
    forged = str(PrivateKey.new("orders").sign(Note(Note.parse(note).text))).encode()
    wrong: list[tuple[int, bytes]] = [
        (400, b""), (400, b"old 1"), (400, right.replace(b"old 41", b"old 041")),
        (400, right.replace(b"old 41", b"new 41")),
        (400, b"old 41\n" + b"".join(steps[:1] * 64) + b"\n\n" + note), (400, right.replace(b"old 41", b"old 99")),
        (403, head + b"\n\n" + forged), (403, right[:-10] + b"AAAAAAAA=\n"), (409, right.replace(b"old 41", b"old 40")),
        (422, b"\n".join([old, *steps[:-1]]) + b"\n\n" + note),
        (422, b"\n".join([old, *steps, steps[0]]) + b"\n\n" + note),
    ]  # fmt: skip
    for status, body in wrong:
        assert answers.add_checkpoint(body, 12).status == status, body
    assert answers.add_checkpoint(right, 9).status == 422  # its clock was set back
    assert answers.add_checkpoint(right, 12).status == 200


def test_proofs_by_another_implementation(tmp_path: Path, key: Path) -> None:
    """pymerkle, which has the tree of RFC 9162 by itself: its proofs are ours, and under the roots that we sign it
    verifies that entries are included, and that every state continues every earlier one."""
    pymerkle = pytest.importorskip("pymerkle")
    log = tmp_path / "order.jsonl"
    recorded(log, key, 10)
    entries = log.read_bytes().splitlines()
    tree = pymerkle.InmemoryTree(algorithm="sha256")
    hashes: dict[tuple[int, int], bytes] = {}

    def full(level: int, number: int) -> bytes:
        if level == 0:
            return leaf_hash(entries[number])
        if (level, number) not in hashes:
            hashes[level, number] = node_hash(full(level - 1, 2 * number), full(level - 1, 2 * number + 1))
        return hashes[level, number]

    roots = [root_of(size, full) for size in range(len(entries) + 1)]
    for entry in entries:
        tree.append_entry(entry)
    size = len(entries)
    note = last_checkpoint(tree_folder(log))
    assert note is not None and Checkpoint.parse(note.text).root == roots[size]
    for new in range(1, size + 1):
        for old in range(1, new):
            proof = tree.prove_consistency(old, new)
            pymerkle.verify_consistency(roots[old], roots[new], proof, prior_size=old, later_size=new)
            with pytest.raises(pymerkle.InvalidProof):
                pymerkle.verify_consistency(roots[old - 1], roots[new], proof)
            check_consistency(old, roots[old], new, roots[new], consistency(old, new, full))
    for index in range(size):
        proof = tree.prove_inclusion(index + 1, size)
        pymerkle.verify_inclusion(leaf_hash(entries[index]), roots[size], proof)
        assert proof.path[1:] == inclusion(index, index + 1, size, full)


AUTHORITY = """
[tsa]
default_tsa = own
[own]
serial = {folder}/serial
signer_cert = {folder}/tsa.pem
signer_key = {folder}/tsa.key
certs = {folder}/tsa.pem
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512
ess_cert_id_alg = sha256
"""


@pytest.mark.skipif(OPENSSL is None, reason="there is no openssl")
def test_time_stamps(tmp_path: Path, key: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By an authority that openssl makes: of this checkpoint, and of no other."""
    pytest.importorskip("rfc3161_client")
    log, out = tmp_path / "order.jsonl", tmp_path / "stamp.tsr"
    recorded(log, key, 5)
    checkpoint = tree_folder(log) / "checkpoint"

    def openssl(*arguments: str) -> bytes:
        return subprocess.run(
            [str(OPENSSL), *arguments], capture_output=True, check=True, cwd=tmp_path
        ).stdout

    new_key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    for name in ("root", "other"):
        openssl("req", "-x509", *new_key, "-keyout", f"{name}.key", "-out", f"{name}.pem", "-subj", f"/CN={name}",
                "-days", "2", "-addext", "basicConstraints=critical,CA:TRUE")  # fmt: skip
    (tmp_path / "ext").write_text(
        "extendedKeyUsage=critical,timeStamping\nkeyUsage=critical,digitalSignature\n"
    )
    openssl("req", *new_key, "-keyout", "tsa.key", "-out", "tsa.csr", "-subj", "/CN=tsa")
    openssl("x509", "-req", "-in", "tsa.csr", "-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial",
            "-out", "tsa.pem", "-days", "1", "-extfile", "ext")  # fmt: skip
    (tmp_path / "conf").write_text(AUTHORITY.format(folder=tmp_path))
    (tmp_path / "serial").write_text("01\n")

    class Authority(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            (tmp_path / "query").write_bytes(self.rfile.read(int(self.headers["content-length"])))
            body = openssl("ts", "-reply", "-queryfile", "query", "-config", "conf")
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with listening(Authority) as url:
        ask = ["stamp", str(checkpoint), "--url", url, "-o", str(out)]
        assert [main.run(each) for each in (ask, ask, [*ask, "--force"])] == [0, 2, 0]
        assert "is there already" in capsys.readouterr().err
    check = ["stamp", str(checkpoint), "--verify", str(out), "--root"]
    assert main.run([*check, str(tmp_path / "root.pem")]) == 0
    assert "stamped at 20" in capsys.readouterr().out
    assert main.run([*check, str(tmp_path / "root.pem"), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["stamped_at"].startswith("20")
    assert main.run([*check, str(tmp_path / "other.pem")]) == 1
    assert "not a time stamp of this checkpoint by a trusted authority" in capsys.readouterr().err
    note = last_checkpoint(tree_folder(log))
    assert note is not None
    (tmp_path / "another").write_text(str(Note(note.text.replace("order", "other"), note.signatures)))
    assert main.run(["stamp", str(tmp_path / "another"), *check[2:], str(tmp_path / "root.pem")]) == 1
    out.write_bytes(b"x")
    assert main.run([*check, str(tmp_path / "root.pem")]) == 1
    assert main.run(["stamp", str(checkpoint), "-o", str(tmp_path / "asked")]) == 0
    assert b"sha512" in openssl("ts", "-query", "-in", "asked", "-text")
