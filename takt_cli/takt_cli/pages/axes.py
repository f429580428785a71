"""Axes, and lines that mean something: a deadline, a floor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Figure = dict[str, Any]


@dataclass(frozen=True)
class Line:
    """A vertical or horizontal line that means something: a deadline, a floor."""

    name: str
    at_ns: float
    colour: str


def wants_log(values: Sequence[float]) -> bool:
    """Whether the values span so much that a linear axis would squeeze the small ones."""
    positive = [value for value in values if value > 0]
    return bool(positive) and max(positive) / min(positive) > 8


def axis(values: Sequence[float], log: bool) -> Figure:
    """Give range and ticks of an axis that shows these values."""
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


def set_axis(of: Figure, values: Sequence[float], log: bool) -> None:
    """Let an axis of a plot show these values; its title says that it is logarithmic."""
    of.update(axis(values, log))
    if log and values:
        of["title"] = {**of["title"], "text": f"{of['title']['text']}, logarithmic"}


def _ticks(low: float, high: float) -> list[float]:
    """1, 2, 5, 10, ... over the range; decades only where that would be too many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1, 2, 5) if last - first <= 3 else (1,)
    return [float(f"{step}e{power}") for power in range(first, last + 1) for step in steps]


def layout(x: str, y: str) -> Figure:
    """Give the frame of a plot: titles of its axes, size, margins."""
    return {
        "height": 270,
        "margin": {"l": 56, "r": 14, "t": 22, "b": 44},
        "xaxis": {"title": {"text": x, "standoff": 8}, "zeroline": False},
        "yaxis": {"title": {"text": y, "standoff": 8}, "zeroline": False},
        "showlegend": False,
        "hovermode": "x unified" if y.startswith("share") else "closest",
    }


def vertical(lines: Sequence[Line], log: bool) -> tuple[list[Figure], list[Figure]]:
    """Draw lines at times on the x axis; shapes and their labels."""
    return _across("x", "y", lines, log, {"yanchor": "bottom", "xanchor": "center"})


def horizontal(lines: Sequence[Line], log: bool) -> tuple[list[Figure], list[Figure]]:
    """Draw lines at times on the y axis; shapes and their labels."""
    # In the margin: points are everywhere else.
    return _across("y", "x", lines, log, {"yanchor": "middle", "xanchor": "left"})


def _across(
    axis: str, other: str, lines: Sequence[Line], log: bool, anchors: Figure
) -> tuple[list[Figure], list[Figure]]:
    """Draw lines at times on an axis, through the whole plot."""
    shapes, notes = [], []
    whole = {f"{other}0": 0, f"{other}1": 1, f"{other}ref": "paper"}
    for line in lines:
        at = line.at_ns / 1e6
        shapes.append(_dotted(line, {f"{axis}0": at, f"{axis}1": at, **whole}))
        place = {axis: float(np.log10(at)) if log else at, other: 1, f"{other}ref": "paper"}
        notes.append(_label(line, {**place, **anchors}))
    return shapes, notes


def _dotted(line: Line, place: Figure) -> Figure:
    style = {"color": line.colour, "width": 1.5, "dash": "dot"}
    return {"type": "line", "layer": "below", "line": style, **place}


def _label(line: Line, place: Figure) -> Figure:
    font = {"color": line.colour, "size": 11}
    return {"text": line.name, "showarrow": False, "font": font, "bgcolor": "--surface", **place}
