"""Processes that share the tests of one collection run each test once, whatever it needs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKS = Path(__file__).resolve().parents[1]
TESTS = """
import pathlib, time, pytest

@pytest.fixture(scope="module")
def opened():
    yield "opened"

@pytest.mark.parametrize("n", range(20))
def test_{letter}(n, opened):
    time.sleep(0.01)
    assert n != {bad}
"""


def shared(directory: Path, processes: int) -> list[tuple[int, list[str]]]:
    """Run the files in several processes; give the exit code of each and the tests that it ran."""
    claims = directory / "claims"
    claims.mkdir()
    command = [sys.executable, "-m", "pytest", "-v", "-p", "pytest_share", "--share", claims]
    started = [
        subprocess.Popen(
            [*command, "-p", "no:cacheprovider", directory],
            cwd=directory,
            # Plug-ins of the environment take seconds to load.
            env={
                **os.environ,
                "PYTHONPATH": str(CHECKS),
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            },
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(processes)
    ]
    ended = []
    for process in started:
        said = process.communicate(timeout=60)[0]
        ran = [line.partition(" ")[0] for line in said.splitlines() if "%]" in line]
        ended.append((process.returncode, ran))
    return ended


def test_every_test_runs_once(tmp_path: Path) -> None:
    for letter in "abc":
        (tmp_path / f"test_{letter}.py").write_text(TESTS.format(letter=letter, bad=-1))
    ended = shared(tmp_path, 3)
    assert {code for code, _ in ended} <= {0, pytest.ExitCode.NO_TESTS_COLLECTED}
    every = sorted(name for _, ran in ended for name in ran)
    assert len(every) == 60
    assert len(set(every)) == 60


def test_a_failure_is_the_failure_of_the_process_that_ran_the_test(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(TESTS.format(letter="a", bad=7))
    ended = shared(tmp_path, 2)
    assert sum(code == pytest.ExitCode.TESTS_FAILED for code, _ in ended) == 1
    assert sum(len(ran) for _, ran in ended) == 20


def test_a_file_that_cannot_be_loaded_fails_everywhere(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("import nosuchmodule\n")
    assert [code for code, _ in shared(tmp_path, 2)] == [pytest.ExitCode.INTERRUPTED] * 2


def test_tests_that_belong_together_run_in_one_process(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(
        TESTS.format(letter="a", bad=-1) + "\npytestmark = pytest.mark.together\n"
    )
    (tmp_path / "test_b.py").write_text(TESTS.format(letter="b", bad=-1))
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = together\n")
    ended = shared(tmp_path, 3)
    assert sorted(sum("test_a.py" in name for name in ran) for _, ran in ended) == [0, 0, 20]
    assert sum(len(ran) for _, ran in ended) == 40
