"""`takt audit` on reports that are made here: what it prints, and what --check answers."""

import json
import shutil
import subprocess

import pytest
from support.built import AUDIT, need
from support.schemas import faults
from takt_cli.verbs.audit.code import Code
from takt_cli.verbs.audit.shares import Looker

pytestmark = need(*AUDIT)

POOL = """version: 1
executors:
  main:
    parallel: true
    threads: {pool: {count: 3}}
    default: pool
"""
ONE = POOL.replace("count: 3", "count: 1")
STORE = {"address": "0x10", "type": "Store", "module": "", "offset": 0}


def callback(number, *objects, **more):
    """Give a callback in a group of its own, with code in a library."""
    return {
        "id": f"/n:sub(/t{number})", "kind": "subscription", "group": f"/n:group({number})",
        "reentrant": False, "executor": 0, "background": False, "found": True, "function": "",
        "objects": list(objects), "code": [{"module": "/usr/lib/libstdc++.so.6", "offset": 1}],
        **more,
    }  # fmt: skip


def side(of):
    """Give one side of a race."""
    return {"callback": of, "thread": "thread T1", "access": "write", "where": "f() (a.cpp:1)"}


def race(first, second):
    """Give a race between two callbacks."""
    sides = {"first": side(first), "second": side(second)}
    return {**sides, "location": "global 'g_count'", "times": 1}


@pytest.fixture
def audit(takt, tmp_path, monkeypatch):
    """Audit callbacks of one process under a pool, or under another schedule."""
    monkeypatch.chdir(tmp_path)

    def run(callbacks, *options, races=(), schedule=POOL, adopted=None):
        report = {"version": 1, "executors": [], "stock": [], "classes": [], "unseen": []}
        process = {
            "pid": 7, "program": "/opt/robot", "sanitized": bool(races),
            "executors": [{"name": "main", "scheduled": False, "threads": 1}],
            "callbacks": list(callbacks), "races": list(races),
        }  # fmt: skip
        report["audit"] = [process]
        assert faults("exec_report", report) == []
        if adopted is not None:
            of_callbacks = [
                {**{name: one[name] for name in ("id", "group", "kind")}, "exclusive_group": True}
                for one in callbacks
            ]
            report["executors"] = [
                {"version": 1, "pid": 7, "executor": "n", "callbacks": of_callbacks, **adopted}
            ]
        (tmp_path / "run.json").write_text(json.dumps(report), encoding="utf-8")
        (tmp_path / "new.yaml").write_text(schedule, encoding="utf-8")
        return takt("audit", "--schedule", "new.yaml", "run.json", *options)

    return run


def test_check_passes_only_what_takt_could_look_at(audit):
    said = audit([callback(1), callback(2)], "--check")
    assert (said.code, said.err) == (0, "")
    assert "nothing" in said.out
    for unknown in (
        {"found": False, "code": []},
        {"code": [{"module": "/nowhere/robot", "offset": 1}]},
        {"code": []},
    ):
        said = audit([callback(1), callback(2, **unknown)], "--check")
        assert said.code == 1, unknown
        assert ("(not seen)" if "found" in unknown else "variables unknown") in said.out


def test_check_fails_without_a_disassembler(audit, monkeypatch):
    monkeypatch.setattr("takt_cli.verbs.audit.shares.disassembler", lambda: None)
    code = [{"module": "/bin/robot", "offset": 1}]
    said = audit([callback(1, code=code), callback(2, code=code)], "--check")
    assert said.code == 1
    assert "no object; variables unknown" in said.out
    assert "objdump is not installed" in said.out


