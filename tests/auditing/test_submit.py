"""Audits on a cluster whose workers do not have the package, by command and ``spark-submit``; the latter alone, too.

Most of what they cost are the Javas that start, and what each does for the first time: one program makes all of them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.auditing.cluster import NOT_HERE, bare_cluster
from tests.auditing.levels import LEVELS
from tests.auditing.logs import write_log
from tests.auditing.test_agreement import lines_of, orders
from tests.java import JAVA_OPTIONS
from xmlcep.auditing import NoJavaError, audit
from xmlcep.auditing.plan.partition_key import make_plan
from xmlcep.auditing.spark.java import find_java

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parents[2]

# A program of three audits. The first has no session. The second is that of docs/audit.md, the package sent twice; it
# says what the workers have of it before. Its session has one core: what it starts takes long. The third is a command.
PROGRAM = """\
import sys
from pyspark.sql import SparkSession
import xmlcep
from xmlcep.auditing import audit
from xmlcep.cli.main import run
from xmlcep.spark import send_package

cluster, logs, rules, alone, sent, out = sys.argv[1:]
audit(logs, xmlcep.load_rules(rules), engine="spark", out=alone)
print("left open:", SparkSession.getActiveSession())
spark = SparkSession.builder.master(cluster).config("spark.cores.max", 1).getOrCreate()
try:
    audit(logs, xmlcep.load_rules(rules), engine="spark", spark=spark, out=sent)
except xmlcep.XmlCepError as error:
    print("before:", error)
send_package(spark)
send_package(spark)
audit(logs, xmlcep.load_rules(rules), engine="spark", spark=spark, out=sent, partitions=1)
print("still running on", spark.sparkContext.master)
spark.stop()
options = ["--engine", "spark", "--master", cluster, "--partitions", "2", "--out", out]
sys.exit(run(["audit", logs, "--rules", rules, *options]))
"""

# What saves time where little is done: no web page, no log. The history of an application, a file, tells its master.
SETTINGS = [
    "--conf", "spark.ui.enabled=false",
    "--conf", "spark.log.level=ERROR",
    "--conf", "spark.sql.shuffle.partitions=2",
    "--conf", "spark.eventLog.enabled=true",
    "--conf", "spark.eventLog.rolling.enabled=false",
    "--conf", "spark.eventLog.compress=false",
]  # fmt: skip


class Task:
    """A log, rules and what the local engine finds, in a folder of its own; programs are submitted there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = write_log(folder / "log.jsonl", lines_of(orders("a", txn=True)) + lines_of(orders("b")))
        self.rules = folder / "rules"
        self.rules.write_text(str(LEVELS))
        local = audit(self.log, LEVELS, out=folder / "local.jsonl")
        assert len(local.summary.per_rule) == 2
        self.expected = local.out.read_bytes()

    def submit(self, master: str, program: str, cluster: str, *outs: str) -> str:
        """Has ``spark-submit`` run the program with a cluster, log, rules and output files; returns what it prints."""
        import pyspark

        home = Path(pyspark.__file__).parent
        (self.folder / "my_audit.py").write_text(program)
        history = self.folder / "history"
        history.mkdir()
        targets = [str(self.folder / out) for out in outs]
        done = subprocess.run(
            [
                str(home / "bin" / "spark-submit"), "--master", master, *SETTINGS,
                "--conf", f"spark.eventLog.dir={history.as_uri()}", "my_audit.py", cluster, str(self.log),
                str(self.rules), *targets,
            ],
            cwd=self.folder, env=os.environ | submitting_environment(home), capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        # What Python says stands in the output of spark-submit.
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
        return done.stdout

    def found(self, out: str) -> bytes:
        """The bytes of an output file."""
        return (self.folder / out).read_bytes()


def submitting_environment(home: Path) -> dict[str, str]:
    """What ``spark-submit`` needs; unlike ours it does not look for Java by itself."""
    return {
        "SPARK_HOME": str(home), "JAVA_HOME": str(find_java().home), "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(REPOSITORY), "JDK_JAVA_OPTIONS": JAVA_OPTIONS,
    }  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _java() -> None:
    pytest.importorskip("pyspark")
    pytest.importorskip("pyarrow")
    try:
        find_java()
    except NoJavaError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a cluster of two workers."""
    with bare_cluster(tmp_path_factory.mktemp("cluster")) as url:
        yield url


class Submitted(NamedTuple):
    """What has come of the program, which was submitted to this machine and knows a cluster."""

    task: Task
    cluster: str
    said: str


@pytest.fixture(scope="module")
def submitted(cluster: str, tmp_path_factory: pytest.TempPathFactory) -> Submitted:
    """The program, run once: most of its time is the start of Java."""
    task = Task(tmp_path_factory.mktemp("submitted"))
    said = task.submit("local[2]", PROGRAM, cluster, "alone.jsonl", "sent.jsonl", "out.jsonl")
    return Submitted(task, cluster, said)


def test_the_rules_are_replayed_in_levels() -> None:
    assert [each.level for each in make_plan(LEVELS).passes] == [0, 1]


def test_without_a_session_the_audit_runs_where_it_was_submitted_to(submitted: Submitted) -> None:
    assert submitted.task.found("alone.jsonl") == submitted.task.expected
    masters = [
        re.findall(r'"spark.master":"(.*?)"', history.read_text())
        for history in (submitted.task.folder / "history").iterdir()
    ]
    assert sorted(map(set, masters), key=str) == [{"local[2]"}, {submitted.cluster}, {submitted.cluster}]
    assert "left open: None" in submitted.said


def test_on_a_cluster_the_package_is_sent(submitted: Submitted) -> None:
    task, cluster, said = submitted
    assert f"cannot use xmlcep ({NOT_HERE}): install it there" in said.partition("before: ")[2]
    assert f"still running on {cluster}" in said
    assert task.found("sent.jsonl") == task.expected


def test_the_command_on_a_cluster(submitted: Submitted) -> None:
    task = submitted.task
    assert task.found("out.jsonl") == task.expected
    assert sorted(path.name for path in task.folder.iterdir()) == [
        "alone.jsonl", "history", "local.jsonl", "log.jsonl", "my_audit.py", "out.jsonl", "rules", "sent.jsonl",
    ]  # fmt: skip
