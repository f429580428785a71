"""For how many generated systems each planner finds a schedule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from takt_cli.experiments import generated
from takt_cli.report.axes import Figure, layout
from takt_cli.tables.table import Cell, Table

OURS = "takt"
COLOURS = {
    OURS: "--s1",
    "picas": "--s2",
    "isolated": "--s3",
    "rate-monotonic": "--s4",
    "competition": "--s5",
    "competition-literal": "--s6",
}
_DASHES = {"rate-monotonic": "dot"}  # it is where isolated is if deadlines are periods


@dataclass(frozen=True)
class Count:
    """What one planner did with the systems of one shape."""

    system: str
    cores: int
    utilization: float
    planner: str
    sets: int
    accepted: int
    unrefuted: int
    refuted_bounds: int
    threads: float

    @property
    def share(self) -> float:
        """Of the systems, those for which it found a schedule that meets all deadlines."""
        return self.accepted / self.sets


def measure(sets: int, seed: int) -> list[Count]:
    """Let all planners plan, analyse and simulate; takes minutes."""
    return generated.measure("takt_acceptance", sets, seed, _count)


def _count(item: dict[str, Any]) -> Count:
    return Count(
        item["system"],
        item["cores"],
        item["utilization"],
        item["planner"],
        item["sets"],
        item["accepted"],
        item["no_miss_simulated"],
        item["bounds_refuted"],
        item["threads"],
    )


def _rows(counts: Sequence[Count]) -> dict[tuple[str, int, float], dict[str, Count]]:
    """Group by shape, then by planner."""
    rows: dict[tuple[str, int, float], dict[str, Count]] = {}
    for c in counts:
        rows.setdefault((c.system, c.cores, c.utilization), {})[c.planner] = c
    return rows


def tables(counts: Sequence[Count]) -> list[Table]:
    """Tell accepted systems, their simulated misses, and the number of threads."""
    planners = list(dict.fromkeys(c.planner for c in counts))
    columns = ["systems", "cores", "load", *planners]
    accepted = Table("Systems with all deadlines met, by analysis", columns)
    simulated = Table("Systems in which simulation saw no deadline missed", columns)
    threads = Table("Threads of a schedule, mean", columns)
    for shape, row in _rows(counts).items():
        best = max(c.share for c in row.values())
        head = [shape[0], str(shape[1]), f"{shape[2]:.1f}"]
        accepted.add(
            *head,
            *[
                Cell(f"{100 * row[p].share:.1f} %", "good" if row[p].share == best else "")
                for p in planners
            ],
        )
        simulated.add(*head, *[f"{100 * row[p].unrefuted / row[p].sets:.1f} %" for p in planners])
        threads.add(*head, *[f"{row[p].threads:.1f}" for p in planners])
    accepted.notes.append("load: of all cores together; a deadline is the chain's period")
    accepted.notes.append(
        "by deadline, at random: which chains are the more important ones; picas goes by that, "
        "takt only where not all of them fit"
    )
    simulated.notes.append("3 s from random phases; a miss that it did not see may still be there")
    return [accepted, simulated, threads]


def figures(counts: Sequence[Count]) -> list[tuple[str, Figure]]:
    """Plot the accepted share over load, once for each way to choose importance."""
    found = []
    for system in dict.fromkeys(c.system for c in counts):
        loads = {c.utilization for c in counts if c.system == system}
        if len(loads) > 1:
            found.append((f"Accepted: {system}", _over_load(counts, system)))
    return found


def _over_load(counts: Sequence[Count], system: str) -> Figure:
    data = []
    for planner, colour in COLOURS.items():
        line = [c for c in counts if c.system == system and c.planner == planner]
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
    for shape, row in _rows(counts).items():
        best = max((c for c in row.values() if c.planner != OURS), key=lambda c: c.share)
        where = f"{shape[0]}, {shape[1]} cores, load {shape[2]:.1f}"
        if row[OURS].share < best.share:
            lost.append(f"{where} ({best.planner}: {100 * best.share:.1f} %)")
        gains.append((row[OURS].share - row["picas"].share, where))
    most, where = max(gains)
    said.append(
        f"takt finds a schedule for at least as many systems as any other, for {len(gains)} of "
        f"{len(gains)} shapes."
        if not lost
        else f"takt finds fewer schedules than another for {len(lost)} of {len(gains)} shapes: "
        + "; ".join(lost)
        + "."
    )
    said.append(f"Over picas it gains up to {100 * most:.1f} percentage points: {where}.")
    refuted = sum(c.refuted_bounds for c in counts)
    said.append(
        f"Simulation was above {refuted} of the bounds: the analysis is wrong there."
        if refuted
        else "No simulated response was above its bound."
    )
    return said
