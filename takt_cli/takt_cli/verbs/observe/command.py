"""`takt model -- PROGRAM`: takt_exec runs the program, as for `takt exec`; see its file."""

from __future__ import annotations


def command() -> None:
    """Run a program, and write a system model of it; see `takt model --help`."""
