"""How far the bounds of each analysis are above the worst simulated response."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from takt_cli.experiments import generated
from takt_cli.report.axes import Figure, layout
from takt_cli.tables.table import Cell, Table

GOAL = 1.25  # of the median
_GOAL_ANALYSIS = "priority"
_GOAL_LOAD = 0.7
_COLOURS = ("--s1", "--s2", "--s3", "--s4", "--s5", "--s6")


@dataclass(frozen=True)
class Ratios:
    """Bound over worst simulated response, of some chains."""

    count: int
    without_bound: int
    refuted: int
    median: float | None
    p90: float | None
    most: float | None
    percentiles: list[float]  # 0 to 100, or none at all

    @property
    def share_without(self) -> float:
        """Of the chains, those that have no bound."""
        return self.without_bound / max(1, self.count + self.without_bound)


@dataclass(frozen=True)
class Point:
    """One analysis at one load."""

    analysis: str
    utilization: float
    sets: int
    most_important: Ratios
    all_chains: Ratios


def measure(sets: int, seed: int) -> list[Point]:
    """Let the program analyse and simulate; takes minutes."""
    return generated.measure("takt_tightness", {"sets": sets, "seed": seed}, _point)


def _point(item: dict[str, Any]) -> Point:
    return Point(
        item["analysis"],
        item["utilization"],
        item["sets"],
        _ratios(item["most_important"]),
        _ratios(item["all"]),
    )


def _ratios(item: dict[str, Any]) -> Ratios:
    return Ratios(
        item["ratios"],
        item["without_bound"],
        item["refuted"],
        item["median"],
        item["p90"],
        item["max"],
        item["percentiles"],
    )


def refuted(points: Sequence[Point]) -> int:
    """Count bounds that simulation was above."""
    return sum(point.all_chains.refuted for point in points)


def tables(points: Sequence[Point]) -> list[Table]:
    """Tell median, p90 and maximum of the ratios, and how many chains have no bound."""
    return [
        _table("The most important chain: bound / worst simulated", points, True),
        _table("All chains: bound / worst simulated", points, False),
    ]


def _table(title: str, points: Sequence[Point], most_important: bool) -> Table:
    columns = ["analysis", "load per core", "median", "p90", "max", "no bound"]
    table = Table(title, columns)
    for point in points:
        ratios = point.most_important if most_important else point.all_chains
        table.add(
            point.analysis,
            f"{100 * point.utilization:.0f} %",
            *[_number(value) for value in (ratios.median, ratios.p90, ratios.most)],
            Cell(f"{100 * ratios.share_without:.1f} %", value=ratios.share_without),
        )
    table.notes.append("of chains that have a bound; p90 only with 10 or more above it")
    return table


def _number(value: float | None) -> Cell:
    return Cell("-") if value is None else Cell(f"{value:.2f}", value=value)


def figures(points: Sequence[Point]) -> list[tuple[str, Figure]]:
    """Plot the distribution of the ratios of all chains, once for each analysis."""
    return [
        (
            f"All chains under {analysis}",
            _distribution([p for p in points if p.analysis == analysis]),
        )
        for analysis in dict.fromkeys(point.analysis for point in points)
    ]


def _distribution(points: Sequence[Point]) -> Figure:
    data = []
    for point, colour in zip(points, _COLOURS, strict=False):
        if not point.all_chains.percentiles:
            continue
        name = f"{100 * point.utilization:.0f} %"
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": name,
                "x": [round(value, 3) for value in point.all_chains.percentiles],
                "y": list(range(101)),
                "line": {"color": colour, "width": 2},
                "hovertemplate": f"%{{y}} % up to %{{x}} at load {name}<extra></extra>",
            }
        )
    frame = layout("bound / worst simulated", "chains with a bound (%)")
    frame["xaxis"]["type"] = "log"
    frame["yaxis"].update(range=[0, 104])
    frame["showlegend"] = True
    return {"data": data, "layout": frame}


def sentences(points: Sequence[Point]) -> list[str]:
    """Say whether the goal was met, and count the bounds that simulation refuted."""
    said = []
    for point in points:
        median = point.most_important.median
        if (point.analysis, point.utilization) == (_GOAL_ANALYSIS, _GOAL_LOAD) and median:
            verdict = "within" if median <= GOAL else "above"
            said.append(
                f"Under {_GOAL_ANALYSIS} at {100 * _GOAL_LOAD:.0f} % the most important chain's "
                f"bound is {median:.2f} times the worst simulated response in the median, "
                f"{verdict} the goal of {GOAL}."
            )
    above = refuted(points)
    said.append(
        f"Simulation was above {above} of the bounds: the analysis is wrong there."
        if above
        else "No simulated response was above its bound."
    )
    return said
