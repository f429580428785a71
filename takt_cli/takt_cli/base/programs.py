"""Finds takt's C++ programs and shipped files.

It searches, in this order: each prefix in AMENT_PREFIX_PATH, the install prefix of the build
(TAKT_INSTALL), the build directories (for programs that are not installed yet), PATH.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from takt_cli.base.errors import TaktError


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
    """Find the path of a program; the error for a missing one says how to get it."""
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