@pytest.mark.parametrize(
    "between", [("/n:sub(/t1)", ""), ("/n:sub(/t1)", "/n:sub(/t3)"), ("/n:sub(/t1)", "/else")]
)
def test_a_race_beside_the_listed_pairs_is_told(audit, between):
    # The callbacks 1 and 3 are in one group, so they are no pair.
    callbacks = [callback(1), callback(2), callback(3, group="/n:group(1)")]
    said = audit(callbacks, "--check", races=[race(*between)])
    assert said.code == 1
    assert "races beside the listed pairs, in process 7 (robot)" in said.out
    assert f"write by {between[1] or 'thread T1, outside of callbacks'} in f()" in said.out
    said = audit(callbacks, "--json", races=[race(*between)])
    document = json.loads(said.out)
    assert faults("audit", document) == []
    (other,) = document["other_races"]
    assert (other["pid"], other["first"]["callback"]) == (7, "/n:sub(/t1)")


def test_a_race_of_a_listed_pair_is_told_once(audit):
    said = audit([callback(1), callback(2)], races=[race("/n:sub(/t2)", "/n:sub(/t1)")])
    assert said.out.count("global 'g_count'") == 1
    assert "beside the listed" not in said.out


def test_all_pairs_are_looked_at(audit):
    callbacks = [callback(i) for i in range(150)]  # 11,175 pairs
    callbacks += [callback(150, STORE), callback(151, STORE)]
    said = audit(callbacks, "--check")
    assert said.code == 1
    assert "/n:sub(/t150) (pool) beside /n:sub(/t151) (pool)\n  object    Store\n" in said.out
    assert "and 11,275 more; --json has them" in said.out


def test_many_sharing_pairs_are_told_by_what_they_share(audit):
    said = audit(
        [callback(i, STORE) for i in range(30)], races=[race("/n:sub(/t0)", "/n:sub(/t1)")]
    )
    assert "\nobject Store: 30 callbacks; 435 pairs share it\n" in said.out
    for i in range(30):
        assert said.out.count(f"  /n:sub(/t{i}) (") == 1
    assert said.out.count("race on global 'g_count'") == 1


@pytest.mark.parametrize(
    ("kind", "own_threads", "schedule", "count"),
    [
        ("multi_threaded", 3, POOL, 0),
        ("multi_threaded", 1, POOL, 1),
        # takt does not keep a pool of one thread to one callback at a time.
        ("multi_threaded", 1, POOL.replace("    parallel: true\n", ""), 1),
        ("single_threaded", 1, POOL.replace("    parallel: true\n", ""), 0),
        ("single_threaded", 1, POOL, 1),
        ("takt", 1, POOL, 1),
        ("takt", 3, POOL, 0),
        ("events", 1, POOL, 1),
        ("events", 2, POOL, 1),  # two subscriptions: only timers have the second thread
    ],
)
def test_the_programs_own_threads_count_and_not_those_of_the_run(
    audit, kind, own_threads, schedule, count
):
    # The run was under a schedule with three threads.
    threads = [{"name": f"pool.{i}"} for i in range(3)]
    executor = {"kind": kind, "own_threads": own_threads, "threads": threads}
    said = audit([callback(1), callback(2)], "--json", schedule=schedule, adopted=executor)
    (found,) = json.loads(said.out)["executors"]
    assert found["pair_count"] == count


def test_a_run_without_callbacks_is_refused(audit, takt):
    said = audit([], races=[])
    assert (said.code, said.out) == (2, "")
    assert "the run had no executor that takt saw" in said.err
    assert "make it with" not in said.err


def test_rules_without_a_match_are_told(audit):
    rules = '    callbacks:\n      - {match: "/n:sub(/t9)"}\n      - {match: "/n:service(**)"}\n'
    own = callback(3, id="/n:service(/get)", kind="service", background=True)
    said = audit([callback(1), callback(2), own], schedule=POOL + rules)
    assert "'/n:sub(/t9)' matches no callback" in said.out
    assert "/n:service(**)" not in said.out


