"""Tables of one run: chains, key figures, threads."""

from __future__ import annotations

from collections.abc import Iterable

from takt_cli.base.units import milliseconds, percent, significant
from takt_cli.results.run_results import ChainResult, Results, ThreadResult
from takt_cli.results.samples import Summary, samples_needed, summarise
from takt_cli.tables.skipped_periods import skipped_timers
from takt_cli.tables.table import Cell, Mood, Table, count_cell


def run_tables(results: Results) -> list[Table]:
    """Make all tables of a run, without empty ones.

    One warning of the run explains for all threads why they have less than the schedule asks for.
    """
    tables = [chain_table(results), key_table(results), thread_table(results, faults=False)]
    return [table for table in tables if table.rows]


def ms(ns: float | None, mood: Mood = "") -> Cell:
    """Give a time in ms; the JSON has it in ms as well."""
    value = None if ns is None else round(ns / 1e6, 6)
    return Cell(milliseconds(ns), mood, value)


# The ends of an activation; their counts add up to the number of released activations.
ENDS = ("completed", "superseded", "lost", "unfinished", "skipped")
_TIME_COLUMNS = "missed deadline mean p50 p99 p99.9 max".split()


def ends_of(chains: Iterable[ChainResult]) -> tuple[str, ...]:
    """Give the columns for the ends of activations; `skipped` only where some were skipped."""
    return ENDS if any(chain.skipped for chain in chains) else ENDS[:-1]


def chain_table(results: Results) -> Table:
    """One row per chain; times in ms from the release of the root."""
    ends = ends_of(results.chains)
    table = Table("Chains (response in ms)", ["chain", "released", *ends, *_TIME_COLUMNS])
    wide = any(chain.responses.stalled.any() for chain in results.chains)
    if wide:
        table.columns += ["max w/o stalls", "stalled"]
        table.notes.append("stalled: part of the activations that a host stall touched")
    short = False
    for chain in results.chains:
        row, too_few = _chain_row(chain, ends, wide)
        table.add(*row)
        short = short or too_few
    if short:
        table.notes.append(
            f"–: fewer than ten samples beyond; p99 takes {samples_needed(99):,} samples, "
            f"p99.9 {samples_needed(99.9):,}"
        )
    return table


def _chain_row(
    chain: ChainResult, ends: tuple[str, ...], wide: bool
) -> tuple[list[Cell | str], bool]:
    summary = summarise(chain.responses.values)
    deadline = chain.deadline_ns
    late = deadline is not None and summary.max is not None and summary.max > deadline
    row: list[Cell | str] = [
        chain.name,
        *end_cells(chain, ends),
        count_cell(chain.missed_deadlines, bad_above=0) if deadline else "–",
        ms(deadline),
        ms(summary.mean),
        ms(summary.p50),
        ms(summary.p99),
        ms(summary.p999),
        ms(summary.max, "bad" if late else ""),
    ]
    if wide:
        row.append(ms(summarise(chain.responses.clean()).max))
        row.append(share_cell(chain.responses.stalled_share))
    return row, summary.count > 0 and summary.p99 is None


def end_cells(chain: ChainResult, ends: Iterable[str]) -> list[Cell]:
    """Say how many activations were released, and how they ended: the columns `ends`."""
    cells = {
        "completed": count_cell(chain.completed),
        "superseded": count_cell(chain.superseded),
        "lost": count_cell(chain.lost, bad_above=0),
        "unfinished": count_cell(chain.unfinished),
        "skipped": count_cell(chain.skipped, bad_above=0),
    }
    return [count_cell(chain.released), *(cells[end] for end in ends)]


