"""Where results go when nobody says where."""

from __future__ import annotations

import os
from pathlib import Path


def output_directory(chosen: Path | None, name: str) -> Path:
    """Take the chosen directory, else one below the build (which git ignores), else below here.

    A later run replaces an earlier one of the same name; who wants to keep it says where.
    """
    if chosen is not None:
        return chosen
    build = os.environ.get("TAKT_BUILD")
    root = Path(build).parent if build else Path("takt-results")
    return root / "results" / name if build else root / name
