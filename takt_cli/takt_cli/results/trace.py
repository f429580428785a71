"""The figures of a trace: the document that `takt_trace convert` prints."""

from __future__ import annotations

from typing import Any

from takt_cli.documents.document import Document, as_json


class TracedProcess(Document, at="trace_summary#process"):
    """A process of a trace."""

    @property
    def words(self) -> str:
        """Name it in a sentence."""
        return f"{self.program.rpartition('/')[2] or '?'} (pid {self.pid})"


class TracedChain(Document, at="trace_summary#chain"):
    """A chain of a trace."""


class TracedStalls(Document, at="trace_summary#stalls"):
    """Times in which the host, or the kernel, took a core from the threads of highest priority."""


class TraceSummary(Document, at="trace_summary"):
    """The figures of a whole trace."""

    @property
    def dropped(self) -> int:
        """How many records are missing."""
        return sum(process.dropped for process in self.processes)

    def as_json(self) -> dict[str, Any]:
        """Give it for programs."""
        return as_json(self)
