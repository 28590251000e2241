"""``xmlcep test``: runs the examples in the comments of rules files."""

from __future__ import annotations

import logging

import click

from ..errors import XmlCepError
from ..log.json_codec import FASTEST
from ..rules.additions import Additions
from ..rules.files import rules_of
from ..testing import examples_of
from ._arguments import format_option
from ._commands import command as command_of
from ._output import inform, put
from ._rules_input import read_texts, rules_argument, with_additions

FAILED = 1


@command_of(name="test")
@rules_argument
@format_option("json: an object a line for each example.")
@with_additions
def command(rules: tuple[str, ...], form: str, additions: Additions) -> int:
    """Run the examples in the comments (#>) of rules files: edits, and the expected findings.

    Several files are one set; - is standard input. Exit status 1 if an example finds something else, or cannot
    be run.
    """
    texts = read_texts(rules)
    known = rules_of(texts, additions)
    logging.getLogger("xmlcep").addHandler(logging.NullHandler())  # what no example has, others have
    count = failed = 0
    for name, text in texts.items():
        for example in examples_of(text):
            count += 1
            try:
                failures = example.failures(known)
            except XmlCepError as error:
                failures = [str(error)]
            failed += bool(failures)
            if form == "json":
                put(FASTEST.dumps({"file": name, "line": example.line, "failures": failures}))
                continue
            for failure in failures:
                inform(f"{name}: {failure}", err=False)
    if not count:
        raise click.UsageError("no examples: write some in comments, such as\n  #> ins order/item => Entered")
    inform(f"{count} {'example' if count == 1 else 'examples'}, {failed} failed", err=form == "json")
    return FAILED if failed else 0
