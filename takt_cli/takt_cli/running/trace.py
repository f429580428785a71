"""Runs `takt_trace`, which makes one trace for people of the raw traces of processes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.processes import run_json
from takt_cli.base.programs import find_program
from takt_cli.documents.document import DamagedError
from takt_cli.files.outputs import written_whole
from takt_cli.files.trace_folders import folder_written_whole
from takt_cli.results.trace import TraceSummary

# Traces of hours take minutes to convert; a user who waits for nothing has Ctrl-C.
_LONGEST_S = 3600.0


def find_converter() -> Path:
    """Path of the program; an error that says how to get it where there is none."""
    return find_program("takt_trace", "takt_trace")


def arguments(raws: Sequence[Path], output: Path, form: str) -> list[str]:
    """Spell the arguments of `takt_trace`; `form`: its name of a format."""
    # No path begins with a dash, so that none is read as an option.
    paths = [str(path.absolute()) for path in raws]
    return ["convert", *paths, "-o", str(output.absolute()), "--format", form]


def convert(program: Path, raws: Sequence[Path], output: Path, form: str) -> TraceSummary:
    """Write the trace as a whole or not at all, and give its figures."""
    is_folder = form == "ctf"
    with folder_written_whole(output) if is_folder else written_whole(output) as part:
        try:
            data = run_json(program, [*arguments(raws, part, form), "--json"], timeout_s=_LONGEST_S)
            summary = TraceSummary.read(data)
            if not (part.is_dir() if is_folder else part.is_file()):
                raise TaktError(f"{program.name} wrote no trace")
        except TaktError as error:
            # The user knows the file by its name, and did not write the program's command line.
            words = error.message.replace(str(part.absolute()), str(output))
            raise TaktError(
                words, hint=error.hint, code=EXIT_FAILED, quoted=error.quoted
            ) from error
        except DamagedError as error:
            raise TaktError(
                f"{program.name} printed figures that takt cannot read: {error}", code=EXIT_FAILED
            ) from error
    return summary
