"""The output of `takt run`: tables, and warnings."""

from __future__ import annotations

from takt_cli.base.console import out
from takt_cli.base.units import human
from takt_cli.results.run_results import Results
from takt_cli.tables.run_tables import run_tables

_MOST_LISTED = 10


def print_run(results: Results) -> None:
    """Print the tables and warnings of a run."""
    console = out()
    console.print(
        f"{results.graph} under {_what_ran(results)}, "
        f"{human(results.duration_ns)} after {human(results.warmup_ns)} of warm-up, "
        f"phases {results.phases}",
        markup=False,
    )
    if results.ended_early:
        console.print("Ended early: these figures are of the time until the interrupt.")
    for table in run_tables(results):
        table.print_to(console)
    line = defaulted_line(results)
    if line:
        console.print(line, markup=False)
    for warning in results.warnings:
        console.print(f"warning: {warning}", style="yellow", markup=False)


def defaulted_line(results: Results) -> str:
    """Name the callbacks without a rule in the schedule.

    Empty if no callback has a rule: then the schedule has no rules, or a warning says that it
    belongs to another graph.
    """
    ids = results.defaulted_callbacks
    if not ids or len(ids) >= len(results.callbacks):
        return ""
    more = len(ids) - _MOST_LISTED
    rest = f" and {more} more (defaulted_callbacks in the results)" if more > 0 else ""
    listed = ", ".join(ids[:_MOST_LISTED])
    return f"Callbacks on the default threads, because no rule matches them: {listed}{rest}"


def _what_ran(results: Results) -> str:
    if not results.schedule:
        return f"order {results.order}"
    return ", executor ".join((results.schedule, *results.executors))
