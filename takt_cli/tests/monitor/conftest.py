"""Fixtures: fake processes, and monitors that end with the test."""

import pytest
from support.closing import each_closed, each_numbered
from support.fake_alarms import FakeWatched, InThread, Program
from takt_cli.verbs.monitor import watched


@pytest.fixture
def start(folder):
    """Start a process that `takt monitor` watches."""
    with each_numbered(lambda pid, name="fusion": FakeWatched(folder, pid, name)) as call:
        yield call


@pytest.fixture
def one(start):
    return start()


@pytest.fixture
def monitor(folder, tmp_path):
    """Start a monitor in a thread of this process."""

    def make(**settings):
        return InThread(folder=tmp_path / "snapshots", **settings)

    with each_closed(make, close=InThread.end) as call:
        yield call


@pytest.fixture
def program(folder):
    """Start a monitor as a program."""
    with each_closed(Program) as call:
        yield call


@pytest.fixture
def hasty(monkeypatch):
    monkeypatch.setattr(watched, "ANSWER_S", 0.3)
    monkeypatch.setattr(watched, "POLL_S", 0.05)
