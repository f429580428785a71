"""The checked-in files are what the oracle says now, and a reader gets the same scenario back."""

import json

import pytest

from takt_oracle import ScenarioError, golden, simulate
from takt_oracle.cli import main
from takt_oracle.engine import Engine
from takt_oracle.random_scenarios import DEPTH, random_scenarios
from takt_oracle.scenario_io import FORMAT, scenario_from_json

SCENARIOS = golden.replay_scenarios()


def test_the_golden_files_are_up_to_date() -> None:
    assert golden.differing() == [], "run: python -m takt_oracle golden --write"


def test_the_golden_files_stay_small() -> None:
    assert sum(f.stat().st_size for f in golden.DIRECTORY.rglob("*.json")) < 1_500_000


@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_a_replay_file_alone_is_enough_to_get_its_starts(name: str) -> None:
    data = json.loads((golden.DIRECTORY / "replay" / f"{name}.json").read_text(encoding="utf-8"))
    assert data["format"] == FORMAT
    scenario = scenario_from_json(data["scenario"])
    assert scenario == SCENARIOS[name][1]
    starts = [[s.start, s.callback, s.release, s.thread] for s in simulate(scenario).starts]
    assert starts == data["expected"]["starts"]
    assert starts, "a golden file without starts tests nothing"
    assert all(start[0] < scenario.horizon_ns for start in starts)


def test_no_random_golden_overwrites_messages() -> None:
    """So that a replay does not also test the history depth."""
    for name, scenario in random_scenarios().items():
        engine = Engine(scenario)
        engine.run(scenario.horizon_ns)
        assert all(cb.most_pending <= DEPTH for cb in engine.callbacks), name
        assert all(cb.overwritten == 0 for cb in engine.callbacks), name


def test_faults_of_a_scenario_are_listed_together() -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario_from_json(
            {
                "callbacks": [
                    {"id": "a", "kind": "timer", "cost_ns": 0, "group": "g"},
                    {"id": "a", "kind": "subscription", "cost_ns": 1, "group": "g"},
                ],
                "executors": [{"order": "random"}],
                "horizon_ns": 1,
            }
        )
    for fault in ("unknown order", "duplicate id", "cost", "period", "subscribes"):
        assert fault in str(caught.value)


def test_topics_in_a_cycle_are_refused() -> None:
    loop = [
        {
            "id": i,
            "kind": "subscription",
            "cost_ns": 1,
            "group": i,
            "subscribes": s,
            "publishes": [p],
        }
        for i, s, p in (("a", "x", "y"), ("b", "y", "x"))
    ]
    with pytest.raises(ScenarioError, match="cycle"):
        scenario_from_json({"callbacks": loop, "executors": [{}], "horizon_ns": 1})


def test_the_command_prints_all_six_configurations(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["three_chains", "--cost", "10ms", "--cores", "2", "--json"]) == 0
    reports = json.loads(capsys.readouterr().out)
    assert len(reports) == 6
    single = reports["SingleThread"]["chains"]["c1>c2>c3"]
    assert single["steady_from_release_ns"] == [70_000_000]


def test_the_command_replays_a_golden_file(capsys: pytest.CaptureFixture[str]) -> None:
    path = golden.DIRECTORY / "replay" / "demonstration_timer_delay_fifo.json"
    assert main(["run", str(path), "--json"]) == 0
    expected = json.loads(path.read_text(encoding="utf-8"))["expected"]
    assert json.loads(capsys.readouterr().out) == expected
