"""Fixtures: fake processes, `takt top --once`, and terminals."""

import pytest
from support.fake_statistics import FakeStatistics, camera, camera_later, fusion, fusion_later
from support.terminal import Terminal


@pytest.fixture
def start(folder):
    """Start a process; numbers count from 4,000,001 on, which no process has."""
    running = []

    def call(*looks, pid=None, kind=FakeStatistics):
        one = kind(folder, pid or 4_000_001 + len(running), *looks)
        running.append(one)
        return one

    yield call
    for one in running:
        one.close()


@pytest.fixture
def once(takt, monkeypatch):
    """Run `takt top --once` without the wait between the two looks."""
    monkeypatch.setattr("takt_cli.top.printed.two_looks.__defaults__", (lambda _: None,))
    return lambda *arguments: takt("top", "--once", *arguments)


@pytest.fixture
def terminal(start, folder):
    """Run `takt top` on a terminal of its own, beside two processes whose figures grow."""
    opened = []

    def call(columns=80, lines=24, processes=True, **environment):
        if processes:
            start(camera(), camera_later(), pid=4710)
            start(fusion(), fusion_later(), pid=4711)
        one = Terminal(["top", "--interval", "200ms"], columns, lines, environment)
        opened.append(one)
        return one

    yield call
    for one in opened:
        one.close()
