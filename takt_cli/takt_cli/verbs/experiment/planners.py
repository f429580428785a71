"""For how many generated systems each planner finds a schedule."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from takt_cli.documents.document import Document
from takt_cli.pages.axes import Figure, layout
from takt_cli.tables.table import Cell, Table
from takt_cli.verbs.experiment import generated

OURS = "takt"
FIRST = "takt, no walk"
COLOURS = {
    OURS: "--s1",
    FIRST: "--s7",
    "picas": "--s2",
    "isolated": "--s3",
    "rate-monotonic": "--s4",
    "competition": "--s5",
    "competition-literal": "--s6",
}
_DASHES = {"rate-monotonic": "dot"}  # it is where isolated is if deadlines are periods
PUBLISHED, PHASES, EXHAUSTIVE = "published", "phases", "exhaustive"
WALKED = 25  # systems of each shape with known and unknown phases; a walk takes seconds
SMALL = 100  # small systems at each load
GOAL = 0.95  # of the systems that exhaustive search can plan


class Count(Document, at="acceptance"):
    """What one planner did with the systems of one shape."""

    @property
    def share(self) -> float:
        """Of the systems, those for which it found a schedule that meets all deadlines."""
        return self.accepted / max(self.sets, 1)


def measure(sets: int, seed: int, phases: int = WALKED, exhaustive: int = SMALL) -> list[Count]:
    """Let all planners plan, analyse and simulate; takes some 25 minutes.

    `sets`: of each published shape; `phases`: of each shape with known and unknown phases;
    `exhaustive`: small ones of each load.
    """
    numbers = {"published": sets, "phases": phases, "exhaustive": exhaustive, "seed": seed}
    return generated.measure("takt_acceptance", numbers, Count.read)


def _rows(counts: Sequence[Count]) -> dict[tuple[str, int, float], dict[str, Count]]:
    """Group by shape, then by planner."""
    rows: dict[tuple[str, int, float], dict[str, Count]] = {}
    for c in counts:
        rows.setdefault((c.system, c.cores, c.utilization), {})[c.planner] = c
    return rows


def _of(part: str, counts: Sequence[Count]) -> list[Count]:
    return [c for c in counts if c.part == part]


def tables(counts: Sequence[Count]) -> list[Table]:
    """Tell accepted systems, their simulated misses, and the number of threads."""
    result = []
    if published := _of(PUBLISHED, counts):
        accepted = _accepted("Systems with all deadlines met, by analysis", published)
        accepted.notes.append("load: of all cores together; a deadline is the chain's period")
        accepted.notes.append(
            "by deadline, at random: which chains are the more important ones; picas goes by that, "
            "takt only where not all of them fit"
        )
        simulated = _table(
            "Systems in which simulation saw no deadline missed",
            published,
            lambda c: f"{100 * c.no_miss_simulated / c.sets:.1f} %",
        )
        simulated.notes.append(
            "3 s from random phases; a miss that it did not see may still be there"
        )
        threads = _table("Threads of a schedule, mean", published, lambda c: f"{c.threads:.1f}")
        result += [accepted, simulated, threads]
    if phases := _of(PHASES, counts):
        known = _accepted("Systems with all deadlines met, phases known and unknown", phases)
        known.notes.append(f"{phases[0].sets} systems of each shape, importance at random")
        result.append(known)
    if small := _of(EXHAUSTIVE, counts):
        result.append(_small(small))
    return result


def _table(title: str, counts: Sequence[Count], text: Callable[[Count], str]) -> Table:
    planners = list(dict.fromkeys(c.planner for c in counts))
    table = Table(title, ["systems", "cores", "load", *planners])
    for shape, row in _rows(counts).items():
        table.add(
            *(shape[0], str(shape[1]), f"{shape[2]:.1f}"),
            *[text(row[planner]) for planner in planners],
        )
    return table


def _accepted(title: str, counts: Sequence[Count]) -> Table:
    table = _table(title, counts, lambda c: f"{100 * c.share:.1f} %")
    for cells, row in zip(table.rows, _rows(counts).values(), strict=True):
        best = max(c.share for c in row.values())
        cells[3:] = [
            Cell(cell.text, "good" if c.share == best else "")
            for cell, c in zip(cells[3:], row.values(), strict=True)
        ]
    return table


def _small(counts: Sequence[Count]) -> Table:
    planners = list(dict.fromkeys(c.planner for c in counts))
    table = Table(
        "Small systems that have a plan: found by", ["load of a core", "have a plan", *planners]
    )
    for shape, row in _rows(counts).items():
        table.add(
            f"{shape[2]:.2f}",
            str(next(iter(row.values())).sets),
            *[f"{100 * row[planner].share:.1f} %" for planner in planners],
        )
    table.notes.append("every assignment, every order and ten offsets to a period were tried")
    return table


def figures(counts: Sequence[Count]) -> list[tuple[str, Figure]]:
    """Plot the accepted share over load, once for each kind of system."""
    found = []
    for system in dict.fromkeys(c.system for c in counts if c.part != EXHAUSTIVE):
        loads = {c.utilization for c in counts if c.system == system}
        if len(loads) > 1:
            found.append((f"Accepted: {system}", _over_load(counts, system)))
    return found


def _over_load(counts: Sequence[Count], system: str) -> Figure:
    data = []
    for planner, colour in COLOURS.items():
        line = [c for c in counts if c.system == system and c.planner == planner]
        if not line:
            continue
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": planner,
                "x": [c.utilization for c in line],
                "y": [round(100 * c.share, 2) for c in line],
                "line": {"color": colour, "width": 2, "dash": _DASHES.get(planner, "solid")},
                "hovertemplate": f"{planner}: %{{y:.1f}} % at load %{{x}}<extra></extra>",
            }
        )
    frame = layout("load of all cores together", "systems with all deadlines met (%)")
    frame["xaxis"].update(tickvals=sorted({c.utilization for c in counts if c.system == system}))
    frame["yaxis"].update(range=[0, 104])
    frame["showlegend"] = True
    frame["height"] = 360
    return {"data": data, "layout": frame}


def sentences(counts: Sequence[Count]) -> list[str]:
    """Compare takt with the others, and count the bounds that simulation refuted."""
    said = []
    lost, gains = [], []
    others = [c for c in counts if c.part != EXHAUSTIVE]
    for shape, row in _rows(others).items():
        best = max((c for c in row.values() if c.planner != OURS), key=lambda c: c.share)
        where = f"{shape[0]}, {shape[1]} cores, load {shape[2]:.1f}"
        if row[OURS].share < best.share:
            lost.append(f"{where} ({best.planner}: {100 * best.share:.1f} %)")
        gains.append((row[OURS].share - row["picas"].share, where))
    if gains:
        said.append(
            f"takt finds a schedule for at least as many systems as any other, for {len(gains)} of "
            f"{len(gains)} shapes."
            if not lost
            else f"takt finds fewer schedules than another for {len(lost)} of {len(gains)} shapes: "
            + "; ".join(lost)
            + "."
        )
        most, where = max(gains)
        said.append(f"Over picas it gains up to {100 * most:.1f} percentage points: {where}.")
    if small := [c for c in _of(EXHAUSTIVE, counts) if c.planner == OURS and c.sets > 0]:
        have, found = sum(c.sets for c in small), sum(c.accepted for c in small)
        verdict = "within" if found >= GOAL * have else "below"
        said.append(
            f"Of {have} small systems for which exhaustive search has a plan, takt plans {found} "
            f"({100 * found / have:.1f} %), {verdict} the goal of {100 * GOAL:.0f} %."
        )
    refuted = sum(c.bounds_refuted for c in counts)
    said.append(
        f"Simulation was above {refuted} of the bounds: the analysis is wrong there."
        if refuted
        else "No simulated response was above its bound."
    )
    return said
