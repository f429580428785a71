"""Runs `takt_trace report`, which makes the figures of a page of the traces of one run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from takt_cli.base.processes import run_json
from takt_cli.documents.told import read_told
from takt_cli.running.trace import find_converter
from takt_cli.verbs.report.trace_figures import TraceReport

# Traces of hours take minutes to read; a user who waits for nothing has Ctrl-C.
_LONGEST_S = 3600.0
_MAGIC = b"TAKTTRC"


def is_trace(path: Path) -> bool:
    """Whether the file is a trace in takt's own format; false for a file that cannot be read."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def report_of(traces: Sequence[Path]) -> TraceReport:
    """Read the traces of one run; several files become one report."""
    program = find_converter()
    # No path begins with a dash, so that none is read as an option.
    paths = [str(trace.absolute()) for trace in traces]
    data = run_json(program, ["report", *paths], timeout_s=_LONGEST_S)
    return read_told(TraceReport, data, program.name)
