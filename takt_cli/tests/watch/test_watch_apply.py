"""`takt apply` gives a running process the watch rules of another schedule."""

import json
import subprocess
import sys

import pytest
from support.built import WORKLOAD, need
from support.private import private
from support.running_graph import answer, running_graph
from support.watched import ONE_THREAD, WATCHED, Watched, rules, starting, wait_for
from takt_cli.control.frames import Message

pytestmark = pytest.mark.alone
HEAD = """version: 1
executors:
  main:
    order: window
    threads:
      main: {count: 1}
    default: main
"""
RULE = """    callbacks:
      - {match: "/callback_1:timer(**)", budget: 1ns, on_alarm: [publish]}
"""
TIMER = "/callback_1:timer(300ms)"


def takt(folder, *words):
    """Run a command of takt; gives what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "takt_cli", *map(str, words)],
        env=private(folder), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def outcomes(document):
    """Give what became of each entry about watching."""
    (process,) = document["processes"]
    (executor,) = process["executors"]
    return {
        part["what"]: part["outcome"]
        for part in executor["parts"]
        if part["what"].startswith("watch")
    }


@need(*WORKLOAD)
def test_watch_rules_of_a_schedule_take_effect_in_a_running_process(tmp_path):
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    first.write_text(HEAD)
    second.write_text(HEAD + RULE + "watch: {period: 20ms}\n")
    arguments = ("three_chains", "--schedule", first, "--duration", "5min", "--work-scale", "0.1")
    with running_graph(tmp_path, *arguments, processes=1) as (socket,):

        def timer():
            (executor,) = answer(socket, Message.statistics)["executors"]
            return next((one for one in executor["callbacks"] if one["id"] == TIMER), None)

        def alarms():
            return answer(socket, Message.subscribe)["active"]

        before = wait_for(lambda: (one := timer()) and one["starts"] and one)
        assert (before["budget_ns"], before["overruns"], alarms()) == (None, 0, [])

        would = json.loads(takt(tmp_path, "apply", second, "--dry-run", "--json"))
        assert outcomes(would) == {f"watching of {TIMER}": "applied", "watch": "applied"}
        assert timer()["budget_ns"] is None

        said = takt(tmp_path, "apply", second)
        assert f"watching of {TIMER}: applied" in said
        seen = wait_for(lambda: (one := timer())["overruns"] and one)
        assert seen["budget_ns"] == 1
        assert seen["starts"] >= before["starts"], "counts go on"
        (alarm,) = wait_for(alarms)
        assert (alarm["kind"], alarm["callback"]) == ("overrun", TIMER)
        assert alarm["actions"] == [{"publish": True}]
        again = json.loads(takt(tmp_path, "apply", second, "--json"))
        assert outcomes(again) == {f"watching of {TIMER}": "unchanged", "watch": "unchanged"}

        # A schedule without keys for watching leaves them alone, and says so.
        assert "watching: unchanged: the file has no key" in takt(tmp_path, "apply", first)
        assert timer()["budget_ns"] == 1

        # One that has other keys takes the rule away: its alarm is cleared.
        other = tmp_path / "other.yaml"
        other.write_text(HEAD + "watch: {period: 50ms}\n")
        gone = json.loads(takt(tmp_path, "apply", other, "--json"))
        assert outcomes(gone) == {f"watching of {TIMER}": "applied", "watch": "applied"}
        wait_for(lambda: not alarms())
        assert timer()["budget_ns"] is None

        takt(tmp_path, "apply", second)
        wait_for(alarms)
        assert "watch: applied" in takt(tmp_path, "reset", "--verbose")
        wait_for(lambda: not alarms())


class TestUnmodified:
    """A compiled rclcpp program that knows nothing of takt."""

    pytestmark = WATCHED

    def test_its_watch_rules_change_while_it_runs(self, tmp_path):
        name = "/watched:sub(/numbers)"
        rule = rules(f'match: "{name}", backlog: 3, on_alarm: [publish]')
        file = tmp_path / "second.yaml"
        file.write_text(ONE_THREAD + rule + "watch: {period: 20ms}\n")
        lines = ("pub /numbers 1 1000 reliable", "sub /numbers 100 reliable")
        with starting() as start:
            program = start(Watched(tmp_path, ONE_THREAD, 1, lines))
            program.tell("burst /numbers 1")
            wait_for(lambda: program.runs("/numbers") == 1, "it is not matched")
            program.tell("sleep /numbers")
            program.tell("burst /numbers 11")
            wait_for(lambda: program.callback("sub(/numbers)")["waiting"] == 10)
            assert program.alarms.all == []
            takt(tmp_path, "apply", file)
            alarm = program.alarms.wait("backlog")
            assert (alarm["callback"], alarm["value"], alarm["limit"]) == (name, 10, 3)
            file.write_text(ONE_THREAD + "watch: {period: 20ms}\n")
            takt(tmp_path, "apply", file)
            program.alarms.wait("backlog", "cleared")
            program.tell("free /numbers")
