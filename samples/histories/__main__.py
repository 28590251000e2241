"""``python -m samples.histories DATA [NAMES] --out DIR [--check-all]``: records the change logs."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import click

from .edits import EditError
from .recording import DifferenceError, record_history


@click.command()
@click.argument("data", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.argument("names", nargs=-1)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder for the change logs.")
@click.option("--check-all", is_flag=True, help="Compare every version that is there, not only the last.")
def main(data: Path, names: tuple[str, ...], out: Path, check_all: bool) -> None:
    """Edits real documents again, version by version, and records their change logs.

    DATA is the folder with `histories` and `logs`, NAMES the documents (default: all).
    """
    out.mkdir(parents=True, exist_ok=True)
    for name in names or sorted(path.name for path in (data / "histories").iterdir()):
        log = out / f"{name}.jsonl"
        if log.exists():
            raise click.ClickException(f"{log} is there already: a log that goes on would repeat the history")
        start = process_time()
        try:
            done = record_history(data, name, log, check_all=check_all)
        except (DifferenceError, EditError) as error:
            raise click.ClickException(str(error)) from error
        click.echo(
            f"{name}: {done.edits:,} edits to {done.versions} versions, {done.events:,} events,"
            f" {done.compared} versions compared and equal, {process_time() - start:.1f} s of CPU"
        )


if __name__ == "__main__":
    main()
