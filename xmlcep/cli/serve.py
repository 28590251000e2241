"""``xmlcep serve``: documents, rules and findings over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, cast

import click

from ..errors import MissingExtraError
from ..files import bytes_of
from ._arguments import FilePath
from ._commands import command as command_of
from ._output import inform
from ._rules_input import reference_option


@command_of(name="serve")
@click.argument("folder", type=FilePath(), metavar="FOLDER")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True)
@click.option(
    "--name", "names", multiple=True, metavar="HOST",
    help="Another host name of the service (repeatable).",
)  # fmt: skip
@click.option(
    "--token-file",
    type=FilePath(),
    metavar="FILE",
    help="Accept only clients that send the token in this file.",
)
@click.option(
    "--largest", type=click.IntRange(1000), default=10_000_000, show_default=True, metavar="BYTES",
    help="The largest request.",
)  # fmt: skip
@click.option(
    "--slowest", type=click.FloatRange(0.1), default=30.0, show_default=True, metavar="SECONDS",
    help="How long a request may take to arrive.",
)  # fmt: skip
@click.option(
    "--durability", type=click.Choice(["transaction", "os"]), default="transaction", show_default=True,
    help="transaction: wait for the disk before answering an edit; os: do not wait.",
)  # fmt: skip
@reference_option
def command(
    folder: str, host: str, port: int, names: tuple[str, ...], token_file: str | None, largest: int, slowest: float,
    durability: str, references: dict[str, str],
) -> None:  # fmt: skip
    """Serve the documents and rules in FOLDER over HTTP, with their findings; the page is at /.

    FOLDER is created if necessary. Only one process can serve it. After a stop or a crash, start it again: no
    answered edit is lost, and no finding is delivered twice.
    """
    try:
        import uvicorn

        from ..serving.application import application
        from ..serving.guard import by_token
        from ..serving.store import Store
    except ImportError as error:
        raise MissingExtraError("xmlcep serve", error.name or "starlette", "serve") from error
    token = None if token_file is None else bytes_of(Path(token_file)).decode().strip()
    if token == "":
        raise click.UsageError(f"{token_file}: the token is empty")
    if token is None and host not in ("127.0.0.1", "localhost", "::1"):
        inform(
            f"xmlcep: {host} can be reached by others, and there is no --token-file: whoever reaches it may edit"
        )
    store = Store(
        Path(folder), references=references, durability=cast("Literal['transaction', 'os']", durability)
    )
    hosts = {"127.0.0.1", "localhost", "[::1]", host, *names}
    app = application(
        Path(folder), store, hosts=sorted(hosts), largest=largest, slowest=slowest,
        authenticate=None if token is None else by_token(token),
    )  # fmt: skip
    inform(f"http://{host}:{port}/ serves {folder}: {len(store.names)} documents", err=False)
    uvicorn.run(
        app, host=host, port=port, log_level="warning", access_log=False, timeout_keep_alive=5,
        timeout_graceful_shutdown=3, server_header=False, limit_concurrency=1000,
    )  # fmt: skip
