"""Lines and a table that describe a trace."""

from __future__ import annotations

from takt_cli.base.units import how_many, human
from takt_cli.results.trace import TracedProcess, TracedStalls, TraceSummary
from takt_cli.tables.table import Cell, Table, count_cell


def process_line(process: TracedProcess) -> str:
    """Describe a process: 'talk (pid 7): 3 threads, 1,204 runs'."""
    words = f"{process.words}: {how_many(process.threads, 'thread')}"
    words += f", {how_many(process.runs, 'run')}"
    if process.overwritten:
        words += f", {how_many(process.overwritten, 'message')} overwritten"
    return f"{words}, {how_many(process.dropped, 'record')} dropped" if process.dropped else words


def message_line(summary: TraceSummary) -> str:
    """Write how many messages the trace follows from their publication to their take."""
    return (
        f"messages: {summary.messages.published:,} published, {summary.messages.taken:,} taken, "
        f"{summary.messages.joined:,} of these joined with their publication"
    )


def stall_line(stalls: TracedStalls) -> str:
    """Write how often a core was taken: 'host stalls: 3, longest 4.2 ms'."""
    words = "host stalls: none"
    if stalls.count:
        words = f"host stalls: {stalls.count:,}, longest {human(stalls.longest_ns)}"
    if stalls.by_kernel:
        words += f"; the kernel throttled real-time threads {how_many(stalls.by_kernel, 'time')}"
        words += f", longest {human(stalls.longest_by_kernel_ns)}"
    return words


def dropped_line(summary: TraceSummary) -> str:
    """Report missing records, and the remedy."""
    dropped = summary.dropped
    are = "record is" if dropped == 1 else "records are"
    return (
        f"{dropped:,} {are} missing: the ring of a thread was full, so that the figures above are "
        "incomplete. Trace again with a larger --records."
    )


def chain_table(summary: TraceSummary) -> Table:
    """One row for each chain."""
    table = Table(
        "Chains", ["chain", "process", "activations", "missed", "worst response"], words=2
    )
    names = {process.pid: process.words for process in summary.processes}
    for chain in summary.chains:
        where = chain.process
        worst = chain.max_response_ns
        table.add(
            chain.name,
            names.get(where, f"pid {where}") if isinstance(where, int) else where,
            count_cell(chain.activations),
            "–" if chain.missed is None else count_cell(chain.missed, bad_above=0),
            Cell(human(worst), value=worst) if chain.activations else "–",
        )
    return table
