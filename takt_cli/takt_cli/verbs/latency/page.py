"""The page of wake-up latencies: a histogram for each core, and the table."""

from __future__ import annotations

from collections.abc import Sequence

from takt_cli.pages.axes import Figure
from takt_cli.pages.histogram import histogram as outlines_together
from takt_cli.pages.histogram import outline
from takt_cli.pages.study import Study
from takt_cli.running.host import Host
from takt_cli.verbs.latency.results import Cycles, LatencyRun
from takt_cli.verbs.latency.table import latency_table, rights_line, sentences

_COLOURS = ("--s1", "--s2", "--s3", "--s4")


def latency_study(runs: Sequence[LatencyRun], setting: str, host: Host, command: str) -> Study:
    """Make a study of the runs; the requested one comes first."""
    top = rights_line(runs[0])
    return Study(
        kind="latency",
        title="Wake-up latency by core",
        command=command,
        host=host,
        configurations=[],
        sentences=[*([top] if top else []), *sentences(runs, setting, host.virtual)],
        tables=[latency_table(run, host.virtual) for run in runs],
        figures=[
            (f"Latencies of {thread.name}", histogram(runs, number))
            for number, thread in enumerate(runs[0].threads)
        ],
        explanations=[
            f"Setting: {setting}.",
            "Latency: the time from a cycle's nominal release to the moment at which its thread "
            "runs. A thread that is later than a period misses periods; each of them is an "
            "overrun, and the thread goes on at the next nominal release.",
            "Percentiles have at least ten cycles beyond them.",
            *(
                [
                    "A cycle is in a host stall if its thread woke more than 0.3 ms late and the "
                    "kernel ran no other thread for most of that time."
                ]
                if host.virtual
                else []
            ),
        ],
    )


def histogram(runs: Sequence[LatencyRun], number: int) -> Figure:
    """Draw the number of one thread's cycles over their latency; both axes are logarithmic."""
    data = []
    for run, colour in zip(runs, _COLOURS, strict=False):
        thread = run.threads[number]
        data.append(_outline(run.name, thread.ordinary, {"color": colour, "width": 2}))
        if thread.held_up.count:
            name = f"{run.name}, in host stalls"
            line = {"color": colour, "width": 1.5, "dash": "dot"}
            data.append(_outline(name, thread.held_up, line))
    return outlines_together(data, "latency (µs)", "cycles")


def _outline(name: str, cycles: Cycles, line: Figure) -> Figure:
    """Count each bucket at its middle."""
    middles = (((first + last) / 2, count) for first, last, count in cycles.buckets)
    return outline(name, middles, line, "cycles")
