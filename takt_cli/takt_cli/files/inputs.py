"""What may be read: files that end, so that no command waits for ever."""

from __future__ import annotations

from pathlib import Path

from takt_cli.errors import TaktError


def refuse_irregular(path: Path, what: str) -> None:
    """Refuse what is there and is no regular file; what is not there is for the reader to tell.

    A pipe may have no writer, and a device no end; nor can either be read a second time, as those
    programs do that are given its name.
    """
    if path.is_dir():
        raise TaktError(f"{path} is a directory; name a {what} file")
    if path.exists() and not path.is_file():
        raise TaktError(f"{path} is not a regular file; name a {what} file")