def key_table(results: Results) -> Table:
    """Hot path, planner, losses and cost."""
    table = Table("Key figures", ["figure", "value", "meaning"])
    kpis = results.kpis
    if kpis.has_hot_path:
        hot = summarise(kpis.hot_latency.values)
        floor = kpis.hot_floor_ns
        due = summarise(kpis.hot_from_due)
        table.add(
            "hot path p50 / p99 / p99.9 / max", _times(hot), f"{hot.count} samples, from start"
        )
        table.add("hot path from its due time", _times(due), "the same samples, timer late or not")
        if kpis.hot_latency.stalled.any():
            clean = summarise(kpis.hot_latency.clean())
            left_out = share_words(kpis.hot_latency.stalled_share)
            table.add("hot path without host stalls", _times(clean), f"{left_out} left out")
        if floor:
            over = f"max is {significant(hot.max / floor)} × this" if hot.max else ""
            table.add("hot path floor", f"{milliseconds(floor)} ms", over or "the work alone")
        table.add("hot path drops", count_cell(kpis.hot_drops, 0), "messages lost on the way")
    if kpis.has_planner:
        late = summarise(kpis.planner_lateness.values)
        table.add("planner late, max", f"{milliseconds(late.max)} ms", "start after its due time")
        table.add(
            "planner stale cycles",
            count_cell(kpis.planner_stale_cycles, 0),
            f"of {kpis.planner_cycles}, without a fresh hot-path message",
        )
    if len(kpis.reference_lateness):
        bare = summarise(kpis.reference_lateness)
        table.add(
            "bare timer late p50 / max",
            f"{milliseconds(bare.p50)} / {milliseconds(bare.max)} ms",
            "--reference-timer: a bare thread that is due with the planner",
        )
    table.add(
        "skipped timer periods",
        count_cell(results.skipped_periods, 0),
        skipped_timers(results) or "never ran",
    )
    for state in phase_words(results):
        table.add("phases", *state)
    table.add("CPU", percent(results.cpu_share), "100 % is one core")
    if results.other_cores is not None:
        table.add("CPU of other programs", percent(results.other_cores), "on the same cores")
    table.add("context switches", f"{results.switches_per_s:,.0f} /s", "all threads")
    if results.stalls:
        table.add(
            "host stalls",
            f"{len(results.held_up)}",
            f"{milliseconds(results.stall_ns)} ms held up by the host",
        )
    return table


def phase_words(results: Results) -> list[tuple[Cell, str]]:
    """Describe for each executor the disturbances of its phases, and whether its bounds hold.

    A run does not know whether bounds were computed for its graph, so it claims none by itself.
    """
    several = len(results.phase_states) > 1
    return [
        (
            Cell("undisturbed") if state.quiet else Cell(state.hold_words, "bad"),
            f"{f'{name}: ' if several else ''}{state.count_words}",
        )
        for name, state in results.phase_states.items()
    ]


def _times(summary: Summary) -> str:
    values = (summary.p50, summary.p99, summary.p999, summary.max)
    return " / ".join(milliseconds(value) for value in values) + " ms"


def share_words(share: float) -> str:
    """0.0123 -> '1.2 %'."""
    return f"{100 * share:.1f} %"


def share_cell(share: float) -> Cell:
    """Show a share; JSON has it as a number from 0 to 1."""
    return Cell(share_words(share), value=round(share, 6))


def thread_table(results: Results, faults: bool = True) -> Table:
    """Show the asked and the granted attributes of each thread, and its work.

    `faults`: also the reasons for which the kernel granted less, as notes.
    """
    table = Table(
        "Threads",
        ["thread", "asked", "granted", "CPU", "waited (ms)", "switches", "involuntary"],
        words=3,
    )
    for thread in sorted(results.threads, key=lambda t: (not t.executor, -t.cpu_ns)):
        if thread.measuring:
            continue
        if not thread.executor and thread.cpu_ns < results.duration_ns // 1000:
            continue  # idle helpers of the middleware
        table.add(*_thread_row(thread, results))
        if faults:
            table.notes.extend(fault for fault in thread.faults if fault not in table.notes)
    if results.several_processes:
        table.notes.append("0/name, 1/name: threads of the first process, of the second")
    hidden = len(results.measured_threads) - len(table.rows)
    if hidden:
        table.notes.append(f"{hidden} middleware threads that used less than 0.1 % are left out")
    return table


def _thread_row(thread: ThreadResult, results: Results) -> list[Cell | str]:
    share = thread.cpu_ns / max(results.duration_ns, 1)
    kind = "main" if thread.main else "middleware"
    name = thread.name if thread.executor else f"{thread.name} ({kind})"
    if results.several_processes:
        name = f"{thread.process}/{name}"
    return [
        name,
        thread.asked or "–",
        Cell(thread.granted or "–", "bad" if thread.faults else ""),
        Cell(f"{100 * share:.1f} %", value=round(share, 5)),
        ms(thread.run_queue_wait_ns),
        count_cell(thread.switches),
        count_cell(thread.involuntary_switches),
    ]
