"""How far the bounds of each analysis are above the worst simulated response."""

from __future__ import annotations

from collections.abc import Sequence

from takt_cli.documents.document import Document
from takt_cli.pages.axes import Figure, layout
from takt_cli.tables.table import Cell, Table
from takt_cli.verbs.experiment import generated

GOAL = 1.25  # of the median
KIND_GOALS = {True: (1.1, 1.5), False: (1.25, 2.0)}  # with phases or without: median, p90
ALL_KINDS = "all kinds"  # together
# Systems of a kind, as a share of those of an analysis and load: the search in them takes longer.
_SETS_OF_A_KIND = 0.3
_GOAL_ANALYSIS = "priority"
_GOAL_LOAD = 0.7
_COLOURS = ("--s1", "--s2", "--s3", "--s4", "--s5", "--s6")


class Ratios(Document, at="tightness#ratios"):
    """Bound over worst simulated response, of some chains."""

    @property
    def share_without(self) -> float:
        """Of the chains, those that have no bound."""
        return float(self.without_bound / max(1, self.ratios + self.without_bound))


class Point(Document, at="tightness"):
    """One analysis at one load."""


class KindPoint(Document, at="tightness_of_kind"):
    """All chains of one kind of system, whose timers have known phases or any."""

    @property
    def share_of_windows(self) -> float:
        """Of all chains."""
        return float(self.windows / max(self.all.ratios + self.all.without_bound, 1))

    @property
    def met(self) -> bool:
        """Whether there are ratios and they are within the goals; an unknown p90 is."""
        median, p90 = KIND_GOALS[self.phases]
        ratios = self.all
        return ratios.median is not None and ratios.median <= median and (ratios.p90 or 0) <= p90


Points = Sequence[Point | KindPoint]


def measure(sets: int, seed: int) -> list[Point | KindPoint]:
    """Let the program analyse and simulate; takes minutes."""
    few = max(1, round(sets * _SETS_OF_A_KIND))
    return [
        *generated.measure("takt_tightness", {"sets": sets, "seed": seed}, Point.read),
        *generated.measure(
            "takt_tightness", {"sets": few, "seed": seed}, KindPoint.read, "--kinds"
        ),
    ]


def _analyses(points: Points) -> list[Point]:
    return [point for point in points if isinstance(point, Point)]


def _kinds(points: Points) -> list[KindPoint]:
    return [point for point in points if isinstance(point, KindPoint)]


def refuted(points: Points) -> int:
    """Count bounds that simulation was above."""
    return sum(point.all.refuted for point in points)


def tables(points: Points) -> list[Table]:
    """Tell median, p90 and maximum of the ratios, and how many chains have no bound."""
    analyses, kinds = _analyses(points), _kinds(points)
    found = [
        _table("The most important chain: bound / worst simulated", analyses, True),
        _table("All chains: bound / worst simulated", analyses, False),
    ]
    return found + ([_kind_table(kinds)] if kinds else [])


def _kind_table(points: Sequence[KindPoint]) -> Table:
    columns = [
        *("systems", "phases", "chains", "in windows", "median", "p90", "max", "no bound", "goals")
    ]
    table = Table("All chains by kind of system: bound / worst simulated", columns)
    for point in points:
        ratios = point.all
        table.add(
            point.kind,
            "known" if point.phases else "unknown",
            Cell(str(ratios.ratios), value=ratios.ratios),
            Cell(f"{100 * point.share_of_windows:.1f} %", value=point.share_of_windows)
            if point.phases
            else Cell("-"),
            *[_number(value) for value in (ratios.median, ratios.p90, ratios.max)],
            Cell(f"{100 * ratios.share_without:.1f} %", value=ratios.share_without),
            "met" if point.met else "missed",
        )
    table.notes.append(
        "in windows: chains whose jobs have windows of known phases; the others have the bound of "
        "any phases, most of them because a timer of the system may end later than its period"
    )
    known, unknown = KIND_GOALS[True], KIND_GOALS[False]
    table.notes.append(
        f"goals of median and p90: {known[0]} and {known[1]} with known phases, "
        f"{unknown[0]} and {unknown[1]} without"
    )
    return table


def _table(title: str, points: Sequence[Point], most_important: bool) -> Table:
    columns = ["analysis", "load per core", "median", "p90", "max", "no bound"]
    table = Table(title, columns)
    for point in points:
        ratios = point.most_important if most_important else point.all
        table.add(
            point.analysis,
            f"{100 * point.utilization:.0f} %",
            *[_number(value) for value in (ratios.median, ratios.p90, ratios.max)],
            Cell(f"{100 * ratios.share_without:.1f} %", value=ratios.share_without),
        )
    table.notes.append("of chains that have a bound; p90 only with 10 or more above it")
    return table


def _number(value: float | None) -> Cell:
    return Cell("-") if value is None else Cell(f"{value:.2f}", value=value)


def figures(points: Points) -> list[tuple[str, Figure]]:
    """Plot the distribution of the ratios of all chains, once for each analysis."""
    analyses = _analyses(points)
    return [
        (
            f"All chains under {analysis}",
            _distribution([p for p in analyses if p.analysis == analysis]),
        )
        for analysis in dict.fromkeys(point.analysis for point in analyses)
    ]


def _distribution(points: Sequence[Point]) -> Figure:
    data = []
    for point, colour in zip(points, _COLOURS, strict=False):
        if not point.all.percentiles:
            continue
        name = f"{100 * point.utilization:.0f} %"
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": name,
                "x": [round(value, 3) for value in point.all.percentiles],
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


def sentences(points: Points) -> list[str]:
    """Say whether the goals were met, and count the bounds that simulation refuted."""
    said = []
    for point in _analyses(points):
        median = point.most_important.median
        if (point.analysis, point.utilization) == (_GOAL_ANALYSIS, _GOAL_LOAD) and median:
            verdict = "within" if median <= GOAL else "above"
            said.append(
                f"Under {_GOAL_ANALYSIS} at {100 * _GOAL_LOAD:.0f} % the most important chain's "
                f"bound is {median:.2f} times the worst simulated response in the median, "
                f"{verdict} the goal of {GOAL}."
            )
    for phases in (True, False):
        kinds = [p for p in _kinds(points) if p.phases == phases and p.kind != ALL_KINDS]
        missed = [point.kind for point in kinds if not point.met]
        if kinds:
            said.append(
                f"With {'known' if phases else 'unknown'} phases the bounds of "
                f"{len(kinds) - len(missed)} of {len(kinds)} kinds of system meet both goals"
                + (f"; those that do not: {'; '.join(missed)}." if missed else ".")
            )
    above = refuted(points)
    said.append(
        f"Simulation was above {above} of the bounds: the analysis is wrong there."
        if above
        else "No simulated response was above its bound."
    )
    return said
