"""Reads whether bounds that rest on known phases hold."""

from __future__ import annotations

from typing import cast, get_args

from takt_cli.results.fields import DamagedError, Fields
from takt_cli.results.phase_state import Disturbed, Hold, PhaseState

_CAUSES = ("skipped period", "lost message", "restarted process")


def read_phase_state(fields: Fields, name: str) -> PhaseState | None:
    """Read the object of that name; None where it is missing or null."""
    if not fields.has(name):
        return None
    told = fields.part(name)
    hold = told.text("bounds_hold")
    if hold not in get_args(Hold):
        raise DamagedError(f"{told.place}.bounds_hold is none of {', '.join(get_args(Hold))}")
    last = told.part("last")
    if last.raw and last.text("cause") not in _CAUSES:
        raise DamagedError(f"{last.place}.cause is none of {', '.join(_CAUSES)}")
    return PhaseState(
        disturbances=told.whole("disturbances"),
        bounds_hold=cast(Hold, hold),
        holds_in_ns=told.whole_or_none("holds_in_ns"),
        last=Disturbed(last.text("cause"), last.text("callback"), last.whole("ago_ns"))
        if last.raw
        else None,
    )
