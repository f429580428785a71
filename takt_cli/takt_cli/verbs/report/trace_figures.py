"""The detailed figures of a trace: chains, longest activations, callbacks, threads, clocks.

Times are nanoseconds; points in time count from the beginning of the trace.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from takt_cli.documents.document import Document
from takt_cli.results.distribution import Distribution as Distribution

PARTS = ("middleware", "group", "queue", "core", "ran", "blocked")


class Split(Document, at="trace_report#split"):
    """The parts of a response time."""

    @property
    def parts(self) -> Mapping[str, float]:
        """Give the parts by the names in PARTS; what is below zero counts as zero."""
        return {name: max(0.0, getattr(self, f"{name}_ns")) for name in PARTS}

    @property
    def total_ns(self) -> float:
        """All parts together: the response time."""
        return sum(self.parts.values())

    @property
    def largest(self) -> str:
        """Name of the part that took longest."""
        return max(PARTS, key=self.parts.__getitem__)


class Step(Document, at="trace_report#step"):
    """One run of an activation."""

    @property
    def kept_ns(self) -> int:
        """How long after its end its node kept the message for the other input."""
        return 0 if self.until_ns is None else max(0, self.until_ns - self.end_ns)


class Run(Document, at="trace_report#run"):
    """A run of any callback during an activation; `own`: it is a step of the activation."""


class Activation(Document, at="trace_report#activation"):
    """One of the longest activations of a chain."""


class Account(Document, at="trace_report#account"):
    """The ends of all activations of a chain, including unfinished ones."""


class ReportedChain(Document, at="trace_report#chain"):
    """A chain and its activations; `responses`: moment of the release, response time."""

    @classmethod
    def read(cls, raw: Any, place: str = "") -> ReportedChain:
        """Read it, its responses in the order of time."""
        found = super().read(raw, place)
        return replace(found, responses=tuple(sorted(found.responses)))

    @property
    def counted(self) -> int:
        """Give the number of activations to which `missed` belongs."""
        return self.account.released if self.account else self.activations


class ReportedCallback(Document, at="trace_report#callback"):
    """A callback and the times of its runs."""


class ReportedProcess(Document, at="trace_report#process"):
    """A process of the trace."""

    @property
    def words(self) -> str:
        """Name it in a sentence."""
        return f"{self.program.rpartition('/')[2] or '?'} (pid {self.pid})"


class TraceReport(Document, at="trace_report"):
    """The whole document."""

    @property
    def duration_ns(self) -> int:
        """From the first to the last record."""
        return max(0, self.ended_ns - self.began_ns)

    @property
    def dropped(self) -> int:
        """How many records are missing."""
        return sum(process.dropped for process in self.processes)

    @property
    def programs(self) -> dict[int, str]:
        """Words for each process, by its number."""
        return {process.pid: process.words for process in self.processes}
