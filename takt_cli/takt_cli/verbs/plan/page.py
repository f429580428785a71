"""The page of a planned schedule: the gain of each thread, and the chosen number."""

from __future__ import annotations

from pathlib import Path

from takt_cli.base.units import how_many
from takt_cli.pages.axes import Figure, layout
from takt_cli.pages.study import Study
from takt_cli.results.plan import Plan
from takt_cli.running.host import this_host
from takt_cli.tables.run_tables import ms
from takt_cli.tables.table import Cell, Table


def plan_study(found: Plan, command: str) -> Study:
    """Make a study of the plan, without a run."""
    figure = trade_figure(found)
    return Study(
        kind="plan",
        title=f"Threads and time to spare: {Path(found.system).name}",
        command=command,
        host=this_host(),
        configurations=[],
        sentences=_sentences(found),
        tables=[_chains(found), _threads(found), *_trade(found)],
        figures=[("What threads buy", figure)] if figure else [],
        explanations=[
            "Least to spare: the smallest (deadline - bound) / deadline of the chains that are "
            "met. Threads of one process on one core were merged one after the other, always "
            "where that leaves most to spare; every point is a plan with the bounds of the "
            "analysis.",
            "The plan is computed, and nothing was measured. The machine named above is the one "
            "that built this page.",
        ],
    )


def trade_figure(found: Plan) -> Figure | None:
    """Draw the least slack over the number of threads; None if there was no choice."""
    points = sorted(found.trade, key=lambda point: point.threads)
    if len(points) < 2 or all(point.slack is None for point in points):
        return None
    chosen = len(found.threads)
    threads = [point.threads for point in points]
    frame = layout("threads", "least to spare (% of the deadline)")
    frame["xaxis"].update(dtick=max(1, (threads[-1] - threads[0]) // 12))
    return {
        "data": [
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": "least to spare",
                "x": threads,
                "y": [
                    None if point.slack is None else round(100 * point.slack, 2) for point in points
                ],
                "line": {"color": "--s4", "width": 2},
                "marker": {
                    "size": [12 if count == chosen else 6 for count in threads],
                    "color": ["--s1" if count == chosen else "--s4" for count in threads],
                },
                "text": [
                    f"{point.switches_per_second:.0f} context switches a second"
                    + (", chosen" if point.threads == chosen else "")
                    for point in points
                ],
                "hovertemplate": "%{x} threads: %{y:.1f} % to spare, %{text}<extra></extra>",
            }
        ],
        "layout": frame,
    }


def _sentences(found: Plan) -> list[str]:
    chains, late = found.chains, [c.name for c in found.chains if not c.met]
    count = len(found.threads)
    text = f"Planner {found.planner}: {count} thread{'' if count == 1 else 's'} for "
    text += f"{len(chains)} chain{'' if len(chains) == 1 else 's'}. "
    text += f"Not within their deadlines: {', '.join(late)}." if late else "All deadlines hold."
    result = [text, *_paid_periods(found), *found.shortfalls, *found.warnings]
    if found.when_bounds_hold:
        result.append(found.when_bounds_hold)
    if len(found.trade) < 2:
        result.append("The page has no curve: the planner merged no threads.")
    return result


def _paid_periods(found: Plan) -> list[str]:
    """Name the chains that are late so that no timer skips a period."""
    names = [chain.name for chain in found.chains if chain.pays_for_periods]
    if not names:
        return []
    periods = how_many(found.periods_kept, "period")
    return [
        f"So that no timer skips a period, {' and '.join(names)} pay{'s' * (len(names) == 1)} for "
        f"it: in another plan timers skip {periods} in simulation "
        f"({', '.join(found.periods_kept_of)})."
    ]


def _chains(found: Plan) -> Table:
    table = Table("Chains (ms)", ["chain", "priority", "deadline", "bound", "to spare"])
    for chain in found.chains:
        spare = chain.spare_ns
        table.add(
            chain.name,
            str(chain.priority),
            ms(chain.deadline_ns),
            ms(chain.bound_ns),
            Cell(
                f"{spare / 1e6:.2f}" if spare is not None else "–",
                "good" if chain.met else "bad",
                spare,
            ),
        )
    return table


def _threads(found: Plan) -> Table:
    table = Table("Threads", ["thread", "executor", "core", "OS priority", "callbacks", "load"])
    for thread in found.threads:
        table.add(
            thread.name,
            thread.executor,
            f"{thread.host}, {thread.core}",
            str(thread.priority),
            str(len(thread.callbacks)),
            f"{100 * thread.load:.1f} %",
        )
    return table


def _share(part: float | None) -> str:
    return "none" if part is None else f"{100 * part:.1f} %"


def _trade(found: Plan) -> list[Table]:
    if len(found.trade) < 2:
        return []
    table = Table(
        "What threads buy, without trigger: false and sequences",
        ["threads", "least to spare", "context switches a second"],
    )
    for point in found.trade:
        chosen = point.threads == len(found.threads)
        table.add(
            f"{point.threads}, chosen" if chosen else str(point.threads),
            Cell(_share(point.slack), "good" if chosen else "", point.slack),
            f"{point.switches_per_second:.0f}",
        )
    return [table]
