"""Reads what a process tells: texts lose the characters that a terminal would obey."""

from __future__ import annotations

from takt_cli.control.frames import NoAnswer
from takt_cli.importing.not_carried_over import printable
from takt_cli.results.fields import DamagedError, Fields


class Told(Fields):
    """Fields of an answer."""

    def text(self, name: str, default: str = "") -> str:
        """Read a text."""
        return printable(super().text(name, default))

    def texts(self, name: str) -> tuple[str, ...]:
        """Read a list of texts."""
        return tuple(map(printable, super().texts(name)))


def damaged(error: DamagedError) -> NoAnswer:
    """Say that a field of an answer is of the wrong kind."""
    return NoAnswer(f"answered with damaged data: {printable(str(error))}")
