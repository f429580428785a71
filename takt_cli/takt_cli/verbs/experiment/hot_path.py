"""The hot-path campaign: how close the reference system's hot path comes to its floor.

The floor is the work on the path alone. Runs, at 85 % load: several with fixed phases, each long
enough for a p99, others with random phases, one beside a process that hogs each core, and the stock
pool in the same campaign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from takt_cli.base.units import NS_PER_S
from takt_cli.files.graphs import graph_info, resolve_graph, resolve_schedule
from takt_cli.files.schedule_files import on_cores, read_schedule, with_count
from takt_cli.results.configuration import Configuration
from takt_cli.results.run_results import HOT_PARTS, Results
from takt_cli.results.samples import Samples, percentile
from takt_cli.running.several_runs import Planned
from takt_cli.running.work_scale import Scaling, fit
from takt_cli.tables.run_tables import share_cell
from takt_cli.tables.skipped_periods import skipped_notes
from takt_cli.tables.table import Cell, Table
from takt_cli.verbs.experiment.phases import collides
from takt_cli.verbs.experiment.setting import Setting

GRAPH = "autoware_reference"
PERIOD_NS = 100_000_000  # of the LiDAR timers: one hot-path activation each
FIXED, RANDOM, HOGGED, STOCK = "fixed phases", "random phases", "with hogs", "stock pool"
LATE_NS = 300_000
# Percentile of the hot path: the most it may be over the floor.
LIMITS = {50.0: 1.02, 90.0: 1.03, 99.0: 1.05}
CLEAN_FROM = 99.0  # from here on samples in host stalls are left out
PLANNER_OVER_BARE = 3.0
STOCK_OVER_TAKT = 2.0


@dataclass(frozen=True)
class Campaign:
    """The runs of a campaign; those with hogs are run beside them."""

    alone: list[Planned]
    hogged: list[Planned]
    scaling: Scaling


def plan(setting: Setting, runs: int, seeds: int) -> Campaign:
    """Plan `runs` with fixed phases and `seeds` with random ones."""
    graph = resolve_graph(GRAPH)
    scaling = fit(graph_info(graph), len(setting.cores))
    # A p99 takes 1,000 samples, of which host stalls may touch some.
    length = setting.length_ns(PERIOD_NS, samples=1100, quick_s=5)
    short = min(length, 20 * NS_PER_S)

    def planned(name: str, shipped: str, phases: str, duration: int, number: int) -> Planned:
        content = on_cores(read_schedule(resolve_schedule(shipped)), setting.cores)
        if name == STOCK:
            content = with_count(content, len(setting.cores))
        slug = f"{name.replace(' ', '-')}-{number}"
        request = setting.request(
            graph,
            slug,
            content,
            f"{shipped}: hot path",
            duration_ns=duration,
            phases=phases,
            work_scale=scaling.work_scale,
            label=f"{name} {number}",
            extra=("--reference-timer", "50"),
        )
        return Planned(f"run {number}", request, section=name, muted=name == STOCK)

    takt = "autoware_takt"
    alone = [planned(FIXED, takt, "fixed", length, n) for n in range(1, runs + 1)]
    alone += [planned(RANDOM, takt, f"random:{n}", short, n) for n in range(1, seeds + 1)]
    alone.append(planned(STOCK, "autoware_stock_pool", "fixed", length, 1))
    return Campaign(alone, [planned(HOGGED, takt, "fixed", length, 1)], scaling)


def ratios(results: Results, *, clean: bool, due: bool = False) -> Samples:
    """Give the hot path over its floor, from the later start or from that timer's due time."""
    series = results.kpis.hot_latency
    values = results.kpis.hot_from_due if due else series.values
    floor = results.kpis.hot_floor_ns
    if not floor or len(values) != len(series.values):
        return np.empty(0)
    return (values[~series.stalled] if clean else values) / floor


def over_floor(results: Results, percent: float, *, clean: bool, due: bool = False) -> float | None:
    """Give a percentile of the hot path over its floor."""
    return percentile(ratios(results, clean=clean, due=due), percent)


def judged(results: Results, percent: float, *, due: bool = False) -> float | None:
    """Give the percentile as it is judged: without samples in host stalls from p99 on."""
    return over_floor(results, percent, clean=percent >= CLEAN_FROM, due=due)


