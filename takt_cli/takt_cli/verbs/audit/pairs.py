"""The pairs of callbacks that a schedule newly lets run side by side, from takt_audit."""

from __future__ import annotations

from collections.abc import Sequence

from takt_cli.base.processes import run_json
from takt_cli.base.programs import find_program
from takt_cli.documents.document import Document
from takt_cli.documents.told import read_told


class Callback(Document, at="side_by_side#callback"):
    """A callback under the schedule."""


class Pair(Document, at="side_by_side#pair"):
    """Two callbacks of an executor, or one of a reentrant group beside itself."""


class Executor(Document, at="side_by_side#executor"):
    """An executor of the program with its callbacks and pairs."""

    callbacks: tuple[Callback, ...]
    pairs: tuple[Pair, ...]


class SideBySide(Document, at="side_by_side"):
    """What takt_audit found."""

    executors: tuple[Executor, ...]

    @property
    def pair_count(self) -> int:
        """The pairs of all executors."""
        return sum(executor.pair_count for executor in self.executors)


def find_pairs(schedule: str, arguments: Sequence[str]) -> SideBySide:
    """Run takt_audit; its faults are the schedule's and the model's, with their places."""
    program = find_program("takt_audit", "takt_schedule")
    return read_told(SideBySide, run_json(program, [schedule, *arguments]), program.name)
