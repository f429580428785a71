"""Measured responses against computed bounds: the reference graph under a planned schedule.

In three steps: what runs cost on this machine (takt calibrate) and how long callbacks work are
measured; a schedule is planned and bounded with that; the graph runs under it, several times.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from takt_cli.base.errors import TaktError
from takt_cli.base.processes import run_program
from takt_cli.base.programs import find_program
from takt_cli.base.units import NS_PER_S, duration_flag, milliseconds
from takt_cli.documents.told import read_told
from takt_cli.files.graphs import PACKAGE, graph_info, resolve_graph, resolve_schedule
from takt_cli.files.schedule_files import on_cores, read_schedule, write_schedule
from takt_cli.pages.axes import Figure, layout
from takt_cli.results.configuration import Configuration
from takt_cli.results.plan import Plan
from takt_cli.results.records import Records, read_records
from takt_cli.results.run_results import ChainResult, Results
from takt_cli.running.calibration import Calibration, measure
from takt_cli.running.runner import RunRequest, run
from takt_cli.running.several_runs import Planned
from takt_cli.running.work_scale import fit
from takt_cli.tables.run_tables import ms
from takt_cli.tables.table import Cell, Table
from takt_cli.verbs.experiment.setting import Setting

GRAPH = "autoware_reference"
SCHEDULE = "autoware_takt"
# The load of the cores, if there are enough of them: that of the graph's authors.
LOAD = 0.56
PERCENT = 99.0
_CALIBRATION_NS = 20 * NS_PER_S


@dataclass(frozen=True)
class Model:
    """The model and the bounds, known before the runs."""

    calibration: Calibration
    times: Mapping[str, int]  # longest work of a run, ns, by callback
    schedule: Path
    work_scale: float
    bounds: Mapping[str, int | None]  # by chain; None: there is none
    deadlines: Mapping[str, int | None]
    threads: int


def prepare(setting: Setting) -> Model:
    """Measure, then plan; takes about a minute."""
    if setting.cores != tuple(range(len(setting.cores))):
        raise TaktError("the cores of this experiment begin with core 0; use --core-count")
    graph = resolve_graph(GRAPH)
    scale = min(1.0, fit(graph_info(graph), len(setting.cores), load=LOAD).work_scale)
    calibration = measure(setting.cores[-1], _CALIBRATION_NS, "Message4kb")
    times = _longest_work(setting, graph, scale)
    system = _system(setting, graph, scale, calibration, times)
    schedule = setting.directory / "schedules/planned.yaml"
    schedule.parent.mkdir(parents=True, exist_ok=True)
    planned = run_program(
        find_program("takt_plan", "takt_plan"),
        [str(system), "--output", str(schedule), "--json"],
        check=False,
    )
    try:
        raw = json.loads(planned.stdout)
    except json.JSONDecodeError as error:
        raise TaktError(f"takt_plan printed no plan: {planned.stderr}") from error
    found = read_told(Plan, raw, "takt_plan")
    return Model(
        calibration,
        times,
        schedule,
        scale,
        {chain.name: chain.bound_ns for chain in found.chains},
        {chain.name: chain.deadline_ns for chain in found.chains},
        len(found.threads),
    )


def _longest_work(setting: Setting, graph: Path, scale: float) -> dict[str, int]:
    """Run under the shipped schedule, and give the CPU time of each callback's longest run."""
    records = setting.directory / "times.records.json"
    content = on_cores(read_schedule(resolve_schedule(SCHEDULE)), setting.cores)
    run(
        RunRequest(
            graph=graph,
            output=setting.directory / "times.json",
            schedule=write_schedule(
                content, setting.directory / "schedules/times.yaml", "to measure execution times"
            ),
            cores=setting.cores,
            duration_ns=(5 if setting.quick else 20) * NS_PER_S,
            work_scale=scale,
            records=records,
        )
    )
    return longest_work(read_records(records))


