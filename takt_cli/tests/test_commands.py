"""Whole commands against stand-ins for the C++ programs."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.synthetic import results
from takt_cli.app import app_for
from takt_cli.base.errors import TaktError
from takt_cli.results.results_file import parse_results
from takt_cli.running.busy_cores import hogs
from takt_cli.running.middleware import check_middleware
from takt_cli.verbs.known import program_of, said_of, verbs
from takt_cli.verbs.renamed import renew
from takt_cli.verbs.run.printed import defaulted_line
from typer.main import get_command

VERBS = verbs()


def test_version_and_help(takt):
    assert takt("--version").out.startswith("takt 0.")
    assert "executors" in takt("experiment", "--help").out
    assert takt("-h").out == takt("--help").out
    assert (takt().code, takt().out) == (2, takt("--help").out)


def test_help_shows_every_command_once_in_its_panel(takt):
    lines = takt("--help").out.splitlines()
    assert max(map(len, lines)) <= 80
    shown = [line.split()[0] for line in lines if re.match(r"  [a-z]+  ", line)]
    hidden = [name for name in VERBS if said_of(name, "HIDDEN")]
    assert sorted([*shown, *hidden]) == VERBS
    listed = get_command(app_for(())).commands
    assert [name for name in VERBS if listed[name].hidden] == hidden
    panels = [line for line in lines if re.fullmatch(r"[A-Z][a-z]+:", line)]
    assert panels == ["Run:", "See:", "Plan:", "Change:", "Machine:"]


def test_help_loads_no_command_and_no_parser():
    script = """
import atexit, runpy, sys
atexit.register(lambda: print("loaded:", *sys.modules))
sys.argv = ["takt", "--help"]
runpy.run_module("takt_cli", run_name="__main__", alter_sys=True)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    loaded = done.stdout.partition("loaded:")[2].split()
    assert done.stdout.startswith("Usage: takt")
    assert "takt_cli.usage" in loaded
    assert not {"typer", "takt_cli.app", "takt_cli.verbs"} & set(loaded)


