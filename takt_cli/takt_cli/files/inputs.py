"""Files that takt may read: only files with an end, so that no command waits for ever."""

from __future__ import annotations

from pathlib import Path

from takt_cli.base.errors import TaktError


def missing(path: Path | str) -> TaktError:
    """Make the error for a file that is not there, in the words of takt's programs."""
    return TaktError(f"{path}: cannot be read: No such file or directory")


def refuse_irregular(path: Path, what: str) -> None:
    """Refuse a directory, a pipe or a device; the reader refuses a missing file.

    A pipe may have no writer, a device may have no end, and takt's programs read a file more than
    once.
    """
    if path.is_dir():
        raise TaktError(f"{path} is a directory; name a {what} file")
    if path.exists() and not path.is_file():
        raise TaktError(f"{path} is not a regular file; name a {what} file")
