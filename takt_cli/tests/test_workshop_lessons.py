"""The lessons of the workshop: the guard names the fault of each program, with its line."""

import os
import re
import subprocess

import pytest
from test_docs import DOCS, SHELL
from test_guard import pytestmark, shapes

LESSONS = DOCS.parent / "examples/workshop/lessons"
PAGE = DOCS / "workshop/lessons.md"
SHOWN = re.compile(r"<!-- lesson: (\S+) -->\n```text\n(.*?)```", re.DOTALL)
__all__ = ["pytestmark"]  # skips these tests, too


def shown():
    """Give the rows that the page shows for each program."""
    return {name: shapes(rows) for name, rows in SHOWN.findall(PAGE.read_text(encoding="utf-8"))}


def test_the_page_has_all_programs():
    assert sorted(shown()) == sorted(path.name for path in LESSONS.iterdir())


@pytest.mark.parametrize("name", ["allocation", "mutex", "print", "page_fault"])
def test_the_guard_names_the_fault(name, tmp_path):
    (script,) = SHELL.findall(PAGE.read_text(encoding="utf-8"))
    # As in a shell in which nothing is set: the page's lines have to do the rest.
    kept = ("HOME", "LANG", "XDG_CACHE_HOME", "BUILD_ROOT", "ROS")
    environment = {key: os.environ[key] for key in kept if key in os.environ}
    environment |= {"TAKT": str(DOCS.parent), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    said = subprocess.run(
        ["bash", "-ec", script.replace("allocation", name)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert said.returncode == 0, said.stderr
    found = shapes(said.stderr)
    wanted = shown()[f"{name}.cpp"]
    assert [row for row in wanted if row not in found] == [], said.stderr
    # A first cycle may meet memory that was not there yet; no other kind is excused.
    kinds = {kind for _, kind, _ in found} - {"page fault"}
    assert kinds == {kind for _, kind, _ in wanted} - {"page fault"}
