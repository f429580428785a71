"""The lessons of the workshop: the guard names the fault of each program, with its line."""

import os
import re
import subprocess

import pytest
from test_docs import DOCS
from test_guard import INSTALL, pytestmark, shapes, takt

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
    source = LESSONS / f"{name}.cpp"
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "takt_rt"],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PKG_CONFIG_PATH": str(INSTALL / "lib/pkgconfig")},
    ).stdout.split()
    command = ["g++", "-std=c++17", "-g", str(source), *flags, f"-Wl,-rpath,{INSTALL / 'lib'}"]
    subprocess.run([*command, "-o", name], cwd=tmp_path, check=True, timeout=300)
    said = takt("exec", "--guard=all", "--", f"./{name}", cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    found = shapes(said.stderr)
    wanted = shown()[f"{name}.cpp"]
    assert [row for row in wanted if row not in found] == [], said.stderr
    # A first cycle may meet memory that was not there yet; no other kind is excused.
    kinds = {kind for _, kind, _ in found} - {"page fault"}
    assert kinds == {kind for _, kind, _ in wanted} - {"page fault"}
