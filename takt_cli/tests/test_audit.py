"""`takt audit`: the pairs of callbacks, what they share, and what the page shows."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.built import AUDIT, need
from support.exec_prefix import TAKT_EXEC
from support.private import private
from support.schemas import faults
from takt_cli.verbs.audit.pairs import find_pairs
from test_docs import DOCS, SAYS, run_commands, write_files

PAGE = "audit.md"

pytestmark = need(*AUDIT)


@pytest.fixture
def page(tmp_path, monkeypatch):
    """The files of the page."""
    monkeypatch.chdir(tmp_path)
    write_files(PAGE, tmp_path)
    return tmp_path


def pairs(said):
    """Give the pairs of the document that `--json` printed."""
    document = json.loads(said.out)
    assert faults("audit", document) == []
    (executor,) = document["executors"]
    return [(one["first"]["id"], one["second"]["id"]) for one in executor["pairs"]]


def test_the_commands_say_what_the_page_says(takt, page):
    said = [done.out for _, done in run_commands(takt, PAGE)]
    shown = SAYS.findall((DOCS / PAGE).read_text(encoding="utf-8"))
    assert shown
    assert said[: len(shown)] == shown


def test_a_pool_of_before_let_them_run_side_by_side_already(takt, page):
    common = ("audit", "--schedule", "isolated.yaml", "--system", "car.yaml")
    listed = takt(*common, "--json", "--check")
    assert listed.code == 1
    assert pairs(listed) == [
        ("/fusion:timer(20ms)", "/fusion:sub(/image)"),
        ("/fusion:sub(/image)", "/fusion:timer(10ms)"),
    ]
    of_pool = takt(*common, "--json", "--check", "--pool")
    assert of_pool.code == 0
    assert pairs(of_pool) == []


def test_a_schedule_that_keeps_everything_apart_gives_an_empty_list(takt, page):
    one = (
        (page / "isolated.yaml")
        .read_text(encoding="utf-8")
        .replace("isolate: true", "across_priorities: allow")
    )
    (page / "one.yaml").write_text(one, encoding="utf-8")
    said = takt("audit", "--schedule", "one.yaml", "--system", "car.yaml", "--check")
    assert said.code == 0, said.err
    assert "one.yaml lets no callbacks run side by side that ran one at a time before" in said.out
    # What was side by side under the earlier schedule is not new.
    common = ("audit", "--schedule", "isolated.yaml", "--system", "car.yaml", "--json")
    assert pairs(takt(*common, "--before", "isolated.yaml")) == []
    assert len(pairs(takt(*common, "--before", "one.yaml"))) == 2


def test_takt_audit_writes_what_its_schema_has(page):
    from takt_cli.documents.document import as_json

    found = find_pairs(str(page / "isolated.yaml"), ["--system", str(page / "car.yaml")])
    assert faults("side_by_side", as_json(found)) == []


def test_wrong_input_is_one_message(takt, page):
    said = takt("audit", "--schedule", "isolated.yaml")
    assert (said.code, said.out) == (2, "")
    assert "--system" in said.err
    common = ("audit", "--schedule", "isolated.yaml", "--system", "car.yaml")
    said = takt(*common, "--executor", "mian")
    assert said.code == 2
    assert "mian" in said.err
    (page / "bad.yaml").write_text("version: 1\nexecutors: {}\n", encoding="utf-8")
    assert takt("audit", "--schedule", "bad.yaml", "--system", "car.yaml").code == 2


# ---- what they share ----

PROGRAM = re.compile(r"<!-- test: program -->\n```sh\n(.*?)```", re.DOTALL)
PROGRAM_SAYS = re.compile(r"<!-- test: program says -->\n```text\n(.*?)```", re.DOTALL)
PROGRAMS = Path(os.environ.get("TAKT_BUILD", "/nowhere"), "build/takt_rclcpp/test/audit")
POOL = """version: 1
executors:
  main:
    parallel: true
    threads: {pool: {count: 3}}
    default: pool
    callbacks:
      - {match: "/audited:timer(*)"}