def test_a_model_without_groups_is_told(takt, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "car.yaml").write_text(
        "version: 1\nhosts: {car: {cores: 2}}\ncallbacks:\n"
        '  - {id: "/n:timer(20ms)", time: 4ms, period: 20ms}\n'
        '  - {id: "/n:timer(10ms)", time: 2ms, period: 10ms}\n',
        encoding="utf-8",
    )
    isolated = ONE + '    groups:\n      - {match: "/n:group(1)", isolate: true}\n'
    (tmp_path / "new.yaml").write_text(isolated, encoding="utf-8")
    said = takt("audit", "--schedule", "new.yaml", "--system", "car.yaml")
    assert said.code == 0
    assert "'/n:group(1)' matches no callback group" in said.out
    assert "2 callbacks of '/n' name no group" in said.out


def test_what_only_may_have_run_side_by_side_before_is_new(takt, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "car.yaml").write_text(
        "version: 1\nhosts: {car: {cores: 2}}\n"
        'groups: {"/n:group(1)": mutually_exclusive, "/n:group(2)": mutually_exclusive}\n'
        "callbacks:\n"
        '  - {id: "/n:timer(20ms)", group: "/n:group(1)", time: 4ms, period: 20ms}\n'
        '  - {id: "/n:timer(10ms)", group: "/n:group(2)", time: 2ms, period: 10ms}\n',
        encoding="utf-8",
    )
    isolated = ONE + '    groups:\n      - {match: "/n:group(1)", isolate: true}\n'
    (tmp_path / "new.yaml").write_text(isolated, encoding="utf-8")
    (tmp_path / "old.yaml").write_text(
        isolated.replace("    parallel: true\n", ""), encoding="utf-8"
    )
    common = ("audit", "--schedule", "new.yaml", "--system", "car.yaml", "--check", "--before")
    # A single-threaded program of rclcpp kept to one callback at a time under old.yaml.
    said = takt(*common, "old.yaml")
    assert said.code == 1
    assert "1 pair of callbacks" in said.out
    assert "old.yaml has no `parallel: true`" in said.out
    assert takt(*common, "new.yaml").code == 0


# ---- code ----

needs_compiler = pytest.mark.skipif(
    shutil.which("gcc") is None or shutil.which("objdump") is None, reason="no gcc, or no objdump"
)
# Each function of a shared library calls the others by way of the table of addresses.
PART = """
static int s_calls;
int g_shared;
int environment_map;
void change(void) { ++s_calls; ++g_shared; }
void callback(void) { change(); environment_map = 3; }
"""


def library(folder, name, *options, text=PART):
    """Compile a library."""
    source, file = folder / f"{name}.c", folder / f"lib{name}.so"
    source.write_text(text, encoding="utf-8")
    command = ["gcc", "-shared", "-fPIC", "-O1", *options, "-o", file, source]
    subprocess.run(command, check=True, timeout=60)
    return file


def variables(file):
    """Give the names of variables, and their keys, that the function `callback` uses."""
    code = Code(file)
    entry = next(a for a, one in code._elf.functions.items() if one.name == "callback")
    uses = code.uses([entry])
    assert uses.known
    return {name: (name, place) for name, place in uses.variables}


@needs_compiler
@pytest.mark.parametrize("options", [(), ("-fno-plt",), ("-fvisibility=hidden",)])
def test_calls_within_a_library_are_followed(tmp_path, options):
    text = PART.replace("void callback", '__attribute__((visibility("default"))) void callback')
    found = variables(library(tmp_path, "p", *options, text=text))
    assert found.keys() == {"s_calls", "g_shared", "environment_map"}


@needs_compiler
def test_static_variables_of_one_name_are_two(tmp_path):
    first, second = (variables(library(tmp_path, name)) for name in ("p", "q"))
    assert first["s_calls"] != second["s_calls"]
    assert first["g_shared"] == second["g_shared"]


@needs_compiler
def test_a_library_without_symbols_is_unknown(tmp_path):
    looker = Looker()
    assert looker._code(str(library(tmp_path, "p", "-s"))) is None
    assert "libp.so has no symbols" in looker.notes[0]
