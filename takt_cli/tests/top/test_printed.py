"""`takt top --once`, and the page that shows it."""

import json
import re
import shlex
from pathlib import Path

import pytest
from support.fake_statistics import (
    MS,
    S,
    callback,
    camera,
    camera_later,
    fusion,
    fusion_later,
    statistics,
)
from support.looks import drawn, pair, view
from takt_cli.verbs.top.layout import Size
from takt_cli.verbs.top.state import State
from takt_cli.verbs.top.tables import KINDS

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_once_prints_all_three_tables(once, start):
    start(camera(), camera_later())
    start(fusion(), fusion_later())
    said = once()
    assert said.code == 0, said.err
    assert "\x1b" not in said.out
    (brake,) = [line for line in said.out.splitlines() if line.startswith("brake ")]
    assert re.split("  +", brake) == [
        *("brake", "50.0 ms", "2", "5", "2", "61.0 ms", "61.0 ms", "40.0 ms", "100"),
        "fusion 4000002",
    ]
    for title in ("Chains", "Callbacks", "Threads"):
        assert title in said.out.splitlines()
    assert "4.00 ms /fusion:sub(/points)" in said.out
    assert "nice 0 !" in said.out
    assert said.out.count("*: since watching began\n") == 1
    assert "camera (pid 4000001): lost: this front end knows no publication" in said.out


def test_in_a_pipe_each_row_has_one_line(once, start, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    name = f"/perception/{'x' * 90}:sub(/points)"
    start(statistics("/p", callbacks=[callback(name, threads=["rest.0", "hot", "rest.1"])]))
    (row,) = [line for line in once().out.splitlines() if name in line]
    assert "rest.0-1 hot" in row
    assert len(re.split("  +", row)) == len(KINDS["b"].make(()).columns) - 1


def test_json_has_totals_and_the_last_interval(once, start):
    start(fusion(), fusion_later())
    told = json.loads(once("--json").out)
    assert (told["schema"], told["ok"], told["silent"]) == (1, True, [])
    (process,) = told["processes"]
    assert (process["pid"], process["interval_ns"]) == (4_000_001, S)
    brake, _ = told["chains"]
    assert (brake["name"], brake["misses"], brake["last"]["misses"], brake["deadline_ns"]) == (
        "brake",
        5,
        2,
        50 * MS,
    )
    points, _ = told["callbacks"]
    assert (points["process"], points["executor"], points["pid"]) == ("fusion", "main", 4_000_001)
    assert (points["last"]["rate_hz"], points["depth"], points["misses"]) == (100, 10, 5)
    hot, _ = told["threads"]
    assert hot["running"] == {"callback": "/fusion:sub(/points)", "since_ns": 101 * S - 4 * MS}
    assert hot["last"]["cpu"] == pytest.approx(0.42)


def test_without_a_process_one_sentence_says_how_to_start_one(once, folder):
    said = once()
    assert said.code == 1
    assert said.err.startswith("takt: no process runs under takt; `takt exec -- PROGRAM` starts")
    told = json.loads(once("--json").out)
    assert (told["ok"], told["processes"]) == (False, [])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--interval", "soon"], "--interval: 'soon' is not a duration"),
        (["--interval", "1ms"], "--interval 1ms is too short; take at least 200ms"),
        (["--interval", "90min"], "--interval 90min is too long; take at most 1 hour"),
        (["--json"], "--json prints one document; use it with --once"),
    ],
)
def test_a_wrong_command_line_is_one_message(takt, folder, arguments, words):
    said = takt("top", *arguments)
    assert said.code == 2
    assert words in said.err


@pytest.mark.skipif(not DOCS.is_dir(), reason="docs/ is not in this checkout")
def test_the_page_shows_what_the_command_shows(once, start):
    text = (DOCS / "top.md").read_text(encoding="utf-8")
    found = view(pair(camera(), camera_later(), 4710), pair(fusion(), fusion_later(), 4711))
    pages = re.findall(r"<!-- test: shows (\w+) -->\n```text\n(.*?)```", text, re.DOTALL)
    assert [name for name, _ in pages] == ["chains", "callbacks"]
    for (_, page), key in zip(pages, "cb", strict=True):
        height = len(page.splitlines())
        assert drawn(found, State(shown=key), Size(110, height)) == page.splitlines()
    start(camera(), camera_later())
    (block,) = re.findall(r"<!-- test: runs -->\n```sh\n(.*?)```", text, re.DOTALL)
    for line in block.splitlines():
        assert shlex.split(line)[:3] == ["./takt", "top", "--once"]
        assert once(*shlex.split(line)[3:]).code == 0
    for option in ("--interval", "--once", "--json"):
        assert option in text


@pytest.mark.skipif(not DOCS.is_dir(), reason="docs/ is not in this checkout")
def test_the_page_explains_every_column():
    text = (DOCS / "top.md").read_text(encoding="utf-8").replace("\\*", "*")
    figures = text[text.index("## Figures") :]
    for kind in KINDS.values():
        for title in kind.make(()).columns[2:]:
            words = title.split() if title.startswith(("resp", "exec")) else [title]
            assert all(word.rstrip("*") in figures for word in words), title