"""
# Of audited_node.hpp.
SHARED = {
    ("10ms", "11ms"): ("audited::Node", None),
    ("12ms", "13ms"): (None, "audited::g_shared"),
    ("12ms", "16ms"): (None, "audited::g_shared"),
    ("13ms", "16ms"): (None, "audited::g_shared"),
    ("15ms", "/ticks"): ("audited::Store", None),
}


def need_program(name):
    """Skip a test without this program, and without takt_exec."""
    there = (PROGRAMS / name).is_file() and TAKT_EXEC is not None
    return pytest.mark.skipif(not there, reason=f"not built: {name}")


def run(folder, *arguments):
    """Run the command as a user does; a program has a ROS domain of its own."""
    command = [sys.executable, "-m", "takt_cli", *map(str, arguments)]
    environment = os.environ | private(folder)
    return subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env=environment, timeout=120
    )


def audited(folder, program, *options):
    """Run a program under the audit, and give its report."""
    file = folder / "run.json"
    said = run(
        folder, "exec", "--audit", *options, "--report", file, "--force", "--duration", "60s",
        "--", PROGRAMS / program,
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    report = json.loads(file.read_text(encoding="utf-8"))
    assert faults("exec_report", report) == []
    return file, report


def shares(folder, schedule, report):
    """Give the number of pairs, and what those share that share something, by their words."""
    said = run(folder, "audit", "--schedule", schedule, report, "--json")
    assert said.returncode == 0, said.stderr
    document = json.loads(said.stdout)
    assert faults("audit", document) == []
    (executor,) = document["executors"]
    listed = [
        (*(re.search(r"\((.*)\)", one[side]["id"]).group(1) for side in ("first", "second")),
         one["shares"])
        for one in executor["pairs"]
    ]  # fmt: skip
    assert all(one["seen"] for _, _, one in listed)
    return executor["pair_count"], {
        tuple(sorted((first, second), key=lambda one: (one[0] == "/", one))): one
        for first, second, one in listed
        if one["objects"] or one["variables"] or one["races"]
    }


@pytest.mark.parametrize(
    "program",
    [
        pytest.param("audited_ported", marks=need_program("audited_ported")),
        pytest.param("audited_adopted", marks=need_program("audited_adopted")),
    ],
)
def test_known_shares_are_found_and_no_others(program, tmp_path):
    file, _ = audited(tmp_path, program)
    (tmp_path / "pool.yaml").write_text(POOL, encoding="utf-8")
    count, found = shares(tmp_path, "pool.yaml", file)
    assert count == 27  # of 8 callbacks 28 pairs, of which one is in one group
    assert found.keys() == SHARED.keys()
    for pair, (of_object, variable) in SHARED.items():
        objects = [name.partition(" at ")[0] for name in found[pair]["objects"]]
        assert objects == ([of_object] if of_object else [])
        assert [one["name"] for one in found[pair]["variables"]] == ([variable] if variable else [])
    said = run(tmp_path, "audit", "--schedule", "pool.yaml", file, "--check")
    assert said.returncode == 1
    one_thread = POOL.replace("count: 3", "count: 1")
    (tmp_path / "one.yaml").write_text(one_thread, encoding="utf-8")
    assert run(tmp_path, "audit", "--schedule", "one.yaml", file, "--check").returncode == 0


@need_program("fusion")
def test_the_program_of_the_page_shares_what_the_page_says(page):
    (page / "fusion").symlink_to(PROGRAMS / "fusion")
    text = (DOCS / PAGE).read_text(encoding="utf-8")
    for line in PROGRAM.findall(text)[0].splitlines():
        said = run(page, *line.split()[1:])
        assert said.returncode == 0, said.stderr
    assert said.stdout == PROGRAM_SAYS.findall(text)[0]


@need_program("fusion")
def test_rules_that_match_are_not_told_as_unmatched_when_the_program_starts(page):
    rules = (page / "isolated.yaml").read_text(encoding="utf-8")
    rules += '      - {match: "/fusion:group(7)", isolate: true}\n'
    (page / "isolated.yaml").write_text(rules, encoding="utf-8")
    said = run(
        page, "exec", "--audit", "--schedule", "isolated.yaml", "--report", "run.json", "--",
        PROGRAMS / "fusion",
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    assert "'/fusion:group(7)' matches no callback group" in said.stderr
    assert "'/fusion:group(1)' matches no callback group" not in said.stderr


@need_program("fusion_tsan")
def test_races_have_their_callbacks(page):
    (page / "fusion_tsan").symlink_to(PROGRAMS / "fusion_tsan")
    text = (DOCS / PAGE).read_text(encoding="utf-8")
    for line in PROGRAM.findall(text)[1].splitlines():
        said = run(page, *line.split()[1:])
        assert said.returncode == 0, said.stderr
    report = json.loads((page / "races.json").read_text(encoding="utf-8"))
    assert faults("exec_report", report) == []
    races = {
        (one["first"]["callback"], one["second"]["callback"]) for one in report["audit"][0]["races"]
    }
    image = "/fusion:sub(/image)"
    # What ThreadSanitizer sees depends on the run; the timers are in one group.
    known = {(image, "/fusion:timer(10ms)"), (image, "/fusion:timer(20ms)")}
    # ThreadSanitizer cannot always restore the stack of the earlier access: that side has no
    # callback.
    complete = {race for race in races if "" not in race}
    assert races
    assert complete <= known
    assert {one for race in races for one in race} <= {one for race in known for one in race} | {""}
    assert "  race      " in said.stdout


def test_a_report_without_the_audit_is_refused(page):
    file = page / "report.json"
    empty = {"version": 1, "executors": [], "stock": [], "classes": [], "unseen": []}
    file.write_text(json.dumps(empty), encoding="utf-8")
    said = run(page, "audit", "--schedule", "isolated.yaml", file)
    assert said.returncode == 2
    assert "takt exec --audit" in said.stderr
    file.write_text("[]", encoding="utf-8")
    assert run(page, "audit", "--schedule", "isolated.yaml", file).returncode == 2
    assert run(page, "audit", "--schedule", "isolated.yaml", file, "--pool").returncode == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"executors:\n", "report.json:1:1: the file is not JSON, or only a part of it"),
        (b'{"executors": [\n', "report.json:2:1: the file is not JSON, or only a part of it"),
        (b"\x7fELF\xff\xfe", "report.json is not text, so it is not a report of takt exec"),
    ],
)
def test_a_file_that_is_not_json_is_refused_in_plain_words(takt, page, content, words):
    Path("report.json").write_bytes(content)
    said = takt("audit", "--schedule", "isolated.yaml", "report.json")
    assert said.code == 2
    assert words in said.err
    assert "takt exec --audit --report FILE -- PROGRAM" in said.err
    assert "Expecting" not in said.err
    assert "codec" not in said.err
