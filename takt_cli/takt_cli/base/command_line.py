"""Commands of takt in a form that a user can paste."""

from __future__ import annotations

import shlex
from pathlib import Path


def command_line(*words: str) -> str:
    """Spell a command so that it can be pasted into a shell."""
    return shlex.join(["./takt" if _from_source() else "takt", *words])


def _from_source() -> bool:
    return Path("takt").is_file() and Path("takt_cli").is_dir()