def completed(shell, line):
    """What `takt` answers to a shell whose user has typed this and presses the tab key."""
    asked = {"_TAKT_COMPLETE": f"complete_{shell}"}
    if shell == "bash":
        words = line.split(" ")
        asked |= {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    else:
        asked |= {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    done = subprocess.run(
        [sys.executable, "-m", "takt_cli"], env=os.environ | asked, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands_and_options(takt, shell):
    script = takt("completion", shell).out
    assert f"complete_{shell}" in script
    assert completed(shell, "takt sta").count("status") == 1
    assert "snapshot" in completed(shell, "takt trace s")
    assert "--schedule" in completed(shell, "takt run --sch")
    assert "rate-monotonic" in completed(shell, "takt plan a.yaml --planner ra")


def test_bash_completes_with_the_script(takt, tmp_path):
    (tmp_path / "takt").write_text(f'#!/bin/sh\nexec {sys.executable} -m takt_cli "$@"\n')
    (tmp_path / "takt").chmod(0o755)
    press = 'COMP_WORDS=(takt st); COMP_CWORD=1; _takt_completion takt; echo "${COMPREPLY[@]}"'
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", f"{takt('completion', 'bash').out}{press}"],
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("status\n", "")


def test_an_unknown_graph_is_one_message_with_the_known_ones(takt, fakes):
    said = takt("run", "autoware")
    assert said.code == 2
    assert said.out == ""
    lines = said.err.strip().splitlines()
    assert "unknown graph 'autoware'" in lines[0]
    for name in ("autoware_reference", "four_chains", "three_chains"):
        assert name in said.err


def test_nothing_built_says_what_to_do(takt, nothing_built, tmp_path):
    (tmp_path / "g.yaml").write_text("version: 1\n")
    for command in (["run", "g.yaml"], ["check", "g.yaml"], ["bench"], ["simulate", "s", "g.yaml"]):
        said = takt(*command)
        assert said.code == 2
        assert "make build" in said.err
        assert "Traceback" not in said.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "missing.yaml"], "missing.yaml: cannot be read: No such file"),
        (["run", "three_chains", "--duration", "soon"], "is not a duration"),
        (["run", "three_chains", "--duration", "0s"], "too short"),
        (["run", "three_chains", "--phases", "random"], "unknown phases"),
        (["run", "three_chains", "--phases", f"random:{2**64}"], f"range 0 to {2**64 - 1}"),
        (["run", "three_chains", "--phases", "random:" + "9" * 5000], "range 0 to"),
        (["run", "three_chains", "--phases", "random:²"], "unknown phases"),
        (["run", "three_chains", "--seed", f"{2**64}"], f"{2**64 - 1}"),
        (["experiment", "executors", "--seed", f"{2**64}"], f"{2**64 - 1}"),
        (["run", "three_chains", "--schedule", "nosuch"], "unknown schedule 'nosuch'"),
        (["run", "three_chains", "--order", "lifo"], "takt: --order: 'lifo' is not one of 'prio"),
        (
            ["run", "three_chains", "--seed", "x"],
            "takt: --seed: 'x' is not a whole number from 0 to",
        ),
        (
            ["run", "three_chains", "--seed=-1"],
            "takt: --seed: '-1' is not a whole number from 0 to",
        ),
        (["run", "three_chains", "--threads", "abc"], "'abc' is not a whole number from 1 to 63"),
        (["run", "three_chains", "--threads", "64"], "'64' is not a whole number from 1 to 63"),
        (
            ["run", "three_chains", "--work-scale", "x"],
            "--work-scale: 'x' is not a number from 0 to",
        ),
        (["run", "three_chains", "--work-scale", "1001"], "'1001' is not a number from 0 to 1000"),
        (["run", "three_chains", "--work-scale", "nan"], "'nan' is not a number from 0 to 1000"),
        (["experiment", "hot-path", "--runs", "0"], "--runs: '0' is not a whole number from 1 on"),
        (
            ["check", "autoware_takt", "--core-count", "0,1"],
            "'0,1' is not a whole number from 1 to 65536",
        ),
        (["run", "three_chains", "--thread", "2"], "no such option of takt run '--thread'"),
        (["run"], "takt: Missing argument"),
        (["graph", "bla", "three_chains"], "takt: QUESTION: 'bla' is not one of 'ids'"),
        (["run", "three_chains", "-o", "a.json", "--records", "a.json"], "the same file"),
        (["experiment", "executors", "--samples", "50", "--duration", "1s"], "give one of them"),
        (["experiment", "executors", "--quick", "--duration", "9s"], "--quick and --duration say"),
        (["experiment", "hot-path", "--samples", "50", "--quick"], "--quick and --samples say"),
        (["experiment", "binding", "--core-count", "4096"], "--core-count 4096"),
        (["experiment", "executors", "--cost", "0ms"], "--cost 0ms is too short"),
        (["experiment", "executors", "--period", "1ms"], "--period 1ms is too short"),
        (
            ["demo", "--core-count", "4096"],
            "--core-count 4096 is a number of cores, and this process may use 1 to ",
        ),
        (
            ["demo", "--core-count", "0"],
            "--core-count 0 is a number of cores, and this process may use 1 to ",
        ),
        (["demo", "--cpus", "0-4096"], "is not usable here; usable are "),
        (["demo", "--core-count", "many"], "'many' is not a number of cores, as in 2"),
        (["demo", "--cpus", "many"], "'many' is not a list of cores like 0,2-3"),
        (["demo", "--cpus", "0", "--core-count", "1"], "both say which cores; give one"),
        (["bench", "--only", "("], "'(' is not a regular expression"),
        (["report", "missing.json"], "cannot be read"),
        (["run", "three_chains", "--match-timeout", "0s"], "--match-timeout 0s is too short"),
        (["run", "three_chains", "--warmup", "x"], "--warmup: 'x' is not a duration"),
        (["demo", "--duration", "1h"], "--duration: '1h' has the unknown unit 'h'; write 60min"),
        (["bench", "--min-time", "x"], "--min-time: 'x' is not a duration"),
        (["bench", "--min-time", "x", "--list"], "--min-time: 'x' is not a duration"),
        (["bench", "--min-time", "0s", "--list"], "--min-time 0s is too short; take at least 1ms"),
        (["bench", "--only", "nomatch"], "no benchmark matches --only 'nomatch'"),
        (["bench", "dispatch", "--only", "nomatch", "--json"], "no benchmark matches --only"),
        (["run", "three_chains", "--schedule", "autoware_takt", "--order", "edf"], "--order and"),
        (["run", "three_chains", "--schedule", "autoware_takt", "--threads", "2"], "--threads and"),
        (["run", "three_chains", "-o", "-", "--json"], "-o - and --json both print a document"),
        (["run", "three_chains", "--records", "-"], "'-' names no file; /dev/stdout"),
        (["demo", "-o", "-"], "'-' names no file"),
        (["run", "/"], "/ is a directory; name a graph file"),
        (
            ["check", "autoware_takt", "--against", "three_chains", "--system", "s.yaml"],
            "--against and --system both name the callbacks",
        ),
        (["check", "/"], "/ is a directory; name a schedule file"),
        (
            ["simulate", "s.yaml", "autoware_takt", "--runs", "0"],
            "'0' is not a whole number from 1",
        ),
        (["simulate", "s.yaml", "autoware_takt", "--phases", "any"], "'any' is not one of 'fixed'"),
        (["simulate", "s.yaml", "autoware_takt", "--duration", "0s"], "--duration 0s is too short"),
        (["simulate", "s.yaml", "nosuch"], "unknown schedule 'nosuch'"),
        (["frobnicate"], "takt: no such command 'frobnicate'"),
        (["import", "cie", "nosuch.yaml"], "nosuch.yaml: cannot be read: No such file"),
        (["run", "three_chains", "--duration", "10 s"], "--duration: '10 s' is not a duration"),
        (["run", "three_chains", "--duration", "１０s"], "--duration: '１０s' is not a duration"),
        (["run", "three_chains", "--duration", "9" * 400 + "s"], "is longer than 292 years"),
        (["run", "three_chains", "--threads", "２"], "'２' is not a whole number from 1 to 63"),
        (["run", "three_chains", "--threads", " 2"], "' 2' is not a whole number from 1 to 63"),
        (["run", "three_chains", "--seed", "1_0"], "'1_0' is not a whole number"),
        (["run", "three_chains", "--work-scale", "٢"], "'٢' is not a number from 0 to 1000"),
        (["run", "three_chains", "--cpus", "0,0"], "--cpus 0,0: core 0 is named twice"),
        (["run", "three_chains", "--cpus", "1-0"], "'1-0' is not a list of cores like 0,2-3"),
        (["run", "three_chains", "--cpus", "０"], "'０' is not a list of cores like 0,2-3"),
        (["demo", "--cpus", "0-0,0"], "--cpus 0-0,0: core 0 is named twice"),
        (["calibrate", "--percentile", "９９"], "'９９' is not a number from 0 to 100"),
    ],
)
def test_wrong_input_exits_with_2_and_a_sentence(takt, fakes, arguments, words):
    said = takt(*arguments)
    assert said.code == 2
    assert words in said.err
    assert "takt: " in said.err
    for frame in ("Usage:", "Input should", "─"):
        assert frame not in said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("hlep", "no such command 'hlep'; did you mean '--help'?"),
        ("stauts --json", "no such command 'stauts'; did you mean 'status'?"),
        ("snap", "no such command 'snap'"),
        ("trace recrod", "no such command of takt trace 'recrod'; did you mean 'record'?"),
        ("import agnocats", "no such command of takt import 'agnocats'; did you mean 'agnocast'?"),
        ("--versoin", "no such option '--versoin'; did you mean '--version'?"),
        ("doctor --bogus", "no such option of takt doctor '--bogus'"),
        # never the option that replaces files
        ("plan x.yaml --cores 0", "no such option of takt plan '--cores'; did you mean '--cpus'?"),
        ("trace record --core 0", "no such option of takt trace record '--core'"),
        ("doctor --udno", "no such option of takt doctor '--udno'; did you mean '--undo'?"),
        ("status --jsno", "no such option of takt status '--jsno'; did you mean '--json'?"),
        ("trace record --outptu=x", "trace record '--outptu'; did you mean '--output'?"),
        ("run three_chains -q", "no such option of takt run '-q'"),
    ],
)
def test_a_slip_is_answered_with_the_word_that_was_meant(takt, words, answer):
    said = takt(*words.split())
    assert (said.code, said.out) == (2, "")
    first, second = said.err.splitlines()
    assert first.startswith("takt: ") and first.endswith(answer)
    assert second.endswith(" --help` lists them")