def pooled(configurations: Sequence[Configuration], percent: float, *, due: bool) -> float | None:
    """Give a percentile over all samples of some runs, each over its own floor."""
    clean = percent >= CLEAN_FROM
    parts = [ratios(c.results, clean=clean, due=due) for c in configurations]
    return percentile(np.concatenate(parts), percent) if parts else None


def tables(done: Sequence[Configuration]) -> list[Table]:
    """One row per run: the path from its start and from its due time, and other events."""
    start = Table(
        "Hot path over its floor",
        ["run", "samples", "stalled", "p50", "p90", "p99", "raw p99", "raw max", "drops"],
    )
    due = Table(
        "Hot path over its floor, from its due time",
        ["run", "p50", "p90", "p99", "planner", "skipped", "load"],
    )
    for c in done:
        r = c.results
        floor = r.kpis.hot_floor_ns or 1.0
        values = r.kpis.hot_latency.values
        name = f"{c.section} {c.name}"
        start.add(
            name,
            f"{len(values):,}",
            share_cell(r.kpis.hot_latency.stalled_share),
            *[_ratio(judged(r, percent), LIMITS[percent]) for percent in LIMITS],
            _ratio(over_floor(r, 99, clean=False), None),
            _ratio(float(values.max()) / floor if len(values) else None, None),
            str(r.kpis.hot_drops),
        )
        due.add(
            name,
            *[_ratio(judged(r, percent, due=True), LIMITS[percent]) for percent in LIMITS],
            _PHASE_WORDS[_collides(c)],
            str(r.skipped_periods),
            f"{r.load.applied:.2f}" if r.load.applied else "–",
        )
    start.notes.append("p99: samples that no host stall touched; the others: all samples")
    due.notes.append("from when the later LiDAR's timer was due, not from its start")
    due.notes.append("planner: whether it is due while the hot path has every core")
    due.notes += skipped_notes(done)
    parts = _parts(done)
    return [start, due, parts] if parts.rows else [start, due]


def _parts(done: Sequence[Configuration]) -> Table:
    """Say how long the path takes beside its work: medians, which need not add up exactly."""
    table = Table(
        "Where the hot path's time goes, p50 of each, in % of its work",
        ["run", "held up", "publishing", "handing over"],
    )
    unknown = []
    for c in done:
        parts = c.results.kpis.hot_parts
        work = parts.get("work")
        if work:
            beside = [name for name in HOT_PARTS if name != "work"]
            table.add(
                f"{c.section} {c.name}",
                *[f"{100 * parts[name] / work:.2f} %" if name in parts else "–" for name in beside],
            )
        else:
            unknown.append(f"{c.section} {c.name}")
    if unknown:
        table.notes.append(f"not in the table for want of samples: {', '.join(unknown)}")
    table.notes.append("held up: preempted or interrupted while it worked")
    table.notes.append("publishing: from the end of the work to that of the callback, mostly DDS")
    table.notes.append("handing over: from a callback's end to the next one's start, with the take")
    return table


def _ratio(value: float | None, limit: float | None) -> Cell:
    if value is None:
        return Cell("–")
    mood = "" if limit is None else "good" if value <= limit else "bad"
    return Cell(f"{value:.3f} ×", mood, round(value, 5))


@dataclass(frozen=True)
class Judgement:
    """One claim, the measured figure, and whether the claim holds."""

    claim: str
    measured: str
    holds: bool | None  # None: too few samples to say


_PHASE_WORDS = {True: "collides", False: "free", None: "–"}


def judge(done: Sequence[Configuration]) -> list[Judgement]:
    """Compare the measured figures with the limits."""
    parts = {s: [c for c in done if c.section == s] for s in (FIXED, RANDOM, HOGGED, STOCK)}
    takt = [c for c in done if c.section != STOCK]
    found: list[Judgement] = []
    for due in (False, True):
        for section in (FIXED, RANDOM, HOGGED):
            found += [_of_section(section, parts[section], percent, due) for percent in LIMITS]
    drops = sum(c.results.kpis.hot_drops for c in takt)
    found.append(Judgement("no hot-path drop", str(drops), drops == 0))
    raw = [over_floor(c.results, 99, clean=False) for c in parts[FIXED]]
    known = [value for value in raw if value is not None]
    median = float(np.median(known)) if known else None
    stock = [over_floor(c.results, 99, clean=False) for c in parts[STOCK]]
    rival = next((value for value in stock if value is not None), None)
    ratio = rival / median if rival is not None and median else None
    found.append(
        Judgement(
            f"stock pool's raw p99 at least {STOCK_OVER_TAKT:g} × takt's (median of "
            f"{len(known)} runs: {'–' if median is None else f'{median:.3f} ×'} the floor)",
            "–" if ratio is None else f"{ratio:.2f} ×",
            None if ratio is None else ratio >= STOCK_OVER_TAKT,
        )
    )
    return found + _planner(parts[RANDOM])


