"""`takt experiment planners`: what it says of counts, and the real program on a few systems."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.built import PLAN, need
from takt_cli.base.errors import TaktError
from takt_cli.pages.svg import file_name, picture
from takt_cli.verbs.experiment import generated, planners, tightness
from takt_cli.verbs.experiment.planners import Count

DOCS = Path(__file__).parents[3] / "docs"


def section(page, title):
    return page.read_text("utf-8").split(f"## {title}\n")[1].split("\n## ")[0]


def count(planner, accepted, *, load=3.0, refuted=0, part=planners.PUBLISHED):
    return Count(part, "nine chains", 4, load, planner, 100, accepted, accepted + 1, refuted, 5.0)


def test_the_best_of_each_row_stands_out_and_gains_are_said():
    counts = [count("takt", 90), count("picas", 40), count("isolated", 90)]
    table = planners.tables(counts)[0]
    assert [cell.text for cell in table.rows[0]] == [
        *("nine chains", "4", "3.0", "90.0 %", "40.0 %", "90.0 %")
    ]
    assert [cell.mood for cell in table.rows[0][3:]] == ["good", "", "good"]
    first, gain, bounds = planners.sentences(counts)
    assert "for 1 of 1 shapes" in first
    assert "fewer" not in first
    assert gain == (
        "Over picas it gains up to 50.0 percentage points: nine chains, 4 cores, load 3.0."
    )
    assert bounds == "No simulated response was above its bound."


def test_what_is_lost_and_refuted_is_said():
    counts = [count("takt", 60, refuted=2), count("picas", 61)]
    first, _, bounds = planners.sentences(counts)
    assert "fewer schedules than another for 1 of 1 shapes: nine chains" in first
    assert "picas: 61.0 %" in first
    assert "above 2 of the bounds" in bounds


def test_small_systems_are_held_against_exhaustive_search():
    counts = [count("takt", 90), count("picas", 90)]
    small = [
        count(p, n, load=0.9, part=planners.EXHAUSTIVE) for p, n in (("takt", 96), ("picas", 9))
    ]
    phases = [count(p, 50, load=0.9, part=planners.PHASES) for p in ("takt", "picas")]
    tables = planners.tables([*counts, *phases, *small])
    assert len(tables) == 5
    assert [cell.text for cell in tables[-1].rows[0]] == ["0.90", "100", "96.0 %", "9.0 %"]
    said = planners.sentences([*counts, *small])
    assert any("takt plans 96 (96.0 %), within the goal of 95 %." in s for s in said)
    assert "for 1 of 1 shapes" in said[0], "small systems are not among the shapes"
    below = count("takt", 94, part=planners.EXHAUSTIVE)
    assert "below the goal" in planners.sentences([below])[0]
    none = [replace(below, sets=0, accepted=0)]
    assert planners.tables(none)[0].rows[0][2].text == "0.0 %"
    assert planners.sentences(none) == ["No simulated response was above its bound."]


def test_plots_show_what_changes_with_load():
    counts = [count(p, 90 - int(10 * u), load=u) for u in (2.5, 3.0) for p in planners.COLOURS]
    ((title, figure),) = planners.figures(counts)
    assert title == "Accepted: nine chains"
    assert figure["data"][0]["x"] == [2.5, 3.0]
    assert figure["data"][0]["y"] == [65.0, 60.0]
    assert planners.figures(counts[: len(planners.COLOURS)]) == []
    assert len(planners.figures([c for c in counts if c.planner == "takt"])[0][1]["data"]) == 1


def tables_of(text):
    """Read the tables of a page, each as its header and its rows."""
    found = [[]]
    for line in text.splitlines():
        if line.startswith("|"):
            found[-1].append([cell.strip() for cell in line.strip("|").split("|")])
        elif found[-1]:
            found.append([])
    return [(rows[0], rows[2:]) for rows in found if rows]


def test_the_plots_of_the_documentation_are_of_its_tables():
    text = (DOCS / "experiments.md").read_text("utf-8")
    counts = [
        Count(
            *(part, row[0], int(row[1]), float(row[2]), planner, sets),
            *(round(sets * float(cell.split(" %")[0]) / 100), 0, 0, 1.0),
        )
        for part, sets, (header, rows) in zip(
            (planners.PUBLISHED, planners.PHASES),
            (1000, planners.WALKED),
            tables_of(section(DOCS / "experiments.md", "planners"))[:2],
            strict=True,
        )
        for row in rows
        for planner, cell in zip(header[3:], row[3:], strict=True)
    ]
    drawn = {file_name(title): picture(title, figure) for title, figure in planners.figures(counts)}
    assert len(drawn) == 8
    for name, made in drawn.items():
        assert (DOCS / "plots" / name).read_text("utf-8") == made, f"{name}: not of this table"
        assert f"(plots/{name})" in text


@pytest.mark.parametrize("experiment", [planners, tightness])
def test_nonsense_of_the_program_is_one_message(monkeypatch, fakes, experiment):
    class Done:
        code, stdout, stderr = 0, "[{}]", ""

    monkeypatch.setattr(generated, "run_program", lambda *_, **__: Done)
    monkeypatch.setattr(generated, "find_program", lambda *_: fakes)
    with pytest.raises(TaktError, match="unexpected"):
        experiment.measure(1, 1)


@need(*PLAN)
def test_the_experiment_counts_and_writes_a_page(takt, tmp_path):
    options = ("--sets", "2", "--phases", "0", "--exhaustive", "2")
    said = takt("experiment", "planners", *options, "--output", tmp_path / "p")
    assert said.code == 0, said.err
    assert "No simulated response was above its bound." in said.out
    page = (tmp_path / "p/report.html").read_text()
    assert "Accepted: 9 chains" in page
    assert (tmp_path / "p/accepted-9-chains-5-by-deadline.svg").is_file()
    assert "<h3>Runs</h3>" not in page
    summary = json.loads((tmp_path / "p/summary.json").read_text())
    assert len(summary["tables"]) == 4
    assert "of a core" in summary["tables"][3]["columns"][0]
    assert len(summary["tables"][0]["rows"]) == 10
