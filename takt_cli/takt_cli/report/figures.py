"""Plots as plain plotly figures.

Colours are names of the page's CSS variables ("--s1"); the page puts in the values of the light or
the dark theme. Times are in ms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from takt_cli.report.thinning import thin_over_time
from takt_cli.results import Results, Series
from takt_cli.samples import ecdf
from takt_cli.study import Configuration

Figure = dict[str, Any]
_SERIES_COLOURS = 8


@dataclass(frozen=True)
class Line:
    """A vertical or horizontal line that means something: a deadline, a floor."""

    name: str
    at_ns: float
    colour: str


@dataclass(frozen=True)
class Path:
    """One chain, or the hot path, over all configurations."""

    name: str
    about: str
    series: list[tuple[Configuration, Series]]
    lines: list[Line]


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
    """Which share of activations was done within a time, one curve per configuration."""
    data = []
    values: list[float] = [line.at_ns / 1e6 for line in path.lines]
    for configuration, series in path.series:
        if len(series.values) == 0:
            continue
        x, y = ecdf(series.values)
        values += [float(x[0]) / 1e6, float(x[-1]) / 1e6]
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": configuration.name,
                "x": _ms(x),
                "y": [round(100 * float(share), 3) for share in y],
                "line": {"color": colour[configuration.name], "width": 2, "shape": "hv"},
                "hovertemplate": "%{y:.1f} % within %{x:.4g} ms",
            }
        )
    log = _wants_log(values)
    layout = _layout("time (ms)", "share within (%)")
    layout["xaxis"].update(_axis(values, log))
    layout["yaxis"]["range"] = [0, 102]
    layout["shapes"], layout["annotations"] = _vertical(path.lines, log)
    return {"data": data, "layout": layout}


def over_time(path: Path, colour: dict[str, str]) -> Figure:
    """Each activation's time over the run; what a host stall touched is marked."""
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
    log = _wants_log(values)
    layout = _layout("time in the run (s)", "time (ms)")
    layout["yaxis"].update(_axis(values, log))
    layout["shapes"], layout["annotations"] = _horizontal(path.lines, log)
    layout["hovermode"] = "closest"
    return {"data": data, "layout": layout}


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
    layout = _layout("share of the run (%): solid running, pale ready and waiting for a core", "")
    layout.update(barmode="stack", bargap=0.25, height=120 + 26 * len(used), hovermode="closest")
    layout["yaxis"].update(automargin=True, showgrid=False)
    layout["xaxis"].update(rangemode="tozero")
    layout["margin"]["l"] = 190
    return {"data": data, "layout": layout}


def thread_bars(results: Results) -> list[tuple[str, float, float, str]]:
    """Name, CPU share, waiting share and words: executor threads, then all others as one."""
    duration = max(results.duration_ns, 1)
    bars = []
    other_cpu = other_wait = others = 0
    for thread in results.threads:
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


def _wants_log(values: Sequence[float]) -> bool:
    positive = [value for value in values if value > 0]
    return bool(positive) and max(positive) / min(positive) > 8


def _axis(values: Sequence[float], log: bool) -> Figure:
    if not values:
        return {}
    if log:
        positive = [value for value in values if value > 0]
        low, high = np.log10(min(positive)), np.log10(max(positive))
        margin = 0.04 * (high - low) + 0.02
        ticks = _ticks(min(positive), max(positive))
        return {
            "type": "log",
            "range": [round(float(low - margin), 4), round(float(high + margin), 4)],
            "tickvals": ticks,
            "ticktext": [f"{tick:,g}" for tick in ticks],
        }
    return {"range": [0, round(1.06 * max(values), 5)]}


def _ticks(low: float, high: float) -> list[float]:
    """1, 2, 5, 10, ... over the range; decades only where that would be too many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1, 2, 5) if last - first <= 3 else (1,)
    return [float(f"{step}e{power}") for power in range(first, last + 1) for step in steps]


def _layout(x: str, y: str) -> Figure:
    return {
        "height": 270,
        "margin": {"l": 56, "r": 14, "t": 22, "b": 44},
        "xaxis": {"title": {"text": x, "standoff": 8}, "zeroline": False},
        "yaxis": {"title": {"text": y, "standoff": 8}, "zeroline": False},
        "showlegend": False,
        "hovermode": "x unified" if y.startswith("share") else "closest",
    }


def _vertical(lines: Sequence[Line], log: bool) -> tuple[list[Figure], list[Figure]]:
    shapes, notes = [], []
    for line in lines:
        at = line.at_ns / 1e6
        shapes.append(_dotted(line, {"x0": at, "x1": at, "y0": 0, "y1": 1, "yref": "paper"}))
        x = float(np.log10(at)) if log else at
        place = {"x": x, "y": 1, "yref": "paper", "yanchor": "bottom", "xanchor": "center"}
        notes.append(_label(line, place))
    return shapes, notes


def _horizontal(lines: Sequence[Line], log: bool) -> tuple[list[Figure], list[Figure]]:
    shapes, notes = [], []
    for line in lines:
        at = line.at_ns / 1e6
        shapes.append(_dotted(line, {"y0": at, "y1": at, "x0": 0, "x1": 1, "xref": "paper"}))
        y = float(np.log10(at)) if log else at
        place = {"y": y, "x": 1, "xref": "paper", "yanchor": "bottom", "xanchor": "right"}
        notes.append(_label(line, place))
    return shapes, notes


def _dotted(line: Line, place: Figure) -> Figure:
    style = {"color": line.colour, "width": 1.5, "dash": "dot"}
    return {"type": "line", "layer": "below", "line": style, **place}


def _label(line: Line, place: Figure) -> Figure:
    font = {"color": line.colour, "size": 11}
    return {"text": line.name, "showarrow": False, "font": font, "bgcolor": "--surface", **place}
