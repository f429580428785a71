"""A schedule with bounds: the document that `takt_plan --json` prints."""

from __future__ import annotations

from takt_cli.documents.document import Document


class PlannedChain(Document, at="plan#chain"):
    """A chain with its bound."""

    @property
    def spare_ns(self) -> int | None:
        """The deadline less the bound; None: it has no bound, or no deadline."""
        if self.deadline_ns is None or self.bound_ns is None:
            return None
        return int(self.deadline_ns - self.bound_ns)


class Plan(Document, at="plan"):
    """A schedule that a planner found."""