def longest_work(records: Records) -> dict[str, int]:
    """Give the CPU time of each callback's longest run, in ns."""
    longest: dict[str, int] = {}
    for id_, (cpu,) in records.rows("work_cpu_ns"):
        longest[id_] = max(longest.get(id_, 0), cpu)
    return longest


def _system(
    setting: Setting,
    graph: Path,
    scale: float,
    calibration: Calibration,
    times: Mapping[str, int],
) -> Path:
    """Write the system model."""
    of_callbacks = setting.directory / "times.of_callbacks.json"
    of_callbacks.write_text(json.dumps(times, indent=1))
    flags = ["--cores", str(len(setting.cores)), "--work-scale", f"{scale:.6g}", "--witness"]
    for name, value in calibration.overheads(PERCENT).items():
        flags += [f"--{name.replace('_', '-')}", duration_flag(value)]
    flags += ["--jitter", duration_flag(calibration.jitter(PERCENT))]
    program = find_program("takt_graph", PACKAGE)
    done = run_program(program, ["system", str(graph), "--times", str(of_callbacks), *flags])
    system = setting.directory / "system.yaml"
    system.write_text(done.stdout)
    return system


def plan(setting: Setting, model: Model, runs: int) -> list[Planned]:
    """Give the runs under the planned schedule."""
    length = setting.length_ns(120_000_000, samples=500, quick_s=5)
    return [
        Planned(
            f"run {number}",
            RunRequest(
                graph=resolve_graph(GRAPH),
                output=setting.directory / f"run_{number}.json",
                schedule=model.schedule,
                cores=setting.cores,
                duration_ns=length,
                work_scale=model.work_scale,
                seed=number,
                label=f"run {number}",
            ),
            "planned",
            accent=number == 1,
        )
        for number in range(1, runs + 1)
    ]


@dataclass(frozen=True)
class Against:
    """One chain's measured responses, of all runs, against its bound."""

    chain: str
    priority: int
    deadline_ns: int | None
    bound_ns: int | None
    count: int
    clean: int  # those that no host stall touched, directly or through earlier delayed runs
    worst_ns: float | None  # of the clean ones
    worst_stalled_ns: float | None  # of the others
    above: int  # of the clean ones, above the bound
    above_stalled: int  # those that a stall touched
    above_after: int  # those that runs delayed by an earlier stall may have touched


def against(model: Model, done: Sequence[Configuration]) -> list[Against]:
    """Compare all runs with the bounds, the most important chain first."""
    found = []
    for first in sorted(done[0].results.chains, key=lambda chain: -(chain.priority or 0)):
        parts = [_chain(item.results, first.name) for item in done]
        values = np.concatenate([part.responses.values for part in parts])
        stalled = np.concatenate([part.responses.stalled for part in parts])
        after = np.concatenate([part.catching_up for part in parts]) & ~stalled
        bound = model.bounds.get(first.name)
        above = values > bound if bound is not None else np.zeros(len(values), dtype=bool)
        clean, touched = values[~stalled & ~after], values[stalled | after]
        found.append(
            Against(
                first.name,
                first.priority or 0,
                model.deadlines.get(first.name),
                bound,
                len(values),
                len(clean),
                float(clean.max()) if len(clean) else None,
                float(touched.max()) if len(touched) else None,
                int((above & ~stalled & ~after).sum()),
                int((above & stalled).sum()),
                int((above & after).sum()),
            )
        )
    return found


def _chain(results: Results, name: str) -> ChainResult:
    return next(chain for chain in results.chains if chain.name == name)


