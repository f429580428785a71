"""`-` as the name of a file: standard input."""

import io
import json
import shlex
from pathlib import Path

import pytest
import yaml
from support.built import CHECK, PLAN, SIMULATE, WORKLOAD, need
from takt_cli.base.processes import SPELLED, respelled
from takt_cli.files import standard_input
from takt_cli.files.graphs import resolve_graph

MODELS = Path(__file__).resolve().parents[3] / "takt_plan/models"
SCHEDULE = """version: 1
executors:
  main:
    order: priority
    threads:
      rest: {}
    default: rest
"""


@pytest.fixture
def piped(monkeypatch):
    """Give a text to standard input."""

    def give(text):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    return give


def test_it_is_kept_while_the_command_runs_and_read_once(piped, takt):
    piped("name: x")
    file = resolve_graph("-")
    assert file.read_text() == "name: x"
    assert respelled(f"{file}:1:1: wrong") == "standard input:1:1: wrong"
    with pytest.raises(Exception, match="standard input can be read once"):
        resolve_graph("-")
    assert takt("--version").code == 0
    assert not file.exists()
    assert not SPELLED


def test_more_than_a_file_may_have_is_refused(piped, monkeypatch):
    monkeypatch.setattr(standard_input, "_MOST_BYTES", 3)
    piped("name")
    with pytest.raises(Exception, match="standard input is longer than 0 MiB"):
        standard_input.standard_input()


@need(*CHECK)
def test_check_names_it_in_faults(takt, piped):
    piped(SCHEDULE)
    assert takt("check", "-").out.startswith("standard input: good\n")
    piped(SCHEDULE.replace("priority", "prioritx"))
    said = takt("check", "-")
    assert said.code == 2
    assert "standard input:4:12: order cannot be 'prioritx'" in said.out + said.err
    assert takt("check", "autoware_takt").out.startswith("autoware_takt: good\n")


@need(*PLAN, *SIMULATE)
@pytest.mark.skipif(not MODELS.is_dir(), reason="takt_plan/ is not in this checkout")
def test_plans_go_from_one_command_to_the_next(takt, piped, tmp_path):
    model = (MODELS / "three_chains.yaml").read_text()
    piped(model)
    made = takt("plan", "-", "--time", "0s", "-o", tmp_path / "plan.yaml")
    assert made.code == 0, made.err
    assert made.out.startswith("standard input, planner takt")
    text = (tmp_path / "plan.yaml").read_text()
    assert "takt-" not in text
    assert "system" not in yaml.safe_load(text)
    piped(model)
    assert takt("plan", "-", "--time", "0s").out == text
    for line in ("explain - --system three_chains --json", "simulate three_chains - --json"):
        piped(text)
        said = takt(*shlex.split(line))
        assert said.code == 0, said.err
        assert json.loads(said.out)["chains"]


@need(*PLAN, *CHECK)
@pytest.mark.skipif(not MODELS.is_dir(), reason="takt_plan/ is not in this checkout")
def test_the_model_that_it_names_is_in_the_current_folder(takt, piped, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "car.yaml").write_text((MODELS / "three_chains.yaml").read_text())
    text = takt("plan", "car.yaml", "--time", "0s", "--cpus", "0").out
    assert "\nsystem: car.yaml" in text
    for command in ("explain", "check"):
        piped(text)
        said = takt(command, "-")
        assert said.code == 0, said.err
        assert "car.yaml" not in said.err
    assert "checked against the system model car.yaml\n" in said.out


@need(*WORKLOAD)
def test_graph_and_schedule_cannot_both_be_it(takt, piped, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    piped(SCHEDULE)
    said = takt("run", "-", "--schedule", "-")
    assert said.code == 2
    assert "two files are '-', and standard input can be read once; name a file" in said.err


def test_a_configuration_is_imported_from_it(takt, piped):
    piped("callback_groups: []\nnon_ros_threads: 7\n")
    said = takt("import", "cie", "-")
    assert said.code == 2
    assert "standard input:2:" in said.err
