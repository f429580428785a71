"""`takt set`, `status`, `top` and `trace` on a compiled rclcpp program, which knows no takt."""

import json
import os
import subprocess

import pytest
from support.built import need
from support.watched import HEAD, WATCHED, Watched, rules, starting, wait_for
from takt_cli.base.programs import find_program

pytestmark = WATCHED
NUMBERS = "/watched:sub(/numbers)"
TIMER = "/watched:timer(20ms)"
SCHEDULE = (
    f"{HEAD}\n    threads: {{one: {{}}, two: {{}}}}\n    default: one\n"
    + rules(f'match: "{TIMER}", threads: one', f'match: "{NUMBERS}", threads: one')
    + f'chains:\n  numbers:\n    path: ["{TIMER}", "{NUMBERS}"]\n    priority: 50\n'
    "    deadline: 10s\n"
)
LINES = ("pub /numbers 1 100 reliable", "sub /numbers 100 reliable", "timer 20", "service")


@pytest.fixture
def program(tmp_path):
    """A chain: its timer publishes what its subscription takes."""
    with starting() as start:
        watched = start(Watched(tmp_path, SCHEDULE, 2, LINES))
        watched.tell("on timer /numbers")
        wait_for(lambda: watched.runs("/numbers") > 0)
        yield watched


def status(program):
    """Give callbacks, chains and threads as `takt status` reads them back, each by its name."""
    (process,) = program.takt("status", "--json")["processes"]
    (executor,) = process["executors"]
    return (
        {one["id"]: one for one in executor["callbacks"]},
        {one["name"]: one for one in executor["chains"]},
        {one["name"]: one for one in executor["threads"]},
    )


def runs_on(program):
    """Give the thread on which the subscription runs now."""
    for thread in program.executor()["threads"]:
        if thread["running"] and thread["running"]["callback"] == NUMBERS:
            return thread["name"]
    return None


def test_priorities_and_threads_are_changed_while_it_runs_and_read_back(program):
    def change(*words):
        done = program.takt("set", *words, "--json")
        assert (done["ok"], len(done["processes"])) == (True, 1), done
        return status(program)

    callbacks, chains, threads = status(program)
    assert (callbacks[NUMBERS]["priority"], callbacks[NUMBERS]["threads"]) == (50, ["one"])
    callbacks, chains, threads = change("chain", "numbers", "priority", "120")
    assert chains["numbers"]["priority"] == 120
    assert callbacks[NUMBERS]["priority"] == callbacks[TIMER]["priority"] == 120
    callbacks, chains, threads = change("callback", NUMBERS, "priority", "200")
    assert (callbacks[NUMBERS]["priority"], callbacks[TIMER]["priority"]) == (200, 120)
    assert program.callback("sub(/numbers)")["effective_priority"] == 200
    callbacks, chains, threads = change("callback", NUMBERS, "priority", "none")
    assert callbacks[NUMBERS]["priority"] == 120

    callbacks, chains, threads = change("callback", NUMBERS, "threads", "two")
    assert callbacks[NUMBERS]["threads"] == ["two"]
    assert program.callback("sub(/numbers)")["threads"] == ["two"]
    program.tell("sleep /numbers")
    assert wait_for(lambda: runs_on(program)) == "two"
    program.tell("free /numbers")

    # The callbacks for events of its subscription went with it, or this would be refused.
    callbacks, chains, threads = change("thread", "two", "nice", "7")
    assert threads["two"]["now"]["nice"] == 7
    assert os.getpriority(os.PRIO_PROCESS, threads["two"]["tid"]) == 7
    before = program.runs("/numbers")
    wait_for(lambda: program.runs("/numbers") > before + 10)


def test_top_shows_its_callbacks_chains_and_threads(program):
    # Each rate is of two looks, and the first callbacks are known from the first look on.
    shown = program.takt("top", "--once", "--json", "--interval", "500ms")
    assert shown["ok"], shown
    (process,) = shown["processes"]
    assert process["program"].endswith("/adopted_program")
    assert process["rmw"] != ""
    callbacks = {one["id"]: one for one in shown["callbacks"]}
    assert {NUMBERS, TIMER, "/watched:service(/ask)", "/watched:client(/ask)"} <= set(callbacks)
    numbers = callbacks[NUMBERS]
    assert (numbers["kind"], numbers["chains"], numbers["depth"]) == (
        "subscription", ["numbers"], 100,
    )  # fmt: skip
    assert numbers["last"]["rate_hz"] > 0
    assert numbers["last"]["arrivals_hz"] > 0
    (chain,) = shown["chains"]
    assert (chain["name"], chain["path"]) == ("numbers", [TIMER, NUMBERS])
    assert chain["deadline_ns"] == 10_000_000_000
    assert chain["last"]["rate_hz"] > 0
    assert {one["name"] for one in shown["threads"]} == {"one", "two"}
    table = program.takt_output("top", "--once", "--interval", "500ms")
    assert "numbers" in table
    assert NUMBERS in table


@need(("takt_trace", "takt_trace"))
def test_a_trace_with_cpu_times_and_the_kernels_figures_is_split_into_parts(program):
    program.tell("work /numbers 500")
    done = program.takt(
        "trace", "record", "--duration", "2s", "--cpu", "--kernel", "--format", "takt",
        "-o", "robot.takttrace", "--json",
    )  # fmt: skip
    assert done["ok"], done
    converter = find_program("takt_trace", "takt_trace")
    said = subprocess.run(
        [converter, "report", program.folder / "robot.takttrace"],
        capture_output=True, check=True,
    )  # fmt: skip
    report = json.loads(said.stdout)
    (process,) = report["processes"]
    assert (process["pid"], process["dropped"]) == (program.pid, 0)
    assert report["measured"] == {"cpu": True, "kernel": True}
    callbacks = {one["id"]: one for one in report["callbacks"]}
    for id_ in (NUMBERS, TIMER):
        assert callbacks[id_]["count"] > 5
        assert callbacks[id_]["cpu"]["count"] == callbacks[id_]["count"]
    assert callbacks[NUMBERS]["cpu"]["min_ns"] >= 500_000
    (chain,) = report["chains"]
    assert (chain["name"], chain["path"]) == ("numbers", [TIMER, NUMBERS])
    assert chain["activations"] > 5
    for worst in chain["worst"]:
        assert [step["callback"] for step in worst["steps"]] == [TIMER, NUMBERS]
        assert sum(worst["split"].values()) == pytest.approx(worst["response_ns"], rel=0.02)
        assert worst["split"]["ran_ns"] >= 500_000
    program.takt("report", "robot.takttrace", "-o", "page.html")
    page = (program.folder / "page.html").read_text(encoding="utf-8")
    assert NUMBERS in page


@pytest.mark.parametrize("threads", [1, 3])
def test_a_template_of_a_program_without_a_schedule_changes_nothing(tmp_path, threads):
    with starting() as start:
        program = start(Watched(tmp_path, "", threads, LINES))
        program.takt_output("template", "-o", "t.yaml")
        counts = program.takt("apply", "t.yaml", "--json")["counts"]
        assert {name for name, count in counts.items() if count} == {"unchanged"}
        names = [one["name"] for one in program.executor()["threads"]]
        assert len(set(names)) == threads, names
