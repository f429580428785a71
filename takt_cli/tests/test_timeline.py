"""`takt explain --timeline`: a page of one hyperperiod."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from support.browser import look, need_browser
from support.built import need
from takt_cli.base.programs import find_program
from takt_cli.results.explanation import Explanation
from takt_cli.verbs.explain.hyperperiod_page import hyperperiod_page, hyperperiod_picture

DOCS = Path(__file__).resolve().parents[2] / "docs"
EXPLAIN = [("takt_explain", "takt_plan")]
MS = 1_000_000

in_docs = pytest.mark.skipif(not DOCS.is_dir(), reason="docs/ is not in this checkout")


def job(earliest, latest, end, **more):
    return {
        "earliest_release_ns": earliest * MS,
        "latest_release_ns": latest * MS,
        "latest_end_ns": end * MS,
        "may_miss": False,
        "set": "none",
        **more,
    }


def row(name, jobs, runs=(), chains=(), thread="hot", **more):
    pieces = [
        {"release_ns": begin * MS, "end_ns": end * MS, "pieces_ns": [[begin * MS, end * MS]]}
        for begin, end in runs
    ]
    return {
        "id": name,
        "ids": [name],
        "host": "car",
        "executor": "main",
        "threads": [thread],
        "cores": [0],
        "os_priority": 60,
        "priority": 1,
        "time_ns": MS,
        "timer": ":timer(" in name,
        "chains": list(chains),
        "jobs": jobs,
        "runs": pieces,
        **more,
    }


def found(*rows, chains=("first", "second"), without=()):
    return {
        "chains": [{"name": name, "bound_ns": 9 * MS, "deadline_ns": None} for name in chains],
        "hyperperiod": {"length_ns": 100 * MS, "without": list(without), "rows": list(rows)},
    }


def page(document, chain=None):
    return hyperperiod_page(
        Explanation.read(document), schedule="a/s.yaml", command="takt explain", chain=chain
    )


def test_the_page_says_when_its_bounds_hold():
    document = found(row("/a:timer(10ms)", [job(0, 0, 1)]))
    assert "Bounds rest" not in page(document)
    document["when_bounds_hold"] = "Bounds rest on <phases>."
    assert "<p>Bounds rest on &lt;phases&gt;.</p>" in page(document)


def two_chains():
    return found(
        row("/a:timer(50ms)", [job(0, 0, 9), job(50, 50, 59)], [(0, 8)], ["first"], "above"),
        row("/b:sub(/a)", [job(0, 9, 20)], [(9, 18)], ["first", "second"]),
        row("/c:sub(/b)", [job(0, 20, 120, may_miss=True)], [(18, 95)], ["second"]),
        row("/d:timer(100ms)", [job(90, 90, 95)]),
    )


def jobs_of(text, name):
    """Give the turns in which jobs of a row are drawn."""
    _, _, rest = text.partition(f'<g class="row" data-id="{name}"')
    _, _, rest = rest.partition(f'<g class="row" data-id="{name}"')  # behind the names
    return re.findall(r'<g class="job \w+" data-turn="(-?\d+)">', rest.partition('"row"')[0])


def test_each_job_is_drawn_and_what_reaches_over_the_end_twice():
    text = page(two_chains())
    assert jobs_of(text, "/a:timer(50ms)") == ["0", "0"]
    assert jobs_of(text, "/b:sub(/a)") == ["0"]
    assert jobs_of(text, "/c:sub(/b)") == ["0", "-1"]
    assert text.count('class="release-tick"') == 3
    assert "5 jobs of 4 callbacks on 2 threads" in text
    assert "may not come: its set may drop the message before it" in text


def test_callbacks_without_windows_are_told():
    text = page(found(row("/a:timer(1s)", [job(0, 0, 1)]), without=["'/x' has <no> offset"]))
    assert "&#x27;/x&#x27; has &lt;no&gt; offset" in text
    assert "<no>" not in text


def test_the_picture_alone_needs_nothing_else():
    text = hyperperiod_picture(Explanation.read(two_chains()))
    assert text.startswith("<svg")
    assert 'xmlns="http://www.w3.org/2000/svg"' in text
    for variable in set(re.findall(r"var\((--\w+)\)", text)) - {"--c"}:
        assert f"{variable}: " in text


@need_browser
def test_a_chain_can_be_selected(tmp_path):
    script = """
      const pale = () => [...document.querySelectorAll(".times g.row.dim")].map(
        (row) => row.dataset.id);
      const told = [pale()];
      for (const place of [0, 1, 1]) {
        document.querySelectorAll("button.chain")[place].click();
        told.push(pale());
      }
      const colour = getComputedStyle(document.querySelector(".times .finish")).fill;
      return { told, colour };
    """
    told = look(page(two_chains(), chain="second"), tmp_path, script)
    assert told["errors"] == []
    assert told["refused"] == []
    assert told["wide"] == []
    assert told["cut"] == []
    assert told["width"] <= told["shown"] == 1280
    outside_first, outside_second = ["/c:sub(/b)", "/d:timer(100ms)"], None
    outside_second = ["/a:timer(50ms)", "/d:timer(100ms)"]
    assert told["found"]["told"] == [outside_second, outside_first, outside_second, []]
    assert told["found"]["colour"] == "rgb(42, 120, 214)"


@pytest.fixture
def example(tmp_path, monkeypatch):
    """The files of docs/phases.md."""
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "phases.md").read_text(encoding="utf-8")
    for name, content in re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", text, re.DOTALL):
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path


@in_docs
@need(*EXPLAIN)
def test_the_picture_of_the_docs_is_what_the_command_writes(takt, example):
    said = takt("explain", "apart.yaml", "--timeline", "new.svg")
    assert said.code == 0, said.err
    # After a change: ./takt explain apart.yaml --timeline docs/plots/phases.svg
    assert (example / "new.svg").read_text() == (DOCS / "plots/phases.svg").read_text()


@in_docs
@need(*EXPLAIN)
def test_the_page_has_each_job_of_the_model_and_a_run_inside_of_windows(takt, example):
    said = takt("explain", "early.yaml", "--timeline", "page.html", "--chain", "locate")
    assert said.code == 0, said.err
    assert "locate: at most" in said.out
    assert "Timeline: " in said.err
    text = (example / "page.html").read_text(encoding="utf-8")
    assert 'data-chain="0" aria-pressed="true"' in text
    command = [find_program(*EXPLAIN[0]), "early.yaml", "--json", "--jobs"]
    told = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    length = told["hyperperiod"]["length_ns"]
    counts = {}
    for one in told["hyperperiod"]["rows"]:
        counts[one["id"]] = len(one["jobs"])
        assert jobs_of(text, one["id"]).count("0") == len(one["jobs"])
        assert one["runs"]
        for run in one["runs"]:
            assert any(
                window["earliest_release_ns"] + shift <= run["release_ns"]
                and run["release_ns"] <= window["latest_release_ns"] + shift
                and run["end_ns"] <= window["latest_end_ns"] + shift
                for window in one["jobs"]
                for shift in (-length, 0, length)
            )
    # The set keeps four scans and a map, and works once.
    assert counts == {"/scan:timer(50ms)": 4, "/map:timer(200ms)": 1, "/locate:sub(/map)": 6}


@in_docs
@need(*EXPLAIN)
def test_a_timeline_is_refused_in_one_sentence(takt, example):
    text = (example / "apart.yaml").read_text()
    for offset in ("0ms", "30ms"):
        text = text.replace(f", offset: {offset}", "")
    (example / "unknown.yaml").write_text(text)
    said = takt("explain", "unknown.yaml", "--timeline", "page.html")
    assert said.code == 2
    assert said.out == ""
    assert said.err.splitlines() == [
        "jobs have no known windows: '/imu:timer(10ms)' has no offset; give each timer one in the "
        "schedule"
    ]
    said = takt("explain", "apart.yaml", "--timeline", "page.pdf")
    assert said.code == 2
    assert "page.pdf: a timeline is a page or a picture" in said.err
    assert not (example / "page.pdf").exists()
    model = (example / "phases.yaml").read_text()
    (example / "phases.yaml").write_text(model.replace("period: 50ms", "period: 49.999ms"))
    said = takt("explain", "apart.yaml", "--timeline", "page.html")
    assert said.code == 2
    assert "hyperperiod has more than 20000 jobs" in said.err
    assert not (example / "page.html").exists()


@in_docs
@need(*EXPLAIN)
def test_a_timeline_replaces_no_file_unless_it_is_forced(takt, example):
    page = example / "page.html"
    page.write_text("mine")
    said = takt("explain", "apart.yaml", "--timeline", "page.html")
    assert (said.code, said.out) == (2, "")
    assert "page.html exists; name another file, or replace it with --force" in said.err
    assert page.read_text() == "mine"
    assert takt("explain", "apart.yaml", "--timeline", "page.html", "--force").code == 0
    assert page.read_text() != "mine"


@in_docs
@need(*EXPLAIN)
@pytest.mark.parametrize(("name", "what"), [("apart", "schedule"), ("phases", "system model")])
def test_a_timeline_replaces_no_input(takt, example, name, what):
    before = (example / f"{name}.yaml").read_text()
    said = takt("explain", "apart.yaml", "--timeline", f"{name}.yaml")
    assert said.code == 2
    assert f"--timeline names the {what}" in said.err
    assert (example / f"{name}.yaml").read_text() == before
