"""The claims of the experiment `isolation`, judged for each cell."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from takt_cli.tables.table import Cell as Shown
from takt_cli.tables.table import Table
from takt_cli.verbs.experiment.isolation import (
    ISOLATED,
    ISOLATED_RT,
    ONE,
    PLANNED,
    POOL,
    STOCK,
    Cell,
    Measured,
)

# Worst latencies with a smaller difference count as equal: the longest of some runs varies as much.
EQUAL = 1.1
_DEVIATIONS = 2.0
Verdict = bool | None  # None: not judged

_WORDS: dict[Verdict, str] = {True: "met", False: "missed", None: "not judged"}


@dataclass(frozen=True)
class Claim:
    """One claim with its verdict in every cell."""

    text: str
    cells: dict[str, Verdict]

    @property
    def holds(self) -> Verdict:
        """Met in every cell, missed in one at least, or not known."""
        verdicts = self.cells.values()
        if False in verdicts:
            return False
        return None if None in verdicts or not self.cells else True


def by_cell(found: Sequence[Measured]) -> dict[Cell, dict[str, Measured]]:
    """Group the measurements of each cell by arrangement."""
    grouped: dict[Cell, dict[str, Measured]] = {}
    for one in found:
        grouped.setdefault(one.cell, {})[one.arrangement] = one
    return grouped


def voluntary(one: Measured) -> int:
    """Sum the voluntary switches of the executor threads over all runs."""
    return sum(cost.voluntary for cost in one.costs)


def involuntary(one: Measured) -> int:
    """Sum the involuntary switches."""
    return sum(cost.involuntary for cost in one.costs)


def switches(one: Measured) -> int:
    """Sum the switches of both kinds."""
    return voluntary(one) + involuntary(one)


def threads(one: Measured) -> int:
    """Give the threads of all processes, the most of all runs."""
    return max((cost.threads for cost in one.costs), default=0)


def complete(*those: Measured) -> bool:
    """Whether all runs ended nearly all activations: counts of others are those of less work."""
    return all(one.costs and all(cost.complete for cost in one.costs) for one in those)


def worst(one: Measured) -> float | None:
    """Give the median, over the runs, of the worst latency of each."""
    if not one.costs or not all(len(cost.responses) for cost in one.costs):
        return None
    return float(np.median([cost.responses.max() for cost in one.costs]))


def granted(one: Measured) -> bool:
    """Tell whether the kernel granted the attributes that the schedule asks for."""
    return bool(one.costs) and not any(cost.refused for cost in one.costs)


def below(mine: float, limit: float, factor: float = 1.0) -> Verdict:
    """Judge mine <= factor * limit of two counts; None within two deviations of chance."""
    allowed = factor * limit
    if abs(mine - allowed) <= _DEVIATIONS * math.sqrt(mine + factor * factor * limit):
        return None
    return mine < allowed


def judge(found: Sequence[Measured]) -> list[Claim]:
    """Judge all claims."""
    cells = by_cell(found)

    def claim(text: str, verdict: Callable[[dict[str, Measured]], Verdict]) -> Claim:
        return Claim(text, {cell.name: verdict(of) for cell, of in cells.items()})

    claims = []
    for pool in (STOCK, POOL):
        for word, count in (("voluntary", voluntary), ("involuntary", involuntary)):
            claims.append(
                claim(
                    f"isolated threads have fewer {word} switches than the {pool}",
                    lambda of, pool=pool, count=count: (
                        below(count(of[ISOLATED]), count(of[pool]))
                        if complete(of[ISOLATED], of[pool])
                        else None
                    ),
                )
            )
    for rival in (ISOLATED, ISOLATED_RT):
        claims += [
            claim(
                f"the plan has at most half of the threads, or one in each process ({rival})",
                lambda of, rival=rival: _planned(of, rival) and _few_threads(of, rival),
            ),
            claim(
                "the plan has at most half of the switches, or no more than one thread in each"
                f" process ({rival})",
                lambda of, rival=rival: _planned(of, rival) and _few_switches(of, rival),
            ),
            claim(
                f"the plan's worst latency is at most {EQUAL:g} × that of {rival}",
                lambda of, rival=rival: _planned(of, rival) and _as_early(of, rival),
            ),
        ]
    return claims


def _planned(of: dict[str, Measured], rival: str) -> Verdict:
    """Whether both can be compared.

    False if the plan lost activations and its rival did not; None if the rival did, or without the
    rights that their schedules ask for.
    """
    if not (granted(of[PLANNED]) and granted(of[rival]) and complete(of[rival])):
        return None
    return complete(of[PLANNED])


def _few_threads(of: dict[str, Measured], rival: str) -> bool:
    mine = threads(of[PLANNED])
    return 2 * mine <= threads(of[rival]) or mine <= of[PLANNED].cell.processes


def _few_switches(of: dict[str, Measured], rival: str) -> Verdict:
    """Judge against half of the rival's; one thread in each process has as few as there can be."""
    mine = switches(of[PLANNED])
    half = below(mine, switches(of[rival]), 0.5)
    if half or not complete(of[ONE]):
        return half
    # The claim also holds if the plan switches no more often than one thread in each process, apart
    # from chance.
    return half if below(mine, switches(of[ONE])) is False else True


def _as_early(of: dict[str, Measured], rival: str) -> Verdict:
    mine, theirs = worst(of[PLANNED]), worst(of[rival])
    if mine is None or theirs is None:
        return None
    return mine <= EQUAL * theirs


def verdicts(claims: Sequence[Claim]) -> Table:
    """Show the claims: the verdict, and the cells in which it was another one than met."""
    table = Table(
        "What was to be shown, in every cell (callbacks in processes)",
        ["claim", "verdict", "met in", "missed in", "not judged in"],
    )
    moods = {True: "good", False: "bad", None: ""}
    for claim in claims:
        each = {
            verdict: [name for name, one in claim.cells.items() if one is verdict]
            for verdict in (True, False, None)
        }
        word = _WORDS[claim.holds].upper() if claim.holds is False else _WORDS[claim.holds]
        table.add(
            claim.text,
            Shown(word, moods[claim.holds]),  # type: ignore[arg-type]
            f"{len(each[True])} of {len(claim.cells)}",
            ", ".join(each[False]) or "–",
            ", ".join(each[None]) or "–",
        )
    table.notes.append(
        "not judged: the difference is within two standard deviations of such counts, a schedule "
        "was refused its real-time priorities, or an arrangement lost activations, so that its "
        "counts are those of less work"
    )
    return table


def sentences(claims: Sequence[Claim]) -> list[str]:
    """Sum up."""
    met = sum(claim.holds is True for claim in claims)
    missed = [claim.text for claim in claims if claim.holds is False]
    text = f"{met} of {len(claims)} claims were met in every cell"
    if missed:
        text += f"; missed in some cell: {'; '.join(missed)}"
    open_ = sum(claim.holds is None for claim in claims)
    if open_:
        text += f"; {open_} could not be judged in every cell"
    return [text + "."]
