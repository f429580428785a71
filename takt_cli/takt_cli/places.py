"""Where results go when nobody says where."""

from __future__ import annotations

import os
from pathlib import Path

from takt_cli.outputs import check_directory


def output_directory(chosen: Path | None, name: str) -> Path:
    """Take the chosen directory, else one below the build (which git ignores), else below here.

    A later run replaces an earlier one of the same name; who wants to keep it says where. It is
    made and tried here, so that nothing runs whose results could not be kept.
    """
    directory = chosen if chosen is not None else _usual(name)
    check_directory(directory)
    return directory


def _usual(name: str) -> Path:
    build = os.environ.get("TAKT_BUILD")
    return Path(build).parent / "results" / name if build else Path("takt-results") / name
