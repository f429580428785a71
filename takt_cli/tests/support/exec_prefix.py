"""takt_exec as if it were built with rclcpp: for tests of launchers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from support.schemas import example
from takt_cli.base.programs import find_program_or_none

TAKT_EXEC = find_program_or_none("takt_exec", "takt_rclcpp")


def has_rclcpp() -> bool:
    """Tell whether this build can adopt executors."""
    if TAKT_EXEC is None:
        return False
    places = (TAKT_EXEC.parent.parent, TAKT_EXEC.parent)
    return any((place / "libtakt_rclcpp.so").is_file() for place in places)


def install_exec(prefix: Path) -> Path:
    """Copy takt_exec and the preloaded library; an empty file stands for takt's library for rclcpp.

    Returns the path of takt_exec. No program may adopt an executor with it.
    """
    assert TAKT_EXEC is not None
    name = "libtakt_preload.so"
    places = (TAKT_EXEC.parent.parent, TAKT_EXEC.parent)
    program = prefix / "lib" / "takt_rclcpp" / "takt_exec"
    program.parent.mkdir(parents=True)
    shutil.copy(TAKT_EXEC, program)
    shutil.copy(next(place / name for place in places if (place / name).exists()), prefix / "lib")
    (prefix / "lib" / "libtakt_rclcpp.so").touch()
    return program


def report_of(executor: str) -> str:
    """Give the report that an adopted executor writes; it ran no callback."""
    one = example("exec_report#executor", executor=executor, kind="single_threaded", seconds=0.5)
    return json.dumps(one)
