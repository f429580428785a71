"""Fixtures: an install prefix with stand-ins, and a way to run whole commands."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support import fake_programs
from support.patience import PATIENCE_S, PatientLine
from takt_cli.__main__ import run
from takt_cli.control import client, processes
from takt_cli.running.host import measure_host
from takt_cli.running.several_runs import run_all

# A run of a moment waits more than it works.
_SIDE_BY_SIDE = 6

Takt = Callable[..., SimpleNamespace]


@pytest.fixture(scope="session")
def fake_prefix(tmp_path_factory):
    return fake_programs.install(tmp_path_factory.mktemp("prefix"))


@pytest.fixture
def fakes(fake_prefix, monkeypatch, tmp_path):
    """Only stand-ins can be found, and nothing is written outside the test's directory."""
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(fake_prefix))
    monkeypatch.setenv("TAKT_INSTALL", "")
    monkeypatch.setenv("TAKT_BUILD", "")
    monkeypatch.chdir(tmp_path)
    return fake_prefix


@pytest.fixture
def nothing_built(monkeypatch, tmp_path):
    for name in ("AMENT_PREFIX_PATH", "TAKT_INSTALL", "TAKT_BUILD"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("TAKT_ROOT", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of the sockets; the kernel tells no numbers, as of processes in a container."""
    place = tmp_path / "r"
    place.mkdir()
    monkeypatch.setenv("TAKT_RUNTIME_DIR", str(place))
    monkeypatch.setattr(client, "peer_of", lambda connection: client.Peer(0, os.geteuid()))
    monkeypatch.chdir(tmp_path)
    return place


@pytest.fixture
def patient(monkeypatch):
    """Wait for stand-ins until they answer, and give up at once on those that hang."""
    monkeypatch.setattr(client, "Line", PatientLine)


@pytest.fixture
def hasty(patient, monkeypatch):
    """Likewise, and let no process be late because the machine is busy."""
    monkeypatch.setattr(processes, "ANSWER_S", PATIENCE_S)
    monkeypatch.setattr(processes, "CHANGE_S", PATIENCE_S)


@pytest.fixture(scope="session")
def machine():
    """What takt_measure_host says, asked once."""
    return functools.cache(measure_host)


@pytest.fixture
def unmeasured(monkeypatch, machine):
    """Runs of a study side by side, and the machine measured once: where no figure counts."""

    def side_by_side(planned):
        with ThreadPoolExecutor(_SIDE_BY_SIDE) as pool:
            return list(pool.map(lambda item: run_all([item])[0], planned))

    for module in ("demo.command", "experiment.graph_studies"):
        monkeypatch.setattr(f"takt_cli.verbs.{module}.run_all", side_by_side)
    for verb in ("demo", "host"):
        monkeypatch.setattr(f"takt_cli.verbs.{verb}.command.measure_host", lambda: machine())


@pytest.fixture
def takt(capfd) -> Takt:
    """Run a command line in this process; gives exit code, standard output and error."""

    def call(*arguments: object) -> SimpleNamespace:
        capfd.readouterr()
        code = run([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return SimpleNamespace(code=code, out=captured.out, err=captured.err)

    return call
