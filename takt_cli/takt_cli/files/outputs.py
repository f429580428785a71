"""Files of results: tried before a run begins, and replaced as a whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from takt_cli.base.errors import EXIT_FAILED, TaktError

_WRITABLE = 0o222


def check_file(path: Path) -> None:
    """Refuse a file that cannot be written; makes the directory, and no other change."""
    _refuse_dash(path)
    if path.is_dir():
        raise TaktError(f"{path} is a directory; name a file")
    if not _replaceable(path):
        if not os.access(path, os.W_OK):
            raise TaktError(f"{path} cannot be written")
        return
    # Another file replaces it, which depends on the directory's permissions only.
    if path.exists() and not (path.stat().st_mode & _WRITABLE and os.access(path, os.W_OK)):
        raise TaktError(f"{path} is write-protected; make it writable, or name another file")
    check_directory(path.parent, path)


def refuse_replacing(path: Path, force: bool) -> None:
    """Refuse a file that is there already, unless the user insists."""
    # If standard output goes to a file, the shell has already emptied it.
    if path.is_file() and _replaceable(path) and not force:
        raise TaktError(f"{path} exists; name another file, or replace it with --force")


def refuse_other_endings(path: Path, what: str, endings: Sequence[str]) -> None:
    """Refuse a file whose name promises another format; `what`: 'a plot is a page'."""
    if path.suffix not in endings:
        raise TaktError(f"{path}: {what}; let its name end in {' or '.join(endings)}")


def refuse_inputs(outputs: Mapping[str, Path | None], inputs: Mapping[str, Path | None]) -> None:
    """Refuse outputs (by option) that are an input (by its meaning), under any name."""
    for option, path in outputs.items():
        for what, read in inputs.items():
            if path is not None and read is not None and same_file(path, read):
                raise TaktError(f"{option} names the {what} that takt reads; name another file")


def refuse_same(outputs: Mapping[str, Path | None]) -> None:
    """Refuse outputs (by option) of which two are one file, under any names."""
    given = [(option, path) for option, path in outputs.items() if path is not None]
    for (first, one), (second, other) in combinations(given, 2):
        if same_file(one, other):
            raise TaktError(f"{first} and {second} name the same file; name two files")


def same_file(one: Path, other: Path) -> bool:
    """Tell whether both name one file, also through links, and before it exists.

    Several streams may lead to one terminal, so for devices and pipes only the names count.
    """
    if one.exists() and not one.is_file():
        return one == other
    with contextlib.suppress(OSError):
        return one.samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)


def check_directory(path: Path, meant: Path | None = None) -> None:
    """Make a directory and refuse one in which no file can be made; `meant`: that file, if any."""
    _refuse_dash(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        for place in (path, *path.parents):
            if place.exists() and not place.is_dir():
                raise TaktError(
                    f"{meant or path} cannot be written: {place} is a file, and must be a folder"
                ) from error
        raise TaktError(f"{meant or path} cannot be written: {error.strerror}") from error


def part_of(path: Path, scratch: Path) -> Path:
    """Give the file to write first, which then becomes `path`; beside it if possible."""
    return _part_beside(path) if _replaceable(path) else scratch / "results.part"


def _part_beside(path: Path) -> Path:
    real = path.resolve()
    # No other run's name, even after a killed one: in a container every run has the same number.
    return real.with_name(f"{real.name}.{secrets.token_hex(4)}.part")


def deliver(part: Path, path: Path) -> None:
    """Put a finished file into its place, with the permissions of the file before it.

    A device or a pipe gets its content.
    """
    with _naming(path):
        if _replaceable(path):
            if path.exists():
                shutil.copymode(path, part)
            part.replace(path.resolve())
            return
        with part.open("rb") as content, path.open("wb") as through:
            shutil.copyfileobj(content, through)
        part.unlink()


@contextlib.contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Give a file to write, which takes the place of `path` if nothing fails."""
    with tempfile.TemporaryDirectory(prefix="takt-") as scratch:
        part = part_of(path, Path(scratch))
        try:
            yield part
            deliver(part, path)
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a file as a whole, so that a half-written one is never read."""
    with written_whole(path) as part, _naming(path):
        part.parent.mkdir(parents=True, exist_ok=True)
        # In JSON, bytes of a name that are not UTF-8 become escapes that JSON has.
        part.write_text(text, encoding="utf-8", errors="backslashreplace")


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Add the file's name to an error: the kernel does not name it if a disk is full."""
    try:
        yield
    except OSError as error:
        raise TaktError(
            f"{path} cannot be written: {error.strerror or error}", code=EXIT_FAILED
        ) from error


def _refuse_dash(path: Path) -> None:
    if str(path) == "-":
        raise TaktError("'-' names no file; /dev/stdout is standard output, --json prints figures")


def _replaceable(path: Path) -> bool:
    """Whether `path` is, or can become, a regular file that may be replaced by another."""
    if path.absolute().as_posix().startswith(("/dev/", "/proc/")):
        return not path.exists()  # and refused, because no file can be made there
    return path.is_file() or not (path.exists() or path.is_symlink())
