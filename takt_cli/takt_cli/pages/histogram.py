"""Outlines of histograms over time, for plots whose axes are both logarithmic."""

from __future__ import annotations

import math
from collections.abc import Iterable

from takt_cli.pages.axes import Figure, layout, set_axis

_BINS_PER_DECADE = 20
_BASE = 0.5  # below one value, which a logarithmic axis shows
_NS_PER_US = 1000.0


def outline(name: str, counts: Iterable[tuple[float, int]], line: Figure, what: str) -> Figure:
    """Draw the upper edge of the bins, and the base line where bins are empty.

    `counts`: times (ns), and how many values are there. `what`: their plural.
    """
    x: list[float] = []
    y: list[float] = []
    end = None
    for number, count in sorted(_bins(counts).items()):
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
        "hovertemplate": f"{name}: %{{y:,.0f}} {what} near %{{x:.3g}} µs<extra></extra>",
    }


def histogram(outlines: Iterable[Figure], x: str, y: str) -> Figure:
    """Put outlines into one plot, with titles of its axes."""
    frame = layout(x, y)
    data = [trace for trace in outlines if trace["x"]]
    set_axis(frame["xaxis"], [at for trace in data for at in trace["x"]], True)
    set_axis(frame["yaxis"], [at for trace in data for at in trace["y"]], True)
    frame.update(showlegend=True, height=330, legend={"orientation": "h", "y": -0.25})
    return {"data": data, "layout": frame}


def _bins(counts: Iterable[tuple[float, int]]) -> dict[int, int]:
    """Count the values in bins of equal width on a logarithmic axis."""
    bins: dict[int, int] = {}
    for at_ns, count in counts:
        number = math.floor(math.log10(max(at_ns / _NS_PER_US, 1 / _NS_PER_US)) * _BINS_PER_DECADE)
        bins[number] = bins.get(number, 0) + count
    return bins


def _edge(number: int) -> float:
    return float(f"{10 ** (number / _BINS_PER_DECADE):.6g}")
