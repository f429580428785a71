"""The comparison table: figures down, configurations across, the physical limit beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from takt_cli.base.units import milliseconds, percent, significant
from takt_cli.results.configuration import Configuration
from takt_cli.results.run_results import ChainResult, Results
from takt_cli.results.samples import (
    Samples,
    percentile,
    percentile_name,
    samples_needed,
    summarise,
    tail_percentile,
)
from takt_cli.tables.run_tables import end_cells, ends_of, ms, share_words
from takt_cli.tables.skipped_periods import skipped_notes
from takt_cli.tables.table import Cell, Table, count_cell

Value = Callable[[Results], float | None]


@dataclass
class _Rows:
    """Adds rows to a table and marks the best value of each where one is clearly better."""

    table: Table
    configurations: Sequence[Configuration]

    def times(self, name: str, value: Value, limit: float | None = None) -> None:
        values = [value(c.results) for c in self.configurations]
        self._add(name, values, [milliseconds(v) for v in values], ms(limit), scale=1e-6)

    def counts(
        self, name: str, value: Value, of: Value | None = None, limit: Cell | str = "0"
    ) -> None:
        values = [value(c.results) for c in self.configurations]
        texts = []
        for configuration, number in zip(self.configurations, values, strict=True):
            whole = of(configuration.results) if of else None
            texts.append(f"{number:,.0f}" + (f" of {whole:,.0f}" if whole is not None else ""))
        self._add(name, values, texts, limit)

    def plain(self, name: str, texts: Sequence[str], limit: str = "") -> None:
        self.table.add(name, *texts, limit)

    def _add(
        self,
        name: str,
        values: Sequence[float | None],
        texts: Sequence[str],
        limit: Cell | str,
        scale: float = 1.0,
    ) -> None:
        best = clearly_best(values)
        cells = [
            Cell(
                text,
                "good" if index == best else "",
                None if value is None else round(value * scale, 6),
            )
            for index, (value, text) in enumerate(zip(values, texts, strict=True))
        ]
        self.table.add(name, *cells, limit)


def clearly_best(values: Sequence[float | None]) -> int | None:
    """Index of the smallest value if it is at least 5 % below every other; else None."""
    known = sorted((value, index) for index, value in enumerate(values) if value is not None)
    if len(known) < 2 or known[0][0] > 0.95 * known[1][0] or known[0][0] == known[1][0]:
        return None
    return known[0][1]


def comparison_table(configurations: Sequence[Configuration], title: str) -> Table:
    """All figures of the reference system for all configurations."""
    names = [configuration.name for configuration in configurations]
    table = Table(title, ["figure", *names, "limit"])
    rows = _Rows(table, configurations)
    all_results = [c.results for c in configurations]
    rows.plain("threads", [thread_words(results) for results in all_results])
    if any(results.kpis.has_hot_path for results in all_results):
        _hot_path_rows(rows, all_results)
    if any(results.kpis.has_planner for results in all_results):
        _planner_rows(rows, all_results)
    rows.counts("skipped timer periods", lambda r: r.skipped_periods)
    if any(results.phase_states for results in all_results):
        rows.counts("disturbances of phases", lambda r: r.disturbances)
    if any(chain.deadline_ns for results in all_results for chain in results.chains):
        rows.counts("missed deadlines", lambda r: r.missed_deadlines, of=lambda r: r.released)
    _cost_rows(rows, all_results)
    table.notes += skipped_notes(configurations)
    return table


def _hot_path_rows(rows: _Rows, all_results: Sequence[Results]) -> None:
    floor = next((r.kpis.hot_floor_ns for r in all_results if r.kpis.hot_floor_ns), None)
    tail = tail_percentile(len(r.kpis.hot_latency.values) for r in all_results)
    rows.times("hot path p50 (ms)", lambda r: _hot(r, 50), floor)
    if tail > 50:
        name = f"hot path {percentile_name(tail)} (ms)"
        rows.times(name, lambda r: percentile(r.kpis.hot_latency.values, tail), floor)
    rows.times("hot path max (ms)", lambda r: _max(r.kpis.hot_latency.values), floor)
    if any(r.kpis.hot_latency.stalled.any() for r in all_results):
        rows.times(
            "hot path max without host stalls (ms)",
            lambda r: _max(r.kpis.hot_latency.clean()),
            floor,
        )
        rows.plain(
            "hot path samples in host stalls",
            [share_words(r.kpis.hot_latency.stalled_share) for r in all_results],
        )
    rows.times(
        "hot path from its due time p50 (ms)", lambda r: percentile(r.kpis.hot_from_due, 50), floor
    )
    rows.times("hot path from its due time max (ms)", lambda r: _max(r.kpis.hot_from_due), floor)
    if floor:
        over = [_over(_max(r.kpis.hot_latency.values), r.kpis.hot_floor_ns) for r in all_results]
        rows.plain("hot path max over limit", over, "1 ×")
    rows.counts("hot path drops", lambda r: r.kpis.hot_drops)
    if tail < 99:
        samples = min(len(r.kpis.hot_latency.values) for r in all_results)
        rows.table.notes.append(
            f"p99 takes {samples_needed(99):,} samples (ten beyond it) and the fewest here are "
            f"{samples:,}; a longer --duration gives it"
        )


def _planner_rows(rows: _Rows, all_results: Sequence[Results]) -> None:
    tail = tail_percentile(len(r.kpis.planner_lateness.values) for r in all_results)
    if tail > 50:
        name = f"planner late {percentile_name(tail)} (ms)"
        rows.times(name, lambda r: percentile(r.kpis.planner_lateness.values, tail), 0.0)
    rows.times("planner late max (ms)", lambda r: _max(r.kpis.planner_lateness.values), 0.0)
    if any(r.kpis.planner_lateness.stalled.any() for r in all_results):
        rows.times(
            "planner late max without host stalls (ms)",
            lambda r: _max(r.kpis.planner_lateness.clean()),
            0.0,
        )
        rows.plain(
            "planner starts in host stalls",
            [share_words(r.kpis.planner_lateness.stalled_share) for r in all_results],
        )
    rows.counts(
        "planner cycles without fresh obstacles",
        lambda r: r.kpis.planner_stale_cycles,
        of=lambda r: r.kpis.planner_cycles,
    )


def _cost_rows(rows: _Rows, all_results: Sequence[Results]) -> None:
    rows.plain("CPU (100 % is one core)", [f"{100 * r.cpu_share:.0f} %" for r in all_results])
    if any(r.other_cores is not None for r in all_results):
        rows.plain("CPU of other programs", [percent(r.other_cores) for r in all_results], "0 %")
    rows.counts("context switches /s", lambda r: r.switches_per_s, limit="")
    if any(r.stalls for r in all_results):
        rows.plain(
            "host stalls",
            [f"{len(r.held_up)}, {milliseconds(r.stall_ns)} ms" for r in all_results],
        )


def thread_words(results: Results) -> str:
    """'2: other' or '3: fifo 90, fifo 80, other'; cores are left to the thread table."""
    executors = [thread for thread in results.threads if thread.executor]
    kinds = dict.fromkeys(thread.granted_without_cores for thread in executors)
    return f"{len(executors)}: {'; '.join(kinds)}" if executors else "–"


def _hot(results: Results, percent: float) -> float | None:
    return percentile(results.kpis.hot_latency.values, percent)


def _max(samples: Samples) -> float | None:
    return float(samples.max()) if len(samples) else None


def _over(value: float | None, floor: float | None) -> str:
    return "–" if value is None or not floor else f"{significant(value / floor)} ×"


def chain_comparison(configurations: Sequence[Configuration], title: str) -> Table:
    """One row per chain and configuration: how long its activations took."""
    ends = ends_of(ch for c in configurations for ch in c.results.chains)
    table = Table(
        title,
        ["chain", "configuration", "released", *ends, *"mean std p50 p99 p99.9 max missed".split()],
        words=2,
    )
    names = dict.fromkeys(ch.name for c in configurations for ch in c.results.chains)
    for name in names:
        shown = name
        for configuration in configurations:
            chain = next((ch for ch in configuration.results.chains if ch.name == name), None)
            if chain is None:
                continue
            table.add(*chain_cells(shown, configuration, chain, ends))
            shown = ""
    table.notes += skipped_notes(configurations)
    return table


def chain_cells(
    shown: str, configuration: Configuration, chain: ChainResult, ends: Sequence[str]
) -> list[Cell | str]:
    """Cells of one chain under one configuration."""
    summary = summarise(chain.responses.values)
    return [
        shown,
        configuration.name,
        *end_cells(chain, ends),
        ms(summary.mean),
        ms(summary.std),
        ms(summary.p50),
        ms(summary.p99),
        ms(summary.p999),
        ms(summary.max),
        count_cell(chain.missed_deadlines, bad_above=0) if chain.deadline_ns else "–",
    ]
