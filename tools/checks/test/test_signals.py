"""Where signals are ignored, as in a background job, programs of tests obey them all the same."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
IGNORED = (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM)


def ignore() -> None:
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)


@pytest.mark.skipif("TAKT_SIGNALS_TEST" not in os.environ, reason="the next test runs it")
def test_programs_of_tests_obey() -> None:
    said = subprocess.run(
        ["grep", "SigIgn", "/proc/self/status"], capture_output=True, text=True, check=True
    ).stdout
    ignored = int(said.split()[1], 16)
    assert not [number for number in IGNORED if ignored >> (number - 1) & 1]


def test_pytest_takes_signals_that_it_was_started_to_ignore() -> None:
    test = f"{__file__}::test_programs_of_tests_obey"
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test],
        cwd=ROOT,
        env={**os.environ, "TAKT_SIGNALS_TEST": "1"},
        preexec_fn=ignore,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stdout
    assert "1 passed" in ended.stdout
