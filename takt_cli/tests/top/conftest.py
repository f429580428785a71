"""Fixtures: fake processes, `takt top --once`, and terminals."""

import pytest
from support.closing import each_closed, each_numbered
from support.fake_statistics import FakeStatistics, camera, camera_later, fusion, fusion_later
from support.terminal import Terminal


@pytest.fixture
def start(folder):
    """Start a process that tells these figures, one look after the other."""

    def make(pid, *looks, kind=FakeStatistics):
        return kind(folder, pid, *looks)

    with each_numbered(make) as call:
        yield call


@pytest.fixture
def once(takt, monkeypatch):
    """Run `takt top --once` without the wait between the two looks."""
    monkeypatch.setattr("takt_cli.verbs.top.printed.two_looks.__defaults__", (lambda _: None,))
    return lambda *arguments: takt("top", "--once", *arguments)


@pytest.fixture
def terminal(start, folder):
    """Run `takt top` on a terminal of its own, beside two processes whose figures grow."""

    def make(columns=80, lines=24, processes=True, **environment):
        if processes:
            start(camera(), camera_later(), pid=4710)
            start(fusion(), fusion_later(), pid=4711)
        return Terminal(["top", "--interval", "200ms"], columns, lines, environment)

    with each_closed(make) as call:
        yield call
