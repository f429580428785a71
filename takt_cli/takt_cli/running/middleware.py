"""The middleware of the environment: its name, and whether it is installed.

rcl ends a program whose middleware is not installed, before the program's own first line. So the
caller has to check.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from takt_cli.base.errors import TaktError
from takt_cli.base.programs import prefixes, share_directories

VARIABLE = "RMW_IMPLEMENTATION"
# The entries of middlewares in the ament index; _CHOOSER is the package that chooses among them.
_INDEX = "share/ament_index/resource_index/rmw_typesupport"
_CHOOSER = "rmw_implementation"


def check_middleware() -> None:
    """Refuse a middleware that is not installed; accept any where the index lists none."""
    wanted = os.environ.get(VARIABLE, "")
    known = installed()
    if not wanted or not known or any((d / f"lib{wanted}.so").exists() for d in _libraries()):
        return
    raise TaktError(
        f"{VARIABLE} is {wanted}, but this ROS 2 has {', '.join(known)}; unset {VARIABLE} or "
        f"install {wanted}"
    )


def usual() -> str:
    """Give the name of the middleware that ROS 2 takes if no variable names one.

    Each file of takt_schedule/middlewares has facts of one middleware. Empty: the files are absent.
    """
    for folder in share_directories("takt_schedule", "middlewares"):
        for file in sorted(folder.glob("*.json")):
            if json.loads(file.read_text(encoding="utf-8")).get("usual"):
                return file.stem
    return ""


def installed() -> list[str]:
    """Names of the middlewares of all prefixes."""
    found = {path.name for prefix in _prefixes() for path in (prefix / _INDEX).glob("*")}
    return sorted(found - {_CHOOSER})


def _prefixes() -> list[Path]:
    own = os.environ.get("TAKT_PREFIX")  # ROS 2 from wheels
    return [*prefixes(), *([Path(own)] if own else [])]


def _libraries() -> Iterator[Path]:
    for prefix in _prefixes():
        yield prefix / "lib"
        yield from prefix.glob("lib/*-linux-gnu*")
    for name in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep):
        if name:
            yield Path(name)
