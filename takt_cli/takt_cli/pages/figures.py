"""Plots as plain plotly figures.

Colours are names of the page's CSS variables ("--s1"); the page puts in the values of the light or
the dark theme. Times are in ms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from takt_cli.pages.axes import Figure, Line, horizontal, layout, set_axis, vertical, wants_log
from takt_cli.pages.thinning import thin_over_time
from takt_cli.results.configuration import Configuration
from takt_cli.results.run_results import Results, Series
from takt_cli.results.samples import ecdf

_SERIES_COLOURS = 8


@dataclass(frozen=True)
class Path:
    """One chain, or the hot path, over all configurations."""

    name: str
    about: str
    series: list[tuple[Configuration, Series]]
    lines: list[Line]
    # By configuration: how many samples there should be; without an entry, those that there are.
    expected: Mapping[str, int] = field(default_factory=dict)


def colours(configurations: Sequence[Configuration]) -> dict[str, str]:
    """One colour per configuration, the same in all plots of a page."""
    result: dict[str, str] = {}
    # The first colour is kept for the accent, if there is one.
    index = int(any(configuration.accent for configuration in configurations))
    for configuration in configurations:
        if configuration.muted:
            result[configuration.name] = "--muted"
        elif configuration.accent:
            result[configuration.name] = "--s1"
        else:
            result[configuration.name] = f"--s{index % _SERIES_COLOURS + 1}"
            index += 1
    return result


def distribution(path: Path, colour: dict[str, str]) -> Figure:
    """Which share of activations was done within a time, one curve per configuration.

    A curve ends at the share that completed at all.
    """
    data = []
    values: list[float] = [line.at_ns / 1e6 for line in path.lines]
    for configuration, series in path.series:
        if len(series.values) == 0:
            continue
        x, y = ecdf(series.values)
        done = len(series.values) / path.expected.get(configuration.name, len(series.values))
        values += [float(x[0]) / 1e6, float(x[-1]) / 1e6]
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": configuration.name,
                "x": _ms(x),
                "y": [round(100 * done * float(share), 3) for share in y],
                "line": {"color": colour[configuration.name], "width": 2, "shape": "hv"},
                "hovertemplate": "%{y:.1f} % within %{x:.4g} ms",
            }
        )
    log = wants_log(values)
    frame = layout("time (ms)", "share within (%)")
    set_axis(frame["xaxis"], values, log)
    frame["yaxis"]["range"] = [0, 102]
    frame["shapes"], frame["annotations"] = vertical(path.lines, log)
    return {"data": data, "layout": frame}


def over_time(path: Path, colour: dict[str, str]) -> Figure:
    """Each activation's time over the run; those that a host stall touched are marked."""
    data = []
    values = [line.at_ns / 1e6 for line in path.lines]
    for configuration, series in path.series:
        if len(series.values) == 0:
            continue
        keep = thin_over_time(series)
        y = series.values[keep]
        values += [float(y.min()) / 1e6, float(y.max()) / 1e6]
        stalled = series.stalled[keep]
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": configuration.name,
                "x": [round(float(at) / 1e9, 4) for at in series.at_ns[keep]],
                "y": _ms(y),
                "marker": {
                    "color": colour[configuration.name],
                    "size": [9 if hit else 5 for hit in stalled],
                    "symbol": ["x-thin-open" if hit else "circle" for hit in stalled],
                    "line": {
                        "color": colour[configuration.name],
                        "width": [2 if hit else 0 for hit in stalled],
                    },
                    "opacity": 0.85,
                },
                "text": [", host stall" if hit else "" for hit in stalled],
                "hovertemplate": "%{y:.4g} ms at %{x:.3f} s%{text}",
            }
        )
    log = wants_log(values)
    frame = layout("time in the run (s)", "time (ms)")
    set_axis(frame["yaxis"], values, log)
    frame["shapes"], frame["annotations"] = horizontal(path.lines, log)
    if path.lines:
        frame["margin"]["r"] = 86  # for their names
    frame["hovermode"] = "closest"
    return {"data": data, "layout": frame}


def thread_load(configurations: Sequence[Configuration], colour: dict[str, str]) -> Figure:
    """CPU share of each thread, and on top of it the time it was ready but had no core."""
    labels: list[list[str]] = [[], []]
    used, waited, hover, bar_colours = [], [], [], []
    for configuration in reversed(configurations):
        for name, cpu, wait, about in reversed(thread_bars(configuration.results)):
            labels[0].append(configuration.name)
            labels[1].append(name)
            used.append(round(100 * cpu, 2))
            waited.append(round(100 * wait, 2))
            hover.append(about)
            bar_colours.append(colour[configuration.name])
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": "running",
            "y": labels,
            "x": used,
            "text": hover,
            "textposition": "none",
            "marker": {"color": bar_colours},
            "hovertemplate": "running %{x:.1f} %, %{text}<extra></extra>",
        },
        {
            "type": "bar",
            "orientation": "h",
            "name": "ready, waiting for a core",
            "y": labels,
            "x": waited,
            "marker": {"color": bar_colours, "opacity": 0.3},
            "hovertemplate": "waiting for a core %{x:.1f} %<extra></extra>",
        },
    ]
    frame = layout("share of the run (%): solid running, pale ready and waiting for a core", "")
    frame.update(barmode="stack", bargap=0.25, height=120 + 26 * len(used), hovermode="closest")
    frame["yaxis"].update(automargin=True, showgrid=False)
    frame["xaxis"].update(rangemode="tozero")
    frame["margin"]["l"] = 190
    return {"data": data, "layout": frame}


def thread_bars(results: Results) -> list[tuple[str, float, float, str]]:
    """Name, CPU share, waiting share and words: executor threads, then all others as one."""
    duration = max(results.duration_ns, 1)
    bars = []
    other_cpu = other_wait = others = 0
    for thread in results.measured_threads:
        if thread.executor:
            about = f"{thread.switches:,} switches"
            bars.append(
                (
                    thread.name,
                    thread.cpu_ns / duration,
                    thread.run_queue_wait_ns / duration,
                    about,
                )
            )
        else:
            others += 1
            other_cpu += thread.cpu_ns
            other_wait += thread.run_queue_wait_ns
    if others:
        about = f"{others} threads of the middleware and the process"
        bars.append(("all others", other_cpu / duration, other_wait / duration, about))
    return bars


def _ms(values: Any) -> list[float]:
    return [float(f"{float(value) / 1e6:.5g}") for value in values]
