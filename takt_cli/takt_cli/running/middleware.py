"""Checks that the middleware of the environment is installed: rcl ends a program that lacks it.

rcl does so before the program's own first line, so the caller has to check.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from takt_cli.base.errors import TaktError
from takt_cli.base.programs import prefixes

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
