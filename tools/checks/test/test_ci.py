"""What CI says of itself at its end."""

import os
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]


def ci(tmp_path: Path, make: str) -> subprocess.CompletedProcess[str]:
    """Run CI's steps with `make` being this shell script."""
    program = tmp_path / "make"
    program.write_text(f"#!/bin/sh\n{make}\n")
    program.chmod(0o755)
    return subprocess.run(
        [REPOSITORY / ".ci/run"],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_all_steps_passed(tmp_path: Path) -> None:
    run = ci(tmp_path, "exit 0")
    assert run.returncode == 0
    assert "all steps passed" in run.stdout


def test_a_failed_step_ends_it(tmp_path: Path) -> None:
    run = ci(tmp_path, '[ "$1" != check ]')
    assert run.returncode == 1
    assert "failed: style and includes (exit code 1)" in run.stdout
    assert "all steps passed" not in run.stdout


def test_what_was_ended_has_not_passed(tmp_path: Path) -> None:
    run = ci(tmp_path, '[ "$1" != build ] || kill -TERM "$PPID"')
    assert run.returncode == 143
    assert "failed: build (exit code 143)" in run.stdout
    assert "all steps passed" not in run.stdout
