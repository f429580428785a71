"""TESTS of `make test` is one regular expression for all tests."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKS = Path(__file__).resolve().parents[1]
TESTS = """
import pytest

def test_red(): pass
def test_green(): pass
@pytest.mark.parametrize("n", [1, 2])
def test_blue(n): pass
"""


def ran(directory: Path, pattern: str) -> tuple[int, list[str]]:
    """Run a file of four tests; give the exit code and those that were chosen."""
    (directory / "test_colours.py").write_text(TESTS)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-p", "pytest_names", "--names", pattern, directory],
        cwd=directory,
        # Plug-ins of the environment take seconds to load.
        env={**os.environ, "PYTHONPATH": str(CHECKS), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    lines = [line for line in done.stdout.splitlines() if " PASSED" in line]
    return done.returncode, [line.partition(" PASSED")[0].partition("::")[2] for line in lines]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("red|blue", ["test_red", "test_blue[1]", "test_blue[2]"]),
        ("^test_g", ["test_green"]),
        ("colours", ["test_red", "test_green", "test_blue[1]", "test_blue[2]"]),
        (r"e\[2", ["test_blue[2]"]),
    ],
)
def test_names_are_a_regular_expression(tmp_path: Path, pattern: str, names: list[str]) -> None:
    assert ran(tmp_path, pattern) == (0, names)


def test_none_that_matches_and_no_expression_are_told_apart(tmp_path: Path) -> None:
    assert ran(tmp_path, "yellow")[0] == pytest.ExitCode.NO_TESTS_COLLECTED
    assert ran(tmp_path, "(")[0] == pytest.ExitCode.USAGE_ERROR
