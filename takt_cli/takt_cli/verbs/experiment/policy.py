"""Experiment 3: the same threads under the kernel's fair scheduler and under real priorities."""

from __future__ import annotations

from takt_cli.base.units import milliseconds, significant
from takt_cli.files.graphs import graph_info, resolve_graph, resolve_schedule
from takt_cli.files.schedule_files import (
    Schedule,
    fair_twin,
    on_cores,
    read_schedule,
    write_schedule,
)
from takt_cli.results.configuration import Configuration
from takt_cli.results.run_results import Results
from takt_cli.results.samples import summarise
from takt_cli.running.runner import RunRequest
from takt_cli.running.several_runs import Planned
from takt_cli.running.work_scale import fit
from takt_cli.tables.run_tables import ms
from takt_cli.tables.skipped_periods import skipped_notes
from takt_cli.tables.table import Cell, Table
from takt_cli.verbs.experiment.setting import Setting

GRAPH = "autoware_reference"
SCHEDULE = "autoware_takt"
# Less than the half that a fair scheduler leaves beside the background load: the graph must fit, or
# the comparison would be one of overload and not of policies.
LOAD = 0.35
_ALL_DONE = 0.98  # of the work asked for; runs that end after the measurement are missing


def plan(setting: Setting, graph_name: str, schedule_name: str) -> list[Planned]:
    """Plan both runs."""
    file = resolve_graph(graph_name)
    graph = graph_info(file)
    shipped = resolve_schedule(schedule_name)
    slowest = graph.slowest_ns or 120_000_000
    length = setting.length_ns(slowest, samples=250, quick_s=4)
    scale = fit(graph, len(setting.cores), load=LOAD).work_scale
    content = on_cores(read_schedule(shipped), setting.cores)

    def planned(name: str, slug: str, schedule: Schedule, note: str) -> Planned:
        request = RunRequest(
            graph=file,
            output=setting.directory / f"{slug}.json",
            schedule=write_schedule(
                schedule,
                setting.directory / f"schedules/{slug}.yaml",
                f"{shipped.stem}, {note}: takt experiment policy",
                made_from=shipped,
            ),
            cores=setting.cores,
            duration_ns=length,
            work_scale=scale,
            label=name,
        )
        return Planned(name, request, note, accent=slug == "scheduled")

    fair = "same threads and callbacks, the kernel's fair scheduler"
    return [
        planned("scheduled", "scheduled", content, "priorities and cores as the schedule says"),
        planned("fair", "fair", fair_twin(content), fair),
    ]


def table(scheduled: Configuration, fair: Configuration) -> Table:
    """Worst response per chain, and the ratio."""
    result = Table(
        "Worst response under background load (ms)",
        ["chain", "fair p50", "fair max", "scheduled p50", "scheduled max", "max ratio"],
    )
    rivals = {chain.name: chain for chain in fair.results.chains}
    ranked = sorted(scheduled.results.chains, key=lambda chain: -(chain.priority or 0))
    for chain in ranked:
        rival = rivals.get(chain.name)
        mine = summarise(chain.responses.values)
        theirs = (
            summarise(rival.responses.values) if rival else summarise(chain.responses.values[:0])
        )
        result.add(
            chain.name,
            ms(theirs.p50),
            ms(theirs.max),
            ms(mine.p50),
            ms(mine.max),
            _ratio(theirs.max, mine.max),
        )
    result.notes.append("max ratio: fair over scheduled; above 1 the schedule was better")
    result.notes += skipped_notes([scheduled, fair])
    return result


def _ratio(fair: float | None, scheduled: float | None) -> Cell:
    if not fair or not scheduled:
        return Cell("–")
    ratio = fair / scheduled
    mood = "good" if ratio > 1.1 else "bad" if ratio < 0.9 else ""
    return Cell(f"{significant(ratio)} ×", mood, round(ratio, 4))


def sentences(scheduled: Results, fair: Results) -> list[str]:
    """Compare the most important chain."""
    if not scheduled.chains:
        return []
    first = max(scheduled.chains, key=lambda chain: chain.priority or 0)
    rival = next((chain for chain in fair.chains if chain.name == first.name), None)
    mine = summarise(first.responses.values).max
    theirs = summarise(rival.responses.values).max if rival else None
    if not mine or not theirs:
        return [f"Chain {first.name} completed too rarely to compare."]
    ratio = theirs / mine
    outcome = (
        f"{significant(ratio, 2)} × better"
        if ratio > 1.1
        else "no better"
        if ratio > 0.9
        else f"{significant(1 / ratio, 2)} × worse"
    )
    text = (
        f"With every core also wanted by a background process, the worst response of {first.name} "
        f"was {milliseconds(mine)} ms as scheduled and {milliseconds(theirs)} ms under the fair "
        f"scheduler: {outcome}."
    )
    for name, run in (("As scheduled", scheduled), ("Under the fair scheduler", fair)):
        asked, done = run.load.asked, run.load.applied
        if done < _ALL_DONE * asked - run.load.margin:
            text += (
                f" {name} the graph was overloaded, with {done:.2f} of {asked:.2f} cores of work "
                "done: other programs took more than the background load."
            )
    refused = sum(bool(thread.faults) for thread in scheduled.threads)
    if refused:
        text += f" The kernel refused attributes of {refused} threads; see the threads' table."
    return [text]
