"""Fixtures: fake processes, and monitors that end with the test."""

import pytest
from support.fake_alarms import FakeWatched, InThread, Program
from takt_cli.monitor import watched


@pytest.fixture
def start(folder):
    running = []

    def call(name="fusion", pid=None):
        one = FakeWatched(folder, pid or 4_000_001 + len(running), name)
        running.append(one)
        return one

    yield call
    for one in running:
        one.close()


@pytest.fixture
def monitor(folder, tmp_path):
    running = []

    def call(**settings):
        one = InThread(folder=tmp_path / "snapshots", **settings)
        running.append(one)
        return one

    yield call
    for one in running:
        one.end()


@pytest.fixture
def program(folder):
    running = []

    def call(*arguments, **more):
        one = Program(*arguments, **more)
        running.append(one)
        return one

    yield call
    for one in running:
        if one.process.poll() is None:
            one.process.kill()
        one.process.wait()
        one.process.stdout.close()
        one.process.stderr.close()


@pytest.fixture
def hasty(monkeypatch):
    monkeypatch.setattr(watched, "ANSWER_S", 0.3)
    monkeypatch.setattr(watched, "POLL_S", 0.05)
