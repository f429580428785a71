"""The page of wake-up latencies: a histogram for each core, and the table."""

from __future__ import annotations

import math
from collections.abc import Sequence

from takt_cli.pages.axes import Figure, layout, set_axis
from takt_cli.pages.study import Study
from takt_cli.running.host import Host
from takt_cli.verbs.latency.results import Cycles, LatencyRun
from takt_cli.verbs.latency.table import latency_table, rights_line, sentences

_COLOURS = ("--s1", "--s2", "--s3", "--s4")
_BINS_PER_DECADE = 20
_BASE = 0.5  # below one cycle, which a logarithmic axis shows
_NS_PER_US = 1000.0


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
    frame = layout("latency (µs)", "cycles")
    data = []
    for run, colour in zip(runs, _COLOURS, strict=False):
        thread = run.threads[number]
        data.append(_outline(run.name, thread.ordinary, {"color": colour, "width": 2}))
        if thread.held_up.count:
            name = f"{run.name}, in host stalls"
            line = {"color": colour, "width": 1.5, "dash": "dot"}
            data.append(_outline(name, thread.held_up, line))
    data = [trace for trace in data if trace["x"]]
    xs = [x for trace in data for x in trace["x"]]
    ys = [y for trace in data for y in trace["y"]]
    set_axis(frame["xaxis"], xs, True)
    set_axis(frame["yaxis"], ys, True)
    frame.update(showlegend=True, height=330, legend={"orientation": "h", "y": -0.25})
    return {"data": data, "layout": frame}


def _outline(name: str, cycles: Cycles, line: Figure) -> Figure:
    """Draw the upper edge of the bins, and the base line where bins are empty."""
    x: list[float] = []
    y: list[float] = []
    end = None
    for number, count in sorted(_bins(cycles).items()):
        if number != end:
            if end is not None:
                x.append(_edge(end))
                y.append(_BASE)
            x.append(_edge(number))
            y.append(_BASE)
        x += [_edge(number), _edge(number + 1)]
        y += [count, count]
        end = number + 1
    if end is not None:
        x.append(_edge(end))
        y.append(_BASE)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": x,
        "y": y,
        "line": line,
        "hovertemplate": f"{name}: %{{y:,.0f}} cycles near %{{x:.3g}} µs<extra></extra>",
    }


def _bins(cycles: Cycles) -> dict[int, int]:
    """Count the cycles in bins of equal width on a logarithmic axis, by the middle of buckets."""
    bins: dict[int, int] = {}
    for first, last, count in cycles.buckets:
        middle = max((first + last) / 2 / _NS_PER_US, 1 / _NS_PER_US)
        number = math.floor(math.log10(middle) * _BINS_PER_DECADE)
        bins[number] = bins.get(number, 0) + count
    return bins


def _edge(number: int) -> float:
    return float(f"{10 ** (number / _BINS_PER_DECADE):.6g}")
