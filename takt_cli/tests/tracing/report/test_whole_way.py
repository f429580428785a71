"""`takt report` with the real `takt_trace`, on raw traces that this test writes."""

from pathlib import Path

import pytest
from support.browser import browser, look
from support.built import need
from support.takttrace import Pipeline, any_process, encode

pytestmark = need(("takt_trace", "takt_trace"))


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write a raw trace of some processes into the folder of the test."""
    monkeypatch.chdir(tmp_path)

    def call(name, *processes):
        Path(name).write_bytes(encode(processes))
        return name

    return call


def pipeline(seed, **options):
    one = Pipeline(seed, **options)
    for number in range(3):
        one.thread(one.process.pid + number, 60)
    return one.process


def test_traces_of_two_processes_become_one_page(takt, written, tmp_path):
    names = [
        written("a.takttrace", pipeline(1, pid=100)),
        written("b.takttrace", pipeline(2, pid=200, host="there")),
    ]
    said = takt("report", *names, "-o", "out.html")
    assert said.code == 0, said.err
    page = Path("out.html").read_text()
    for words in ("<h2>Chain brake</h2>", "/ns/filter:sub(/points)", "pid 100", "pid 200", "there"):
        assert words in page
    if browser():
        told = look(page, tmp_path)
        assert (told["errors"], told["refused"], told["wide"], told["cut"]) == ([], [], [], [])
        assert told["width"] <= 1280


def test_any_records_become_a_page_or_one_clear_error(takt, written):
    pages = 0
    for seed in range(60):
        name = written("t.takttrace", any_process(seed), any_process(seed + 1000))
        said = takt("report", name, "-o", "out.html", "--force")
        assert said.code in (0, 2), f"seed {seed}: {said.err}"
        assert "internal" not in said.err, f"seed {seed}: {said.err}"
        pages += said.code == 0
    assert pages > 50
