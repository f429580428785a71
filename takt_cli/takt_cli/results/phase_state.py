"""Whether bounds that rest on known phases hold, as processes and results tell it."""

from __future__ import annotations

from takt_cli.base.units import how_many, human
from takt_cli.documents.document import Document


class PhaseState(Document, at="common#phase_state"):
    """The state of an executor's phases. Only an executor with offsets has one."""

    @property
    def quiet(self) -> bool:
        """Tell whether nothing has disturbed the phases, and the bounds hold."""
        return self.disturbances == 0 and self.bounds_hold == "yes"

    @property
    def count_words(self) -> str:
        """Say how often: '2 disturbances, the last one 3.2 s ago: lost message of /a:sub(/x)'."""
        if self.last is None:
            return "no disturbance"
        return (
            f"{how_many(self.disturbances, 'disturbance')}, the last one {human(self.last.ago_ns)} "
            f"ago: {self.last.cause} of {self.last.callback}"
        )

    @property
    def hold_words(self) -> str:
        """Write from when bounds hold."""
        again = " again" if self.disturbances else ""
        if self.bounds_hold == "yes":
            return f"bounds hold{again}"
        if self.bounds_hold == "settling":
            return f"bounds hold{again} in {human(self.holds_in_ns or 0)}"
        if self.bounds_hold == "unknown":
            return f"whether bounds hold{again} is unknown: the schedule has no settles"
        return f"bounds hold{again} after a new start"

    def __str__(self) -> str:
        return f"{self.count_words}; {self.hold_words}"
