"""The streams: results go to standard output, all other text to standard error."""

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
    """Make a console for results. It is new each time, so that it uses redirected streams."""
    return _console(stderr=False)


def err() -> Console:
    """Make a console for progress, notes and errors."""
    return _console(stderr=True)


def note(message: str) -> None:
    """Say one sentence on standard error."""
    err().print(message, markup=False)


def print_json(data: Any) -> None:
    """Print for programs: one JSON document on standard output, nothing else."""
    write_utf8(json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def pass_through(text: str) -> None:
    """Print a program's text unchanged: editors and people find the named place by it."""
    write_utf8(text)


def pass_through_errors(text: str) -> None:
    """Print a program's text unchanged to standard error."""
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
