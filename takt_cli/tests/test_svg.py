"""Plots as pictures: every point is where its value says, in XML that can be read."""

import re
import xml.etree.ElementTree as ElementTree

import pytest
from takt_cli.pages.axes import layout, set_axis
from takt_cli.pages.svg import file_name, has_lines_only, picture

SVG = "{http://www.w3.org/2000/svg}"


def trace(x, y, **more):
    line = {"color": "--s1", "width": 2, "dash": more.pop("dash", "solid")}
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": "a < b",
        "x": x,
        "y": y,
        "line": line,
        **more,
    }


def drawn(traces, **axes):
    frame = layout("load & more", "systems (%)")
    frame["xaxis"].update(axes.get("x", {}))
    frame["yaxis"].update(axes.get("y", {}))
    return ElementTree.fromstring(picture("Title <1>", {"data": traces, "layout": frame}))


def points(line):
    return [tuple(map(float, point.split(","))) for point in line.get("points").split()]


def test_points_are_where_their_values_are():
    root = drawn([trace([1, 2, 3], [0, 50, 100])], y={"range": [0, 100]})
    (x1, y1), (x2, y2), (x3, y3) = points(root.find(f"{SVG}polyline"))
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.11)
    assert y1 - y2 == pytest.approx(y2 - y3, abs=0.11)
    assert y1 > y3, "upwards"
    grid = {t.text: float(t.get("y")) for t in root.iter(f"{SVG}text") if t.get("y")}
    assert grid["0"] == pytest.approx(y1 + 4)
    assert grid["100"] == pytest.approx(y3 + 4)
    assert len(root.findall(f"{SVG}circle")) == 3


def test_a_logarithmic_axis():
    root = drawn([trace([1, 10, 100], [1, 2, 3])], x={"type": "log"})
    (x1, _), (x2, _), (x3, _) = points(root.find(f"{SVG}polyline"))
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.11)


def test_titles_names_and_points_without_a_value():
    root = drawn([trace([1, 2, 3], [5, None, 7], dash="dot"), trace([], [])])
    said = [text.text for text in root.iter(f"{SVG}text")]
    assert said.count("a < b") == 1, "a line without points is not drawn"
    assert {"Title <1>", "load & more", "systems (%)"} <= set(said)
    assert len(points(root.find(f"{SVG}polyline"))) == 2
    assert root.find(f"{SVG}polyline").get("stroke-dasharray")


def test_points_of_their_own_size_and_colour():
    marker = {"size": [6, 12], "color": ["--s4", "--s1"]}
    circles = drawn([trace([1, 2], [1, 1], marker=marker)]).findall(f"{SVG}circle")
    assert [circle.get("r") for circle in circles] == ["3", "6"]
    assert [circle.get("fill") for circle in circles] == ["var(--s4)", "var(--s1)"]


def test_colours_are_those_of_the_page_light_and_dark():
    text = picture("t", {"data": [trace([1], [1])], "layout": layout("x", "y")})
    assert len(re.findall(r"--s1: #", text)) == 2
    assert "prefers-color-scheme: dark" in text


def test_names_of_files_and_what_can_be_drawn():
    assert file_name("Accepted: 9 chains × 5, by deadline") == (
        "accepted-9-chains-5-by-deadline.svg"
    )
    assert has_lines_only({"data": [trace([1], [1])]})
    assert not has_lines_only({"data": [trace([1], [1]), {"type": "bar"}]})


def test_the_title_of_a_logarithmic_axis_says_so():
    frame = layout("response (ms)", "share")
    set_axis(frame["xaxis"], [1.0, 1000.0], True)
    set_axis(frame["yaxis"], [1.0, 2.0], False)
    titles = [frame[name]["title"]["text"] for name in ("xaxis", "yaxis")]
    assert titles == ["response (ms), logarithmic", "share"]
