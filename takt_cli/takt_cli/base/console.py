"""Where words go: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from takt_cli.base.streams import write_utf8

# A pipe has no width; tables should not be cut there.
_PIPE_WIDTH = 120


def _console(stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else _PIPE_WIDTH
    return Console(stderr=stderr, width=width, highlight=False, emoji=False)


def out() -> Console:
    """Console of results. Made anew each time, so that redirected streams are respected."""
    return _console(stderr=False)


def err() -> Console:
    """Console of progress, notes and errors."""
    return _console(stderr=True)


def note(message: str) -> None:
    """Say one sentence on standard error."""
    err().print(message, markup=False)


def print_json(data: Any) -> None:
    """Print for programs: one JSON document on standard output, nothing else."""
    write_utf8(json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def pass_through(text: str) -> None:
    """Print a program's words unchanged: editors and people find the place by them."""
    write_utf8(text)


def pass_through_errors(text: str) -> None:
    """Likewise on standard error."""
    sys.stderr.write(text)
    sys.stderr.flush()


def progress() -> Progress:
    """Make a bar on standard error, which is silent without a terminal."""
    console = err()
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=30),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
