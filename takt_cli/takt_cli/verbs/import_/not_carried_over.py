"""The parts that an import could not convert: faults, and remarks on missing parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

import yaml

from takt_cli.base.printable import printable

# the number that `takt check` prints
_MOST_FAULTS = 500


class Kind(str, Enum):
    """The result for a part of the configuration."""

    dropped = "dropped"  # the schedule does not have it
    changed = "changed"  # the schedule has it in another form
    undecided = "undecided"  # the configuration leaves it open


@dataclass(frozen=True)
class _Said:
    """A note on a line of a file."""

    file: str
    line: int

    def as_json(self) -> dict[str, Any]:
        """Give the parts by name."""
        return asdict(self)


@dataclass(frozen=True)
class Remark(_Said):
    """One part of the configuration that the schedule does not have as it was."""

    kind: Kind
    what: str
    why: str
    advice: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}: {self.why}; {self.advice}"


@dataclass(frozen=True)
class Fault(_Said):
    """A place with a fault in the configuration."""

    column: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.text}"


class Findings:
    """Collects the notes on one file, in the order of its lines."""

    def __init__(self, file: str) -> None:
        """`file`: the name that places begin with."""
        self.file = printable(file)
        self._faults: list[Fault] = []
        self._remarks: list[Remark] = []

    def fault(self, node: yaml.Node, text: str) -> None:
        """Note that the configuration is wrong at `node`."""
        mark = node.start_mark
        self.fault_at(mark.line + 1, mark.column + 1, text)

    def fault_at(self, line: int, column: int, text: str) -> None:
        """Note that the configuration is wrong at a place without a node."""
        self._faults.append(Fault(self.file, line, column, text))

    def remark(self, node: yaml.Node, kind: Kind, what: str, why: str, advice: str) -> None:
        """Note that the schedule has `node` in another form, or not at all."""
        self._remarks.append(Remark(self.file, node.start_mark.line + 1, kind, what, why, advice))

    def dropped(self, node: yaml.Node, what: str, why: str, advice: str) -> None:
        """Note that the schedule does not have `node`."""
        self.remark(node, Kind.dropped, what, why, advice)

    def changed(self, node: yaml.Node, what: str, why: str, advice: str) -> None:
        """Note that the schedule has `node` in another form."""
        self.remark(node, Kind.changed, what, why, advice)

    def undecided(self, node: yaml.Node, what: str, why: str, advice: str) -> None:
        """Note that `node` does not decide a value of the schedule."""
        self.remark(node, Kind.undecided, what, why, advice)

    @property
    def faults(self) -> list[Fault]:
        """Give all faults by line, each once; of very many the first ones, and a count."""
        found = sorted(dict.fromkeys(self._faults), key=lambda fault: (fault.line, fault.column))
        if len(found) > _MOST_FAULTS:
            others = len(found) - _MOST_FAULTS
            last = found[_MOST_FAULTS]
            text = f"{others} more faults; fix these faults first"
            found = [*found[:_MOST_FAULTS], Fault(self.file, last.line, last.column, text)]
        return found

    @property
    def remarks(self) -> list[Remark]:
        """All remarks by line, each once."""
        return sorted(dict.fromkeys(self._remarks), key=lambda remark: remark.line)


def lines(said: Iterable[Fault | Remark]) -> Iterator[str]:
    """Yield one line for each."""
    return (f"{one}\n" for one in said)
