"""``xmlcep witness``: cosigns the checkpoint of a log that goes on from the one it cosigned before; here or by URL."""

from __future__ import annotations

import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import click

from ..log.writing import write_new_file
from ..proofs.errors import ProofError, SigningKeyError
from ..proofs.keys import private_key, public_key
from ..proofs.notes import Note, PrivateKey, PublicKey
from ..proofs.posting import post
from ..proofs.witness import Answer, Answers, request_of, with_cosignature, witness
from ._arguments import FilePath
from ._commands import command as command_of
from ._commands import refuse
from ._output import inform, put
from ._targets import Target, Written, force_option, guard

REFUSED = 1
_LARGEST = 100_000  # bytes of a request: a proof has 63 lines at most
_PATH = "/add-checkpoint"


@command_of(name="witness")
@click.argument("folder", type=FilePath(), metavar="LOG.tree", required=False)
@click.option(
    "--log-key", "log_keys", multiple=True, metavar="KEY|FILE",
    help="The public key of the log (with --listen repeatable).",
)  # fmt: skip
@click.option("--key", type=FilePath(), metavar="FILE", help="The private key of this witness.")
@click.option(
    "--state", type=FilePath(), metavar="FILE", help="A file in which this witness keeps what it has signed."
)
@click.option("--url", metavar="URL", help="Ask the witness at this address (C2SP tlog-witness) instead.")
@click.option(
    "--listen", metavar="HOST:PORT", help="Serve logs with these keys at this address, until stopped."
)
@click.option("-o", "--out", type=FilePath(), help="Write the cosigned checkpoint to this file.")
@force_option
@click.pass_context
def command(
    context: click.Context, folder: str | None, log_keys: tuple[str, ...], key: str | None, state: str | None,
    url: str | None, listen: str | None, out: str | None, force: bool,
) -> None:  # fmt: skip
    """Cosign the checkpoint in the folder LOG.tree, or in a copy of it, if it continues the one cosigned before.

    Exit status 1 if it does not: the log was cut off, rewritten or forked, or its key did not sign it. A
    verifier with the cosigned checkpoint and the witness's key (`xmlcep verify --checkpoint FILE --key
    WITNESS.pub`) knows that this witness has seen no other history of the log.
    """
    if url is not None:
        refuse(["log_keys", "key", "state", "listen"], "--url asks another witness")
    elif not log_keys or key is None or state is None:
        raise click.UsageError("a witness needs --log-key, --key and --state; --url asks one")
    if listen is not None:
        refuse(["folder", "out"], "--listen waits for requests")
    elif folder is None:
        raise click.UsageError("say what is to be cosigned: LOG.tree")
    if out is not None:
        read = (Path(str(folder)) / "checkpoint", key, state, *log_keys)
        guard(
            [Target(Path(out), Written.CHECKPOINT)], [each for each in read if each is not None], force=force
        )
    try:
        if listen is not None:
            _listen(listen, [public_key(each) for each in log_keys], private_key(str(key)), Path(str(state)))
            return
        note = (
            _asked(str(url), Path(str(folder)))
            if url
            else _cosigned(str(folder), log_keys, str(key), str(state))
        )
    except SigningKeyError:
        raise
    except ProofError as error:
        inform(f"xmlcep: {error}")
        context.exit(REFUSED)
    if out is None:
        put(str(note), nl=False)
    else:
        write_new_file(Path(out), str(note).encode())


def _cosigned(folder: str, log_keys: Sequence[str], key: str, state: str) -> Note:
    if len(log_keys) > 1:
        raise click.UsageError("a log has one --log-key; several go with --listen")
    own = private_key(key)
    return witness(Path(folder), public_key(log_keys[0]), own, Path(state), int(time.time()), write_new_file)


def _asked(url: str, folder: Path) -> Note:
    """The checkpoint with what a witness at a URL signs: it says first up to where it has signed before."""
    old = 0
    for _ in range(2):
        answer = post(url.rstrip("/") + _PATH, request_of(folder, old), {"content-type": "text/plain"})
        if answer.status == 200:
            return with_cosignature(folder, answer.body)
        text = answer.body.decode("utf-8", "replace").strip()
        if answer.status != 409 or not text.isdecimal():
            break
        old = int(text)
    raise ProofError(f"{url}: refuses, with status {answer.status}: {text:.300}")


def _listen(address: str, log_keys: Sequence[PublicKey], key: PrivateKey, state: Path) -> None:
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal():
        raise click.UsageError(f"--listen {address}: expected HOST:PORT, such as 127.0.0.1:8767")
    answers = Answers(log_keys, key, state, write_new_file)
    with HTTPServer((host, int(port)), _handler(answers)) as server:
        inform(f"http://{host}:{server.server_port}{_PATH}: witness {key.name}", err=False)
        server.serve_forever()


def _handler(answers: Answers) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 10  # seconds for a request, of which there is one at a time

        def do_POST(self) -> None:
            length = self.headers.get("content-length", "")
            if self.path != _PATH:
                answer = Answer(404, f"{_PATH} is what there is\n")
            elif not length.isdecimal() or int(length) > _LARGEST:
                answer = Answer(400, f"expected a body of at most {_LARGEST:,} bytes\n")
            else:
                answer = answers.add_checkpoint(self.rfile.read(int(length)), int(time.time()))
            body = answer.text.encode()
            self.send_response(answer.status)
            self.send_header("content-type", answer.kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler
