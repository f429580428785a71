"""Finds takt's C++ programs and shipped files, and runs the short ones.

Looked at, in this order: every prefix in AMENT_PREFIX_PATH, the install prefix of the build
(TAKT_INSTALL), the build directories themselves (programs not installed yet), PATH.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from takt_cli.errors import EXIT_FAILED, EXIT_USAGE, TaktError


@dataclass(frozen=True)
class Finished:
    """What a program that ended left behind."""

    code: int
    stdout: str
    stderr: str


def prefixes() -> list[Path]:
    """Install prefixes, best first, each once."""
    names = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    names.append(os.environ.get("TAKT_INSTALL", ""))
    return [Path(name) for name in dict.fromkeys(names) if name]


def build_directories() -> list[Path]:
    """Directories of packages that were built, in which programs lie before they are installed."""
    root = os.environ.get("TAKT_BUILD")
    return sorted(Path(root, "build").glob("takt_*")) if root else []


def find_program(name: str, package: str) -> Path:
    """Path of a program; an error that says how to get it where there is none."""
    found = find_program_or_none(name, package)
    if found is None:
        raise TaktError(
            f"the program {name} of {package} is not built",
            hint="run `make build` in takt's repository, or source the workspace that has it",
        )
    return found


def find_program_or_none(name: str, package: str) -> Path | None:
    """Like find_program, with None for an absent one."""
    for candidate in _candidates(name, package):
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate
    on_path = shutil.which(name)
    return Path(on_path) if on_path else None


def _candidates(name: str, package: str) -> Iterator[Path]:
    for prefix in prefixes():
        yield prefix / "lib" / package / name
    for directory in build_directories():
        if directory.name == package:
            yield directory / name


def share_directories(package: str, *parts: str) -> list[Path]:
    """Existing directories of shipped files: of each prefix, then of the sources."""
    places = [prefix.joinpath("share", package, *parts) for prefix in prefixes()]
    places.append(source_root().joinpath(package, *parts))
    return [place for place in places if place.is_dir()]


def source_root() -> Path:
    """Give the repository when run from source; otherwise a directory without any takt package."""
    root = os.environ.get("TAKT_ROOT")
    return Path(root) if root else Path(__file__).resolve().parents[2]


def run_program(
    program: Path, arguments: Sequence[str], *, timeout_s: float = 120, check: bool = True
) -> Finished:
    """Run a short program to its end; with `check` a bad exit code is an error with its words."""
    try:
        done = subprocess.run(
            [str(program), *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as error:
        raise TaktError(
            f"{program.name} did not end within {timeout_s:g} s", code=EXIT_FAILED
        ) from error
    except OSError as error:
        raise TaktError(f"{program} cannot be started: {error.strerror}") from error
    finished = Finished(done.returncode, done.stdout, done.stderr)
    if check and finished.code != 0:
        raise program_failed(program.name, finished.code, finished.stderr or finished.stdout)
    return finished


def run_json(program: Path, arguments: Sequence[str], *, timeout_s: float = 120) -> Any:
    """Run a short program that prints JSON."""
    finished = run_program(program, arguments, timeout_s=timeout_s)
    try:
        return json.loads(finished.stdout)
    except json.JSONDecodeError as error:
        raise TaktError(
            f"{program.name} printed no JSON: {error}", hint=last_lines(finished.stdout, 3)
        ) from error


def program_failed(name: str, code: int, words: str) -> TaktError:
    """Make the error for a program that ended badly: its own last words come first."""
    if code == EXIT_USAGE and words.strip():  # of bad input every fault counts
        return TaktError(last_lines(words, 200).replace(f"{name}: ", "takt: "), quoted=True)
    said = last_lines(words, 12)
    how = f"was ended by signal {-code}" if code < 0 else f"failed with exit code {code}"
    return TaktError(
        said or f"{name} {how} and said nothing",
        hint=f"{name} {how}" if said else "",
        code=code if code in (1, 2) else EXIT_FAILED,
    )


def last_lines(text: str, count: int) -> str:
    """Take the last lines that are not empty."""
    return "\n".join([line for line in text.splitlines() if line.strip()][-count:])
