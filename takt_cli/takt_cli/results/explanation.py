"""Bounds and the jobs of a hyperperiod: the document that `takt_explain --json` prints."""

from __future__ import annotations

from takt_cli.documents.document import Document


class ExplainedChain(Document, at="explanation#chain"):
    """A chain with its bound."""


class Job(Document, at="explanation#job"):
    """The times at which a job of a callback may run."""


class SimulatedRun(Document, at="explanation#run"):
    """A job of a simulated hyperperiod."""

    @property
    def spent_ns(self) -> int:
        """How long it had a core."""
        return sum(end - begin for begin, end in self.pieces_ns)


class Row(Document, at="explanation#row"):
    """A callback, with its jobs of one hyperperiod."""

    @property
    def place(self) -> tuple[str, ...]:
        """The place where it runs."""
        return (self.host, self.executor, *self.threads)


class Hyperperiod(Document, at="explanation#hyperperiod"):
    """All callbacks whose phases are known."""


class Explanation(Document, at="explanation"):
    """The bounds of a schedule."""
