"""The directory of results for which the user named none."""

from __future__ import annotations

import contextlib
import itertools
from pathlib import Path

from takt_cli.files.outputs import check_directory

DEFAULT = Path("takt_results")
"""Below the current directory."""

_made: list[Path] = []


def output_directory(chosen: Path | None, name: str) -> Path:
    """Take the chosen directory, else a new one in takt_results: NAME, NAME-2, NAME-3 ...

    Results replace files in a chosen directory only. The directory is made and tested before the
    run, so that no run loses its results.
    """
    if chosen is not None:
        check_directory(chosen)
        return chosen
    check_directory(DEFAULT)
    for number in itertools.count(1):
        directory = DEFAULT / (name if number == 1 else f"{name}-{number}")
        with contextlib.suppress(FileExistsError):
            directory.mkdir()  # two that start at once get one each
            _made.append(directory)
            return directory
    raise AssertionError("there is no last number")


def drop_unused() -> None:
    """Remove the empty directories: a command that fails at once leaves none behind."""
    while _made:
        directory = _made.pop()
        with contextlib.suppress(OSError):
            directory.rmdir()
            directory.parent.rmdir()
