"""What CI says of itself at its end."""

import os
import subprocess
import time
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


def name_in(comm: Path) -> str:
    """Give the name of a process; empty if it is gone."""
    try:
        return comm.read_text().strip()
    except OSError:
        return ""


def test_all_steps_passed(tmp_path: Path) -> None:
    run = ci(tmp_path, "exit 0")
    assert run.returncode == 0
    assert "all steps passed" in run.stdout
    assert "make smoke ROS=jazzy" in run.stdout


def test_a_failed_step_ends_it(tmp_path: Path) -> None:
    run = ci(tmp_path, '[ "$1" != check ]')
    assert run.returncode == 1
    assert "failed: style and includes (exit code 1)" in run.stdout
    assert "all steps passed" not in run.stdout


def test_who_is_ended_ends_at_once(tmp_path: Path) -> None:
    began = tmp_path / "began"
    program = tmp_path / "make"
    program.write_text(
        # As make does, which waits for a script that waits for a compiler.
        "#!/bin/sh\n"
        f"sh -c 'echo $$ >{began}.part; mv {began}.part {began}; exec sleep 600'\n"
        "echo went on\n"
    )
    program.chmod(0o755)
    with subprocess.Popen(
        [REPOSITORY / ".ci/run"],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    ) as run:
        while not began.exists():
            assert run.poll() is None
            time.sleep(0.01)
        run.terminate()
        said, _ = run.communicate(timeout=60)
    assert run.returncode == 143
    assert "failed: set-up (exit code 143)" in said
    assert "went on" not in said
    step = Path("/proc", began.read_text().strip(), "comm")
    while name_in(step) == "sleep":
        time.sleep(0.01)


def test_what_was_ended_has_not_passed(tmp_path: Path) -> None:
    run = ci(tmp_path, '[ "$1" != build ] || kill -TERM "$PPID"')
    assert run.returncode == 143
    assert "failed: build (exit code 143)" in run.stdout
    assert "all steps passed" not in run.stdout
