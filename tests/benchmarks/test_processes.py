"""CPU time of process trees: processes that end count, whether somebody waits for them or not."""

from __future__ import annotations

import json
import subprocess
import sys
from textwrap import dedent

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")

WORK = "sum(range(20_000_000))"


def _run(program: str) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", dedent(program)], capture_output=True, text=True, check=True, timeout=60
    )
    return json.loads(done.stdout)


def test_a_child_that_has_ended_counts():
    """The kernel's own account of the children waited for is the judge."""
    tree, kernel = _run(f"""
        import json, resource, subprocess, sys
        from benchmarks.processes import ProcessTree
        tree = ProcessTree()
        subprocess.run([sys.executable, "-c", "{WORK}"], check=True)
        of_children = resource.getrusage(resource.RUSAGE_CHILDREN)
        own = resource.getrusage(resource.RUSAGE_SELF)
        used = sum(each.ru_utime + each.ru_stime for each in (of_children, own))
        print(json.dumps([tree.seconds(), used]))
    """)
    assert tree == pytest.approx(kernel, abs=0.05)


@pytest.mark.parametrize("ignored", [True, False])
def test_a_grandchild_counts_also_where_its_parent_takes_no_notice(ignored):
    """It works, is looked at, and ends; its parent, like PySpark's daemon, may have the kernel forget it."""
    before, seen, told, after = _run(f"""
        import json, subprocess, sys
        from benchmarks.processes import ProcessTree
        tree = ProcessTree()
        grandchild = "import time; {WORK}; print(time.process_time(), flush=True); input()"
        child = '''if True:
            import os, signal, sys
            print("begun", flush=True)
            if {ignored}:
                signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            pid = os.posix_spawn(sys.executable, [sys.executable, "-c", sys.argv[1]], os.environ)
            try:
                os.waitpid(pid, 0)
            except ChildProcessError:
                pass
            print("over", flush=True)
            sys.stdin.read()
        '''
        pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        with subprocess.Popen([sys.executable, "-c", child, grandchild], **pipes) as running:
            assert running.stdout.readline() == "begun\\n"
            before = tree.seconds()
            told = float(running.stdout.readline())
            seen = tree.seconds()
            print("end", file=running.stdin, flush=True)
            assert running.stdout.readline() == "over\\n"
            after = tree.seconds()
            running.stdin.close()
        print(json.dumps([before, seen, told, after]))
    """)
    assert told > 0.1
    assert seen - before == pytest.approx(told, abs=0.1)
    assert after >= seen


def test_memory_is_told_by_kind():
    at_once, driver, worker = _run("""
        import json, subprocess, sys
        from benchmarks.processes import ProcessTree
        tree = ProcessTree()
        hold = "held = b'x' * 50_000_000; print(len(held), flush=True); input()"
        pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        with subprocess.Popen([sys.executable, "-c", hold], **pipes) as child:
            child.stdout.readline()
            memory = tree.memory()
            child.stdin.close()
        print(json.dumps([memory.at_once, memory.driver, memory.worker]))
    """)
    assert worker > 50_000_000
    assert at_once > worker
    assert driver > 1_000_000
