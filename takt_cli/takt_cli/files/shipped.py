"""Files that come with takt and go by their names: graphs, schedules, system models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from takt_cli.base.errors import TaktError
from takt_cli.base.programs import share_directories


def shipped_files(package: str, kind: str) -> dict[str, Path]:
    """Files of a package's folder by name; of two installations the first one's count."""
    found: dict[str, Path] = {}
    for directory in share_directories(package, kind):
        for path in sorted(directory.glob("*.yaml")):
            found.setdefault(path.stem, path)
    return found


def is_bare(name: str) -> bool:
    """Tell whether it can be a shipped file's name: without a folder and an ending."""
    as_path = Path(name)
    return not as_path.suffix and as_path.name == name


def unknown(name: str, shipped: Mapping[str, Path], kind: str) -> TaktError:
    """Make the error for a bare name that no shipped file has."""
    known = ", ".join(sorted(shipped))
    if not known:
        return TaktError(
            f"unknown {kind} '{name}', and no shipped {kind}s are installed",
            hint="run `make build` in takt's repository",
        )
    return TaktError(f"unknown {kind} '{name}'; available are {known}, or the path of a file")