def tables(model: Model, found: Sequence[Against]) -> list[Table]:
    """Bounds and measured responses."""
    table = Table(
        "Responses against their bounds (ms)",
        [
            "chain",
            "deadline",
            "bound",
            "worst",
            "worst / bound",
            "stalled",
            "above",
            "clean",
            "samples",
        ],
    )
    for one in found:
        share = one.worst_ns / one.bound_ns if one.worst_ns and one.bound_ns else None
        mood = "" if share is None else "good" if share <= 1.0 else "bad"
        table.add(
            one.chain,
            ms(one.deadline_ns),
            ms(one.bound_ns),
            ms(one.worst_ns),
            Cell(f"{share:.2f}" if share is not None else "–", mood, share),
            ms(one.worst_stalled_ns),
            _above(one),
            str(one.clean),
            str(one.count),
        )
    table.notes.append(
        "worst: of all samples that no stall of the host touched, nor what one had left to catch "
        "up with, which are the clean ones; stalled: the worst of the others; above: how many "
        "clean ones were above the bound (+ how many that a stall touched + how many while one "
        "was being caught up with)"
    )
    overheads = Table("Assumptions of the bounds", ["what", "value"])
    for name, value in model.calibration.overheads(PERCENT).items():
        overheads.add(name.replace("_", " "), f"{value / 1000:.1f} µs")
    overheads.add("jitter of timers", f"{model.calibration.jitter(PERCENT) / 1000:.1f} µs")
    longest = max(model.times.values(), default=0)
    overheads.add("longest work of a callback", f"{milliseconds(longest)} ms")
    overheads.notes.append(f"p{PERCENT:g} of the samples that were measured before the runs")
    return [table, overheads]


def _above(one: Against) -> str:
    if not one.above_stalled and not one.above_after:
        return str(one.above)
    return f"{one.above} + {one.above_stalled} + {one.above_after}"


def figures(found: Sequence[Against]) -> list[tuple[str, Figure]]:
    """Bound, and the worst that was seen, for each chain."""
    names = [one.chain for one in found][::-1]

    def bars(name: str, values: Sequence[float | None], colour: str) -> dict[str, Any]:
        return {
            "type": "bar",
            "orientation": "h",
            "name": name,
            "y": names,
            "x": [value / 1e6 if value else None for value in values][::-1],
            "marker": {"color": colour},
        }

    data = [
        bars("bound", [one.bound_ns for one in found], "--s4"),
        bars("worst seen", [one.worst_ns for one in found], "--s1"),
    ]
    figure: Figure = {"data": data, "layout": layout("response (ms)", "")}
    figure["layout"].update(barmode="group", showlegend=True, height=420)
    return [("Bounds and worst responses", figure)]


def sentences(model: Model, found: Sequence[Against]) -> list[str]:
    """Say whether the bounds held, and name disturbances of the machine."""
    above = sum(one.above for one in found)
    stalled = sum(one.above_stalled for one in found)
    after = sum(one.above_after for one in found)
    clean = sum(one.clean for one in found)
    samples = sum(one.count for one in found)
    unbounded = [one.chain for one in found if one.bound_ns is None]
    text = (
        f"{samples} responses of {len(found)} chains under a planned schedule of {model.threads} "
        f"threads ({clean} that no stall of the host touched): {above or 'none'} above "
        f"{'their' if above > 1 else 'its'} bound."
    )
    if stalled:
        one = stalled == 1
        text += (
            f" {stalled} more {'was' if one else 'were'} above while the host held a core, which "
            f"no bound covers; {'it is' if one else 'they are'} shown apart."
        )
    if after:
        text += (
            f" {after} more {'was' if after == 1 else 'were'} above before what such a stall had "
            "left behind was caught up with."
        )
    result = [text]
    spoilt = [one.chain for one in found if not one.clean]
    if spoilt:
        result.append(f"Nothing is shown of {', '.join(spoilt)}: stalls touched all responses.")
    if unbounded:
        result.append(f"Without a bound: {', '.join(unbounded)}.")
    return result


def held(found: Sequence[Against]) -> bool:
    """Tell whether each response without a stall or its aftermath kept its bound.

    A chain without such a response does not count.
    """
    return all(one.above == 0 and one.clean and one.bound_ns is not None for one in found)