@pytest.mark.parametrize("group", ["import", "trace", "set"])
def test_a_group_of_commands_alone_prints_its_help(takt, group):
    said = takt(group)
    assert said.code == 2
    assert f"Usage: takt {group} [OPTIONS] COMMAND" in said.out + said.err


@pytest.mark.parametrize("name", [name for name in VERBS if not program_of(name)])
def test_help_has_its_defaults_in_one_pair_of_brackets_and_80_columns(takt, name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    said = takt(name, "--help")
    assert said.code == 0
    assert "[default: (" not in " ".join(said.out.split())
    assert not re.search("<(str|bool|int|Path)>", said.out)
    assert max(map(len, said.out.splitlines())) <= 80


def test_a_command_that_is_loaded_alone_is_the_one_among_all():
    everything = get_command(app_for(())).commands
    assert set(everything) == set(VERBS)  # typer lists groups last
    for name in everything:
        alone = get_command(app_for([name, "--help"])).commands
        assert list(alone) == [name]
        assert [p.opts for p in alone[name].params] == [p.opts for p in everything[name].params]


@pytest.mark.parametrize("name", ["status", "top", "check", "plan", "explain", "doctor"])
def test_a_command_starts_without_what_only_others_need(name):
    script = f"""
import atexit, runpy, sys
atexit.register(lambda: print("loaded:", *sys.modules))
sys.argv = ["takt", "{name}", "--help"]
runpy.run_module("takt_cli", run_name="__main__", alter_sys=True)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    loaded = done.stdout.partition("loaded:")[2].split()
    assert f"takt_cli.verbs.{name}.command" in loaded
    assert not {"numpy", "takt_cli.verbs.report", "takt_cli.verbs.run"} & set(loaded)


def commands(command, *path):
    """Every command with the words that call it."""
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, *path, name)
    if not hasattr(command, "commands"):
        yield path, command


def emptied():
    """Give a command line for each option and argument that takes a value, with an empty value."""
    for path, command in commands(get_command(app_for(()))):
        before = []  # 'check' is good for all arguments
        for parameter in command.params:
            if parameter.param_type_name == "argument":
                yield [*path, *before, ""], parameter.name.upper()
                before.append("check")
            elif not parameter.is_flag:
                for option in parameter.opts:
                    yield [*path, option, ""], max(parameter.opts, key=len)
                yield [*path, f"{max(parameter.opts, key=len)}="], max(parameter.opts, key=len)


def test_an_empty_value_is_refused_by_every_option_and_argument(takt, fakes, tmp_path):
    lines = list(emptied())
    assert len(lines) > 80
    assert {("run", "--schedule"), ("check", "--against"), ("demo", "-o")} <= {
        (line[0], line[-2]) for line, _ in lines
    }
    for line, name in lines:
        said = takt(*line)
        assert (said.code, said.out) == (2, ""), line
        # How arguments are called is up to their metavar.
        assert re.match(f"takt: ({name}|[A-Z]+) is empty; give it a value", said.err), (line, said)
        assert len(said.err.splitlines()) == 1
    assert takt("report", "a.json", "").err.startswith("takt: RESULTS is empty")
    assert takt("bench", "dispatch", "").err.startswith("takt: NAMES is empty")
    assert takt("run", "").err.startswith("takt: GRAPH is empty")
    assert not list(tmp_path.iterdir())


def test_cores_are_a_number_of_them_or_a_list(takt, fakes, tmp_path):
    first = min(os.sched_getaffinity(0))
    for words, kept in (
        (["--core-count", "1"], "--core-count 1"),
        (["--cpus", f"{first}"], f"--cpus {first}-{first}"),
        (["--cores", "1"], "--core-count 1"),
        ([f"--cores={first}-{first}"], f"--cpus {first}-{first}"),
    ):
        said = takt("demo", "--duration", "1s", *words, "--json", "-o", tmp_path / "d")
        assert said.code == 0, said.err
        assert ("takt: --cores is now" in said.err) == words[0].startswith("--cores")
        summary = json.loads(said.out)
        assert kept in summary["command"]
        schedule = (tmp_path / "d/schedules/autoware_takt.yaml").read_text()
        assert f"for core {first}: takt demo" in schedule


@pytest.mark.parametrize(
    "command",
    [
        ["run", "three_chains", "--duration", "1s", "-o"],
        ["report", "a.json", "-o"],
        ["plan", "s.yaml", "-o"],
        ["import", "cie", "c.yaml", "-o"],
        ["latency", "--duration", "1s", "-o"],
        ["latency", "--duration", "1s", "--html"],
    ],
)
def test_no_command_replaces_a_file_unless_forced(takt, fakes, tmp_path, command):
    for name in ("a.json", "s.yaml", "c.yaml"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "mine").write_text("edited")
    said = takt(*command, "mine")
    assert (said.code, said.out) == (2, "")
    assert "mine exists; name another file, or replace it with --force" in said.err
    assert (tmp_path / "mine").read_text() == "edited"


def test_a_program_behind_dashes_is_observed_and_a_trace_is_read():
    assert renew(["model", "-o", "m", "--", "demo"]) == (["observe", "-o", "m", "--", "demo"], [])
    assert renew(["model", "--", "a.takttrace"]) == (["model", "--", "a.takttrace"], [])
    of_program = ["--", "player", "a.takttrace"]
    assert renew(["model", *of_program]) == (["observe", *of_program], [])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("run g --cores 0", "run g --cpus 0"),
        ("doctor --cores=2-3 --window 1s", "doctor --cpus=2-3 --duration 1s"),
        ("check s.yaml --cores 2", "check s.yaml --core-count 2"),
        ("graph system g --cores 2", "graph system g --core-count 2"),
        ("trace record talk --for 5s", "trace record talk --duration 5s"),
        ("trace record talk -- --for", "trace record talk -- --for"),
        ("calibrate --cores 0,1", "calibrate --cpus 0,1"),
        ("latency --json a.json", "latency --output a.json"),
        ("latency --json --load", "latency --json --load"),
    ],
)
def test_an_old_option_works_and_says_the_new_one(old, new):
    renewed, told = renew(old.split())
    assert renewed == new.split()
    assert renew(renewed) == (renewed, [])
    assert [" is now " in sentence for sentence in told] == [True] * (
        sum(a != b for a, b in zip(old.split(), new.split(), strict=True))
    )


def test_what_the_runner_says_of_bad_input_is_left_as_it_is(takt, fakes, tmp_path):
    (tmp_path / "bad.yaml").write_text("name: broken\n")
    said = takt("run", tmp_path / "bad.yaml")
    assert said.code == 2
    assert "graph.yaml:3:1: node without a name" in said.err.splitlines()
    assert "exit code" not in said.err


def test_an_internal_error_is_no_traceback(takt, fakes, monkeypatch):
    def break_down(*_):
        raise RuntimeError("oh")

    monkeypatch.delenv("TAKT_DEBUG", raising=False)
    monkeypatch.setattr("takt_cli.verbs.run.command.resolve_graph", break_down)
    said = takt("run", "three_chains")
    assert said.code == 1
    assert "internal error: RuntimeError: oh" in said.err
    assert "Traceback" not in said.err


def test_run_prints_tables_and_keeps_results(takt, fakes, tmp_path):
    kept = tmp_path / "kept/r.json"
    said = takt("run", "autoware_reference", "--duration", "2s", "--output", kept)
    assert said.code == 0, said.err
    for words in (
        "chain_1",
        "hot path floor",
        "Threads",
        "other",
    ):
        assert words in said.out
    assert json.loads(kept.read_text())["version"] == 1


def test_run_prints_its_results_in_place_of_tables(takt, fakes, tmp_path):
    (tmp_path / "g.yaml").write_text("name: crashing\n")
    for graph, code in (("three_chains", 0), ("g.yaml", 1)):
        said = takt("run", graph, "--duration", "1s", "-o", "-", "--check")
        assert json.loads(said.out)["version"] == 1
        assert ("on standard output, marked incomplete" in said.err) == (code == 1)
        assert "results.json" not in said.err
    assert not (tmp_path / "takt_results").exists()
    assert not Path("-").exists()
    said = takt("run", "three_chains", "--duration", "1s", "-o", "-", "--records", "raw.json")
    assert json.loads(said.out)["chains"]
    assert "The record of each run is in raw.json" in said.err


def test_a_file_may_have_the_name_dash(takt, fakes, tmp_path):
    said = takt("run", "three_chains", "--duration", "1s", "-o", "./-")
    assert said.code == 0, said.err
    assert "three_chains under" in said.out
    assert json.loads((tmp_path / "-").read_text(encoding="utf-8"))["version"] == 1
    again = takt("run", "three_chains", "--duration", "1s", "-o", "./-")
    assert again.code == 2
    assert f"{tmp_path / '-'} exists" in again.err, again.err


def test_run_names_the_executor_of_the_schedule(takt, fakes):
    said = takt("run", "three_chains", "--schedule", "autoware_takt", "--duration", "1s")
    assert "three_chains under autoware_takt, executor main, " in said.out
    assert "executor main" not in takt("run", "three_chains", "--duration", "1s").out
    said = takt("run", "three_chains", "--schedule", "autoware_takt", "--duration", "1s", "--json")
    assert json.loads(said.out)["executors"] == ["main"]


def test_run_names_all_files_that_it_wrote(takt, fakes):
    said = takt(*"run three_chains --duration 1s -o r.json --records raw.json --json".split())
    assert "Raw results are in r.json, the record of each run in raw.json" in said.err
    assert "record" not in takt("run", "three_chains", "--duration", "1s", "-o", "r.json").err


def test_runs_of_the_hot_path_are_called_so_and_not_by_a_bare_number(takt, fakes, tmp_path):
    said = takt(*"experiment hot-path --quick --runs 1 --seeds 1 --json -o d".split())
    assert {c["name"] for c in json.loads(said.out)["configurations"]} == {"run 1"}
    assert "</span>run 1</span>" in (tmp_path / "d/report.html").read_text()


def test_a_missed_deadline_is_an_exit_code_for_those_who_ask(takt, fakes, monkeypatch):
    raw = results()
    for chain in raw["chains"]:
        chain["missed_deadlines"] = 0
    monkeypatch.setattr("takt_cli.verbs.run.command.run", lambda *_, **__: parse_results(raw))
    assert takt("run", "three_chains", "--check").code == 0
    raw["chains"][0]["missed_deadlines"] = 2
    assert takt("run", "three_chains").code == 0
    said = takt("run", "three_chains", "--check")
    assert said.code == 1
    assert f"Deadlines were missed by {raw['chains'][0]['name']}, so the" in said.err


def test_run_json_is_one_document(takt, fakes):
    said = takt("run", "three_chains", "--duration", "500ms", "--json")
    summary = json.loads(said.out)
    assert [chain["name"] for chain in summary["chains"]] == ["chain_1", "chain_2", "chain_3"]
    assert summary["chains"][0]["response_ns"]["p99"] is None


def test_defaulted_callbacks_are_listed_where_rules_have_missed_them(takt, fakes, tmp_path):
    def said(count, of):
        raw = results()
        raw["callbacks"] = [{**raw["callbacks"][0], "id": f"/n:{i}"} for i in range(of)]
        raw["defaulted_callbacks"] = [f"/n:{i}" for i in range(count)]
        return defaulted_line(parse_results(raw))

    assert said(0, 36) == ""
    assert said(36, 36) == ""
    assert said(2, 36).endswith("no rule matches them: /n:0, /n:1")
    assert said(15, 36).endswith("/n:9 and 5 more (defaulted_callbacks in the results)")


def test_what_is_protected_or_of_others_is_never_replaced(takt, fakes, tmp_path):
    for name in ("kept.json", "new.json.part"):
        (tmp_path / name).write_text("mine")
    (tmp_path / "kept.json").chmod(0o444)
    (tmp_path / "r.json").write_text(json.dumps(results()))
    for command in (
        "run three_chains --force -o",
        "run three_chains --records",
        "report r.json --force -o",
    ):
        said = takt(*command.split(), "kept.json")
        assert said.code == 2
        assert "kept.json is write-protected; make it writable" in said.err
        assert takt(*command.split(), "new.json").code == 0
        assert (tmp_path / "new.json").exists()
    for name in ("kept.json", "new.json.part"):
        assert (tmp_path / name).read_text() == "mine"


def test_a_report_is_of_whole_results(takt, fakes, tmp_path):
    for raw, words in (
        ({**results(), "incomplete": ["part 2 of 3 died"]}, "is incomplete (part 2 of 3 died)"),
        ({**results(), "measured_from_ns": 5, "measured_to_ns": 5}, "the run ended in its warm-up"),
        ({**results(), "chains": [{"name": "a", "released": "x"}]}, "is damaged"),
    ):
        (tmp_path / "a.json").write_text(json.dumps(raw))
        said = takt("report", "a.json")
        assert said.code == 2
        assert words in said.err
        assert "measure again with `takt run --output`" in said.err
        assert "Error" not in said.err
        assert not list(tmp_path.glob("*.html"))


def test_a_failed_run_leaves_old_results_alone(takt, fakes, tmp_path):
    (tmp_path / "g.yaml").write_text("name: failing\n")
    (tmp_path / "r.json").write_text("old")
    assert takt("run", "g.yaml", "-o", "r.json", "--force").code == 1
    assert (tmp_path / "r.json").read_text() == "old"
    assert takt("run", "g.yaml", "-o", "new.json").code == 1
    assert not (tmp_path / "new.json").exists()


def test_what_a_killed_run_left_is_no_result(takt, fakes, tmp_path):
    # In a container every run has the same number.
    left = tmp_path / f"r.json.{os.getpid()}.part"
    left.write_text(json.dumps(results()))
    (tmp_path / "g.yaml").write_text("name: failing\n")
    (tmp_path / "r.json").write_text("old")
    said = takt("run", "g.yaml", "-o", "r.json", "--force")
    assert (said.code, "it went wrong" in said.err) == (1, True)
    assert (tmp_path / "r.json").read_text() == "old"
    assert left.exists()


def test_new_results_have_the_permissions_of_the_old(takt, fakes, tmp_path):
    for command in ("run three_chains --force -o new.json", "report r.json --force -o new.json"):
        (tmp_path / "r.json").write_text(json.dumps(results()))
        (tmp_path / "new.json").write_text("old")
        (tmp_path / "new.json").chmod(0o600)
        assert takt(*command.split()).code == 0
        assert (tmp_path / "new.json").read_text() != "old"
        assert (tmp_path / "new.json").stat().st_mode & 0o7777 == 0o600


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("report", "result"),
        ("report a.json", "result"),
        ("check", "schedule"),
        ("check autoware_takt --against", "graph"),
        ("check autoware_takt --system", "system model"),
        ("run", "graph"),
        ("run three_chains --schedule", "schedule"),
        ("graph ids", "graph"),
        ("explain autoware_takt --system", "system model"),
        ("plan", "system model"),
        ("import cie", "configuration"),
        ("import rep2017", "configuration"),
    ],
)
def test_what_may_never_end_is_not_read(takt, fakes, tmp_path, command, what):
    (tmp_path / "a.json").write_text(json.dumps(results()))
    os.mkfifo(tmp_path / "pipe")
    for name, why in (
        ("pipe", "not a regular file"),
        ("/dev/zero", "not a regular file"),
        ("/", "a directory"),
    ):
        said = takt(*command.split(), name)
        assert (said.code, said.out) == (2, "")
        assert said.err == f"takt: {name} is {why}; name a {what} file\n"
    assert not list(tmp_path.glob("*.html"))


def test_what_the_other_parts_recorded_is_kept_and_named(takt, fakes, tmp_path):
    (tmp_path / "g.yaml").write_text("name: crashing\n")
    said = takt("run", "g.yaml", "-o", "r.json", "--force")
    assert said.code == 1
    assert "part 2 of 3 was ended by signal 11" in said.err
    assert "r.json, marked incomplete" in said.err
    assert json.loads((tmp_path / "r.json").read_text())["chains"] is not None


def test_a_full_disk_is_named_with_the_file(takt, fakes, tmp_path):
    said = takt("run", "three_chains", "--duration", "1s", "-o", "/dev/full")
    assert said.code == 1
    assert "/dev/full cannot be written: No space left on device" in said.err
    (tmp_path / "a.json").write_text(json.dumps(results()))
    said = takt("report", "a.json", "-o", "/dev/full")
    assert said.code == 1
    assert "/dev/full cannot be written: No space left on device" in said.err
    assert Path("/dev/full").is_char_device()


def test_results_go_to_a_new_directory_each_time(takt, fakes, tmp_path):
    for name in ("run", "run-2", "run-3"):
        said = takt("run", "three_chains", "--duration", "1s")
        assert f"takt_results/{name}/results.json" in said.err
        assert (tmp_path / "takt_results" / name / "results.json").is_file()
    said = takt("demo", "--duration", "1s")
    assert said.out.rstrip().endswith(f"{tmp_path}/takt_results/demo/report.html")
    (tmp_path / "a.json").write_text(json.dumps(results()))
    for name in ("report.html", "report-2.html"):
        said = takt("report", "a.json")
        assert said.out.rstrip().endswith(f"{tmp_path}/{name}")
        assert (tmp_path / name).is_file()


def test_what_fails_at_once_leaves_no_directory(takt, fakes, tmp_path):
    (tmp_path / "g.yaml").write_text("name: failing\n")
    assert takt("run", "g.yaml").code == 1
    assert not (tmp_path / "takt_results").exists()


def test_help_tells_every_default_in_plain_words(takt):
    for command in (["run"], ["check"], ["demo"], ["report"], ["bench"], ["simulate"]):
        text = " ".join(takt(*command, "--help").out.split())
        known = get_command(app_for(command)).commands[command[0]].params
        takes = [one for one in known if one.param_type_name == "option" and not one.is_flag]
        # What takes a value has a default, but for the label, which is empty.
        told = [one for one in takes if one.show_default not in ("none", False)]
        assert text.count("[default: ") >= len(told)
        for noise in ("(none)", "<str>", "<bool>", "<path>", "{"):
            assert noise not in text


def test_what_is_no_file_is_written_through_and_stays(takt, fakes, tmp_path):
    (tmp_path / "sink").symlink_to("/dev/null")
    assert takt("run", "three_chains", "--duration", "1s", "-o", "sink").code == 0
    assert (tmp_path / "sink").is_symlink()
    assert Path("/dev/null").is_char_device()
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link").symlink_to("real.json")
    assert takt("run", "three_chains", "--duration", "1s", "-o", "link").code == 2
    assert takt("run", "three_chains", "--duration", "1s", "-o", "link", "--force").code == 0
    assert (tmp_path / "link").is_symlink()
    assert json.loads((tmp_path / "real.json").read_text())["version"] == 1


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["run", "three_chains", "-o", "."], "is a directory"),
        (["run", "three_chains", "-o", "/proc/nowhere/r.json"], "/proc/nowhere/r.json cannot be"),
        (["demo", "-o", "/proc/nowhere"], "cannot be written"),
        (["experiment", "policy", "--quick", "-o", "/proc/nowhere"], "cannot be written"),
        (["experiment", "hot-path", "--quick", "-o", "g.json"], "g.json is a file, and must be a"),
        (["run", "three_chains", "-o", "g.json/r.json"], "g.json is a file, and must be a folder"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_anything_runs(
    takt, fakes, tmp_path, monkeypatch, command, words
):
    (tmp_path / "g.json").write_text("a file")
    monkeypatch.setattr("takt_cli.running.runner.find_program", lambda *_: Path("/bin/false"))
    said = takt(*command)
    assert said.code == 2
    assert words in said.err
    assert "internal" not in said.err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe\xfd", "the file is not UTF-8 text; save it as UTF-8"),
        (b"version: 1\nexecutors: [\xe9]\n", "the file is not UTF-8 text; save it as UTF-8"),
        (b"\0\0", "the file is not YAML: unacceptable character"),
        (b"executors: [", "the file is not YAML: while parsing"),
        (b"", "is not a schedule"),
    ],
)
def test_a_schedule_to_vary_that_is_none_is_one_sentence(takt, fakes, tmp_path, content, words):
    (tmp_path / "s.yaml").write_bytes(content)
    said = takt("experiment", "policy", "--quick", "--schedule", "s.yaml")
    assert said.code == 2
    assert words in said.err
    assert len(said.err.splitlines()) == 1


@pytest.mark.parametrize("command", ["run three_chains", "demo", "experiment binding --quick"])
def test_a_middleware_that_is_not_there_is_one_sentence(
    takt, fakes, tmp_path, monkeypatch, command
):
    index = tmp_path / "ros/share/ament_index/resource_index/rmw_typesupport"
    index.mkdir(parents=True)
    for name in ("rmw_fastrtps_cpp", "rmw_implementation"):
        (index / name).touch()
    monkeypatch.setenv("TAKT_PREFIX", "")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path / "own"))
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{fakes}:{tmp_path}/ros")
    monkeypatch.setenv("RMW_IMPLEMENTATION", "rmw_cyclonedds_cpp")
    monkeypatch.setattr("takt_cli.running.runner._watch", lambda *_: pytest.fail("it was started"))
    said = takt(*command.split())
    assert said.code == 2
    assert said.err.splitlines() == [
        "takt: RMW_IMPLEMENTATION is rmw_cyclonedds_cpp, but this ROS 2 has rmw_fastrtps_cpp; "
        "unset RMW_IMPLEMENTATION or install rmw_cyclonedds_cpp"
    ]
    assert not (tmp_path / "takt_results").exists()


@pytest.mark.parametrize("place", ["own", "ros/lib", "ros/lib/x86_64-linux-gnu"])
def test_a_middleware_is_found_wherever_it_may_lie(fakes, tmp_path, monkeypatch, place):
    index = tmp_path / "ros/share/ament_index/resource_index/rmw_typesupport"
    index.mkdir(parents=True)
    (index / "rmw_fastrtps_cpp").touch()
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path / "own"))
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{fakes}:{tmp_path}/ros")
    monkeypatch.setenv("RMW_IMPLEMENTATION", "rmw_mine")
    (tmp_path / place).mkdir(parents=True)
    (tmp_path / place / "librmw_mine.so").touch()
    check_middleware()
    (tmp_path / place / "librmw_mine.so").unlink()
    with pytest.raises(TaktError):
        check_middleware()


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("run g.yaml --output g.yaml", "--output names the graph that takt reads"),
        ("run g.yaml -o ./d/../g.yaml", "--output names the graph that takt reads"),
        ("run g.yaml -o link", "--output names the graph that takt reads"),
        ("run link -o g.yaml", "--output names the graph that takt reads"),
        ("run g.yaml -o hard", "--output names the graph that takt reads"),
        ("run g.yaml --records g.yaml", "--records names the graph that takt reads"),
        ("run g.yaml --schedule s.yaml -o s.yaml", "--output names the schedule that takt reads"),
        ("run g.yaml --schedule s.yaml --records d/../s.yaml", "--records names the schedule that"),
        ("run g.yaml -o new.json --records ./new.json", "name the same file"),
        ("run g.yaml -o dangling --records d/new.json", "name the same file"),
        (
            "run g.yaml -o new.json --guard all --guard-report ./new.json",
            "--output and --guard-report name the same file",
        ),
        (
            "run g.yaml --records d/new.json --guard all --guard-report d/../d/new.json",
            "--records and --guard-report name the same file",
        ),
        ("import cie g.yaml -o g.yaml", "--output names the configuration that takt reads"),
        ("report r.json -o r.json", "--output names the result that takt reads"),
        ("report d/../r.json r.json -o r.json", "--output names the result that takt reads"),
        (
            "experiment policy --schedule d/schedules/fair.yaml -o d",
            "schedules/fair.yaml is the schedule that takt reads",
        ),
    ],
)
def test_what_is_read_is_never_written(takt, fakes, tmp_path, monkeypatch, command, words):
    (tmp_path / "d/schedules").mkdir(parents=True)
    shipped = fakes / "share/takt_workload"
    (tmp_path / "g.yaml").write_text((shipped / "graphs/three_chains.yaml").read_text())
    for name in ("s.yaml", "d/schedules/fair.yaml"):
        (tmp_path / name).write_text((shipped / "schedules/autoware_takt.yaml").read_text())
    (tmp_path / "r.json").write_text(json.dumps(results()))
    (tmp_path / "link").symlink_to("g.yaml")
    (tmp_path / "hard").hardlink_to("g.yaml")
    (tmp_path / "dangling").symlink_to("d/new.json")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    before = {path: path.read_bytes() for path in files}
    monkeypatch.setattr("takt_cli.running.runner.find_program", lambda *_: Path("/bin/false"))
    said = takt(*command.split())
    assert said.code == 2, said.err
    assert words in said.err
    assert {path: path.read_bytes() for path in files} == before
    assert not (tmp_path / "takt_results").exists()


class GuardThatSaw:
    """A guard with an account already."""

    def __init__(self, _options):
        self.ended = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ended = True

    def environment(self):
        return {}

    def report(self, file):
        assert not self.ended
        if file is not None:
            file.write_text("{}", encoding="utf-8")
        return "guard of process 7: 1 of 1 callbacks did\n"


def test_a_run_that_fails_tells_what_the_guard_saw_until_then(takt, fakes, monkeypatch, tmp_path):
    def failing(*_, **__):
        raise TaktError("takt_run was ended by signal 11", code=1)

    monkeypatch.setattr("takt_cli.verbs.run.command.Guard", GuardThatSaw)
    monkeypatch.setattr("takt_cli.verbs.run.command.run", failing)
    words = ["--guard", "all", "--guard-report", "guard.json"]
    said = takt("run", "three_chains", "-o", "r.json", *words)
    assert said.code == 1
    assert "guard of process 7" in said.err
    assert "takt_run was ended by signal 11" in said.err
    assert (tmp_path / "guard.json").read_text() == "{}"


def test_every_option_of_the_runner_is_handed_on(takt, fakes):
    said = takt(
        *"run three_chains --duration 1s --threads 2 --seed 3 --witness off --domain 7".split(),
        *"--cpus 0 --split 2 --split-map A;B --restart 2@1s --reference-timer 50".split(),
        *"--match-timeout 5s --label mine --records raw.json".split(),
        *"-o r.json".split(),
    )  # fmt: skip
    assert said.code == 0, said.err
    given = json.loads(Path("r.json").read_text())["arguments"]
    for words in (
        "--seed 3", "--witness off", "--domain 7", "--split 2", "--split-map A;B",
        "--restart 2@1s", "--reference-timer 50", "--match-timeout 5s", "--label mine",
        "--records raw.json",
    ):  # fmt: skip
        assert words in given
    assert takt("run", "three_chains", "--cpus", "0,4711").code == 2
    assert takt("run", "three_chains", "--cpus", "x").code == 2


def test_graph_hands_on_what_takt_graph_says(takt, fakes, tmp_path):
    said = takt("graph", "ids", "three_chains")
    assert said.code == 0, said.err
    ids = [callback["id"] for callback in json.loads(said.out)["callbacks"]]
    assert "/callback_1:timer(100ms)" in ids
    info = json.loads(takt("graph", "info", "three_chains", "--json").out)
    assert info["graph"] == "three_chains"
    said = takt("graph", "check", "three_chains")
    assert (said.code, said.out.splitlines()[-1]) == (0, "three_chains: good")
    (tmp_path / "bad.yaml").write_text("name: broken\n")
    said = takt("graph", "check", "bad.yaml")
    assert said.code == 2
    assert said.out == ""
    assert said.err == "bad.yaml:3:1: node without a name\n"
    assert "unknown graph 'nosuch'" in takt("graph", "info", "nosuch").err
    assert takt("graph", "frobnicate", "three_chains").code == 2
    assert "--json" in takt("graph", "check", "three_chains", "--json").err


def test_check_shows_faults_as_they_are(takt, fakes, tmp_path):
    (tmp_path / "bad.yaml").write_text("")
    said = takt("check", tmp_path / "bad.yaml")
    assert said.code == 2
    assert said.err == f"{tmp_path}/bad.yaml:4:5: unknown key 'oder'; did you mean 'order'?\n"
    (tmp_path / "broken.yaml").write_text("name: broken\n")
    both = takt("check", tmp_path / "bad.yaml", "--against", "broken.yaml")
    assert both.code == 2
    assert both.err == said.err + "broken.yaml:3:1: node without a name\n"
    said = takt("check", "autoware_takt", "--against", "three_chains", "--json")
    assert said.code == 0
    assert len(json.loads(said.out)["ids"]["callbacks"]) == 9


def test_simulate_hands_on_what_it_was_asked(takt, fakes, tmp_path):
    (tmp_path / "s.yaml").write_text("")
    said = takt("simulate", "s.yaml", "autoware_takt", "--json")
    assert said.code == 0
    asked = json.loads(said.out)
    assert asked[0] == "s.yaml"
    assert asked[1].endswith("autoware_takt.yaml")
    words = "--duration 10s --seed 1 --phases fixed --execution worst --json"
    assert " ".join(asked[2:]) == words
    assert said.err == "warning: something\n"
    said = takt(
        *(
            "simulate",
            "s.yaml",
            "autoware_takt",
            "--duration",
            "1.5s",
            "--runs",
            "3",
            "--seed",
            "7",
        ),
        *("--phases", "random", "--execution", "histogram", "--trace", "t.json", "--of", "hot"),
    )
    words = "--duration 1500ms --seed 7 --phases random --execution histogram"
    assert " ".join(json.loads(said.out)[2:]) == f"{words} --runs 3 --trace t.json --of hot"


def test_simulate_shows_faults_as_they_are(takt, fakes, tmp_path):
    for name in ("bad.yaml", "full.yaml"):
        (tmp_path / name).write_text("")
    said = takt("simulate", "bad.yaml", "autoware_takt")
    assert said.code == 2
    assert said.out == ""
    assert said.err == "bad.yaml:2:8: unknown key 'core'\n"
    said = takt("simulate", "full.yaml", "autoware_takt")
    assert said.code == 1
    assert "t.json cannot be written" in said.err


def test_plan_passes_on_words_and_exit_codes(takt, fakes, tmp_path):
    (tmp_path / "s.yaml").write_text("")
    (tmp_path / "bad.yaml").write_text("")
    said = takt("plan", tmp_path / "s.yaml")
    assert (said.code, said.out, said.err) == (1, "version: 1\n", "brake is 3ms too late\n")
    more = (
        "--planner",
        "picas",
        "--keep-slack",
        "0.25",
        "--cpus",
        "0-1",
        "--time",
        "30s",
        "--seed",
        "7",
        "--executors",
        "3",
        "--executor-threads",
        "2",
        "--output",
        "o.yaml",
        "--json",
    )
    said = takt("plan", tmp_path / "s.yaml", *more)
    assert json.loads(said.out)["arguments"] == [str(tmp_path / "s.yaml"), *more]
    said = takt("plan", tmp_path / "bad.yaml")
    assert (said.code, said.out) == (2, "")
    assert said.err == f"{tmp_path}/bad.yaml:2:1: no hosts\n"
    assert takt("plan", tmp_path / "s.yaml", "--planner", "best").code == 2


def test_explain_passes_on_words_and_exit_codes(takt, fakes, tmp_path):
    for name in ("late.yaml", "bad.yaml", "broken.yaml", "system.yaml"):
        (tmp_path / name).write_text("")
    said = takt("explain", tmp_path / "late.yaml", "--system", "system.yaml")
    assert (said.code, said.out, said.err) == (1, "obstacles [late]\n", "")
    more = ("--chain", "obstacles", "--callbacks", "--ages", "--depths", "--json")
    said = takt("explain", tmp_path / "late.yaml", "--system", "system.yaml", *more)
    given = [str(tmp_path / "late.yaml"), "--system", "system.yaml", *more]
    assert (said.code, json.loads(said.out)["arguments"]) == (1, given)
    said = takt("explain", tmp_path / "bad.yaml", "--system", "system.yaml")
    assert (said.code, said.out) == (2, "")
    assert said.err == f"{tmp_path}/bad.yaml:4:5: unknown key 'oder'; did you mean 'order'?\n"
    said = takt("explain", tmp_path / "broken.yaml", "--system", "system.yaml")
    assert said.code == 1
    assert "takt_explain" in said.err
    said = takt("explain", tmp_path / "late.yaml", "--json")
    first, option, *folders = json.loads(said.out)["arguments"][:-1]
    assert (said.code, first, option) == (1, str(tmp_path / "late.yaml"), "--models")
    assert any((Path(folder) / "three_chains.yaml").is_file() for folder in folders)
    assert "nobody.yaml" in takt("explain", "nobody.yaml", "--system", "system.yaml").err


def test_demo_writes_one_page_and_names_it(takt, fakes, tmp_path):
    said = takt("demo", "--duration", "2s", "--output", tmp_path / "d")
    assert said.code == 0, said.err
    assert said.out.rstrip().endswith(f"Report: {tmp_path}/d/report.html")
    assert "physical limit" in (tmp_path / "d/report.html").read_text()
    assert "limit" in said.out
    assert {"stock-single.json", "stock-pool.json", "takt.json", "summary.json"} <= {
        path.name for path in (tmp_path / "d").iterdir()
    }


def test_the_raw_records_of_each_run_are_kept_and_named(takt, fakes, tmp_path):
    said = takt("demo", "--duration", "2s", "--output", tmp_path / "d")
    assert f"Raw data: {tmp_path}/d (" in said.out
    summary = json.loads((tmp_path / "d/summary.json").read_text())
    for configuration in summary["configurations"]:
        assert configuration["results"].removesuffix(".json") == configuration[
            "records"
        ].removesuffix(".records.json")
        assert Path(configuration["results"]).is_file()
        assert "runs" in json.loads(Path(configuration["records"]).read_text())


@pytest.mark.parametrize("name", ["executors", "binding", "policy"])
def test_experiments_write_a_page_and_one_json_document(takt, fakes, tmp_path, name):
    said = takt("experiment", name, "--duration", "1s", "--json", "--output", tmp_path / "e")
    assert said.code == 0, said.err
    summary = json.loads(said.out)
    assert summary["kind"] == f"experiment {name}"
    assert summary["command"].endswith(f"experiment {name} --duration 1s")
    assert (tmp_path / "e/report.html").stat().st_size > 1_000_000


def test_a_report_of_saved_results_names_runs_by_label_or_file(takt, fakes, tmp_path):
    for name, label in (("a", "the first"), ("b", ""), ("c", "the first")):
        (tmp_path / f"{name}.json").write_text(json.dumps(results(label=label)))
    files = [tmp_path / f"{name}.json" for name in "abc"]
    said = takt("report", *files, "-o", tmp_path / "out.html")
    assert said.code == 0, said.err
    page = (tmp_path / "out.html").read_text()
    for name in ("the first", "the first #2", "</span>b</span>"):
        assert name in page


def test_who_lacks_rights_is_told_what_can_be_done_today(takt, fakes, monkeypatch):
    monkeypatch.setattr("takt_cli.running.host.realtime_allowed", lambda: False)
    said = " ".join(takt("host").out.split())
    for words in ("rtprio 98", "/etc/security/limits.d", "SYS_NICE"):
        assert words in said
    assert "setcap" not in said  # nothing can be preloaded into a program with file capabilities
    assert "configurator" not in said


def test_host_tells_facts_and_measurement(takt, fakes):
    assert "52.0 µs" in takt("host").out
    assert json.loads(takt("host", "--json").out)["measured"]["cores"] == [0, 1]


def test_bench_shows_medians_and_verdicts_and_fails_on_a_missed_limit(takt, fakes):
    said = takt("bench", "dispatch")
    assert said.code == 1
    assert "100 ns" in said.out
    assert "90" not in said.out
    for words in (
        "dispatch, ready to start: 21.4 s (at most 10.0 s), MISSED",
        "of a walk: 1.25 × (at most 1.50 ×), met",
        "of nothing: not measured",
    ):
        assert words in said.out
    said = takt("bench", "nosuch")
    assert said.code == 2
    assert "no benchmark program has a name that contains nosuch" in said.err
    assert "make build" not in said.err
    assert takt("bench", "--list").out.strip().endswith("dispatch_benchmark")


def test_limits_of_a_benchmark_that_takt_cannot_read_are_a_sentence(takt, fakes):
    said = takt("bench", "dispatch", "--only", "damaged")
    assert said.code == 2
    assert "limits[1].value is 'fast' where a number belongs" in said.err
    assert "make build" in said.err


def test_a_benchmark_time_is_judged_before_anything_starts(takt, fakes, monkeypatch):
    monkeypatch.setattr(
        "takt_cli.verbs.bench.command.run_benchmark", lambda *_: pytest.fail("started")
    )
    for given in ("0", "x"):
        said = takt("bench", "--min-time", given)
        assert (said.code, said.out, len(said.err.splitlines())) == (2, "", 1)


def test_hogs_end_with_the_block():
    before = _children()
    with hogs([min(os.sched_getaffinity(0))], per_core=2):
        assert len(_children()) == len(before) + 2
    assert len(_children()) == len(before)


def _children():
    done = subprocess.run(
        ["ps", "--ppid", str(os.getpid()), "-o", "comm="], capture_output=True, text=True
    )
    return [line for line in done.stdout.split() if line.startswith("python")]
