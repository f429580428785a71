"""Traces that are folders (CTF): tried before a run begins, replaced as a whole or not at all."""

from __future__ import annotations

import contextlib
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.files.outputs import check_directory

_BEGIN = b"/* CTF 1.8"


def check_trace_folder(path: Path, force: bool) -> None:
    """Refuse a folder that cannot be written, or that has anything but a trace to be replaced."""
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise TaktError(f"{path} is not a folder, and a CTF trace is one; name another folder")
    if path.is_dir() and any(path.iterdir()):
        if not force:
            raise TaktError(f"{path} exists; name another folder, or replace it with --force")
        if not _is_trace(path):
            raise TaktError(
                f"{path} has other files than a CTF trace, and takt does not remove these; "
                "name another folder"
            )
    check_directory(path.parent, path)


@contextlib.contextmanager
def folder_written_whole(path: Path) -> Iterator[Path]:
    """Give a folder to write, which takes the place of `path` if nothing fails."""
    real = path.resolve()
    mark = secrets.token_hex(4)
    part = real.with_name(f"{real.name}.{mark}.part")
    old = real.with_name(f"{real.name}.{mark}.old")
    try:
        yield part
        try:
            if real.exists():
                real.rename(old)
            part.rename(real)
        except OSError as error:
            if old.exists() and not real.exists():
                old.rename(real)
            raise TaktError(
                f"{path} cannot be written: {error.strerror or error}", code=EXIT_FAILED
            ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _is_trace(path: Path) -> bool:
    """Whether a folder has folders with the metadata of CTF, and nothing else."""
    return all(_is_trace_of_a_host(entry) for entry in path.iterdir())


def _is_trace_of_a_host(path: Path) -> bool:
    metadata = path / "metadata"
    if path.is_symlink() or not metadata.is_file():
        return False
    with metadata.open("rb") as file:
        return file.read(len(_BEGIN)) == _BEGIN
