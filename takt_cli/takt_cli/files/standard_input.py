"""Standard input as a file that takt reads: the name `-` on a command line.

Programs of takt read files more than once, so a temporary file keeps standard input.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from takt_cli.base.errors import TaktError
from takt_cli.base.processes import SPELLED

DASH = "-"
NAME = "standard input"
KEPT = "standard_input.yaml"
_MOST_BYTES = 64 << 20
_kept: list[Path] = []  # folders


def standard_input() -> Path:
    """Read standard input to its end, and give the file that keeps it; once in a command."""
    if _kept:
        raise TaktError("two files are '-', and standard input can be read once; name a file")
    content = sys.stdin.buffer.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise TaktError(f"{NAME} is longer than {_MOST_BYTES >> 20} MiB; name a file")
    folder = Path(tempfile.mkdtemp(prefix="takt-"))
    _kept.append(folder)
    file = folder / KEPT
    file.write_bytes(content)
    SPELLED[str(file)] = NAME
    return file


def drop_standard_input() -> None:
    """Remove the file; a command does so when it ends."""
    while _kept:
        shutil.rmtree(_kept.pop(), ignore_errors=True)
    SPELLED.clear()