def _of_section(
    section: str, runs: Sequence[Configuration], percent: float, due: bool
) -> Judgement:
    """Judge the median of runs that only repeat each other, and the worst of those that differ.

    Runs with random phases are short, so their p99 is that of all.
    """
    path = "hot path from its due time" if due else "hot path"
    claim = f"{section}, {path}: p{percent:g} over the floor"
    limit = LIMITS[percent]
    if section == RANDOM and percent >= CLEAN_FROM:
        return _at_most(f"{claim}, all runs together", pooled(runs, percent, due=due), limit)
    decides, word = (np.max, "worst") if section == RANDOM else (np.median, "median")
    if len(runs) != 1:
        claim += f", {word} of {len(runs)}"
    values = [judged(c.results, percent, due=due) for c in runs] or [None]
    # A run that cannot be judged was neither good nor bad: it decides no claim.
    good, bad = (
        float(decides([unknown if value is None else value for value in values]))
        for unknown in (0.0, np.inf)
    )
    open_ = good <= limit < bad
    found = _at_most(claim, None if open_ else bad if bad < np.inf else good, limit)
    if section == RANDOM or len(runs) == 1 or found.holds is None:
        return found
    worst = max(value for value in values if value is not None)
    return replace(found, measured=f"{found.measured} (worst {worst:.3f} ×)")


def _collides(configuration: Configuration) -> bool | None:
    results = configuration.results
    return collides(results, len(results.host.cores) or 1)


def _planner(random: Sequence[Configuration]) -> list[Judgement]:
    """Judge the planner where its phase does not collide with the hot path."""
    free = [c for c in random if _collides(c) is False]
    where = f"planner, {len(free)} of {len(random)} phases that do not collide"
    over = []
    for c in free:
        mine = percentile(c.results.kpis.planner_lateness.values, 50)
        bare = percentile(c.results.kpis.reference_lateness, 50)
        over.append(mine / bare if mine is not None and bare else None)
    known = [value for value in over if value is not None]
    enough = known and len(known) == len(over)
    late: list[Samples] = [c.results.kpis.planner_lateness.clean() for c in free]
    starts = np.concatenate(late) if late else np.empty(0)
    # Ten starts must be allowed to be late, or chance decides.
    share = float((starts > LATE_NS).mean()) if len(starts) >= 1000 else None
    return [
        _at_most(
            f"{where}: start lateness p50 over a bare timer thread's, worst run",
            max(known) if enough else None,
            PLANNER_OVER_BARE,
        ),
        Judgement(
            f"{where}: at most 1 % of starts later than 0.3 ms outside host stalls",
            "–" if share is None else f"{100 * share:.2f} % of {len(starts):,}",
            None if share is None else share <= 0.01,
        ),
    ]


def _at_most(claim: str, value: float | None, limit: float) -> Judgement:
    return Judgement(
        f"{claim} ≤ {limit:g}",
        "–" if value is None else f"{value:.3f} ×",
        None if value is None else value <= limit,
    )


def verdicts(judgements: Sequence[Judgement]) -> Table:
    """Make the table of the claims."""
    result = Table("What was to be shown", ["claim", "measured", "verdict"])
    words = {True: ("met", "good"), False: ("MISSED", "bad"), None: ("too few samples", "")}
    for item in judgements:
        text, mood = words[item.holds]
        result.add(item.claim, item.measured, Cell(text, mood))
    return result


def sentences(judgements: Sequence[Judgement]) -> list[str]:
    """Sum up."""
    missed = [item.claim for item in judgements if item.holds is False]
    open_ = sum(item.holds is None for item in judgements)
    if missed:
        text = f"{len(missed)} of {len(judgements)} claims were missed: {'; '.join(missed)}"
    elif open_:
        text = f"{len(judgements) - open_} of {len(judgements)} claims were met"
    else:
        text = f"All {len(judgements)} claims were met"
    if open_:
        text += f"; {open_} could not be judged and need more samples"
    return [text + "."]
