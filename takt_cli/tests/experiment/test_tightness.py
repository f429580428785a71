"""`takt experiment tightness`: what it says of ratios, and the real program on a few systems."""

import json

from support.built import TIGHTNESS, need
from takt_cli.verbs.experiment import tightness
from takt_cli.verbs.experiment.tightness import KindPoint, Point, Ratios


def point(median, *, analysis="priority", load=0.7, refuted=0):
    known = Ratios(30, 10, refuted, median, None, 2 * median, [median] * 100 + [2 * median])
    return Point(analysis, load, 40, known, known)


def test_tables_have_a_row_for_each_point_and_no_percentile_of_too_few():
    first, second = tightness.tables([point(1.1), point(2.5, analysis="pool")])
    assert [cell.text for cell in first.rows[0]] == [
        *("priority", "70 %", "1.10", "-", "2.20", "25.0 %")
    ]
    assert [cell.text for cell in second.rows[1]][:3] == ["pool", "70 %", "2.50"]


def test_the_goal_is_judged_and_what_is_refuted_is_said():
    goal, bounds = tightness.sentences([point(1.1), point(3.0, load=0.9)])
    assert "1.10 times" in goal
    assert "within the goal of 1.25" in goal
    assert bounds == "No simulated response was above its bound."
    goal, bounds = tightness.sentences([point(1.3, refuted=2)])
    assert "above the goal of 1.25" in goal
    assert "above 2 of the bounds" in bounds


def test_plots_are_distributions_and_leave_out_what_has_no_bound():
    none = Ratios(0, 40, 0, None, None, None, [])
    empty = Point("priority", 0.9, 40, none, none)
    ((title, figure),) = tightness.figures([point(1.1), empty])
    assert title == "All chains under priority"
    (line,) = figure["data"]
    assert line["x"][-1] == 2.2
    assert line["y"][-1] == 100
    assert [cell.text for cell in tightness.tables([empty])[0].rows[0]][2:] == [
        *("-", "-", "-", "100.0 %")
    ]


def kind_point(kind, phases, median, p90=None):
    return KindPoint(
        kind, phases, 12, 10 if phases else 0, Ratios(30, 10, 0, median, p90, 2 * median, [])
    )


def test_kinds_of_system_have_a_table_and_goals_of_their_own():
    points = [
        point(1.1),
        kind_point("sets", True, 1.05, 1.4),
        kind_point("cores", True, 1.05, 1.6),
        kind_point("sets", False, 1.2),
        kind_point("cores", False, 1.2, 1.9),
        kind_point(tightness.ALL_KINDS, False, 1.3),
    ]
    *_, table = tightness.tables(points)
    assert [cell.text for cell in table.rows[0]] == [
        *("sets", "known", "30", "25.0 %", "1.05", "1.40", "2.10", "25.0 %", "met")
    ]
    assert [row[-1].text for row in table.rows] == ["met", "missed", "met", "met", "missed"]
    assert table.rows[2][3].text == "-"
    _, known, unknown, _ = tightness.sentences(points)
    assert known == (
        "With known phases the bounds of 1 of 2 kinds of system meet both goals; "
        "those that do not: cores."
    )
    assert unknown == "With unknown phases the bounds of 2 of 2 kinds of system meet both goals."
    assert len(tightness.figures(points)) == 1
    none = KindPoint("sets", True, 12, 0, Ratios(0, 40, 0, None, None, None, []))
    assert not none.met


def test_a_refuted_bound_fails_the_command(takt, monkeypatch, tmp_path):
    monkeypatch.setattr(tightness, "measure", lambda *_: [point(1.1, refuted=1)])
    said = takt("experiment", "tightness", "--sets", "1", "--output", tmp_path / "t")
    assert said.code == 1
    assert "above 1 of the bounds" in said.out


@need(*TIGHTNESS)
def test_the_experiment_compares_and_writes_a_page(takt, tmp_path):
    said = takt("experiment", "tightness", "--sets", "2", "--output", tmp_path / "t")
    assert said.code == 0, said.err
    assert "No simulated response was above its bound." in said.out
    assert "All chains under pool" in (tmp_path / "t/report.html").read_text()
    summary = json.loads((tmp_path / "t/summary.json").read_text())
    assert len(summary["tables"]) == 3
    rows = summary["tables"][0]["rows"]
    assert len(rows) == 20
    assert all(value >= 1 for row in rows for value in row[2:5] if value != "-")
