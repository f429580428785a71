"""A verb and the program in C++ behind it declare the same options.

Both parse them: the verb to refuse wrong ones at once, the program for those who start it alone. An
option that only one of them has is named here, so that none is forgotten when the other changes.
`takt exec` and `takt model -- PROGRAM` hand on what they get; test_exec.py compares their help.
"""

import re
import subprocess
from dataclasses import dataclass, field

import pytest
from takt_cli.app import app_for
from takt_cli.base.programs import find_program, find_program_or_none
from typer.main import get_command


@dataclass(frozen=True)
class Both:
    """A verb, its program, and the options of only one of them."""

    program: tuple[str, str]
    words: tuple[str, ...] = ()  # of the program, before its options
    only_verb: frozenset[str] = frozenset()
    only_program: frozenset[str] = frozenset()
    renamed: dict[str, str] = field(default_factory=dict)  # option of the verb: of the program


def options(*names):
    return frozenset(f"--{name}" for name in names)


VERBS = {
    "audit": Both(
        ("takt_audit", "takt_schedule"),
        only_verb=options("check", "json", "pool", "schedule"),
        only_program=options("in-groups", "program"),
    ),
    "check": Both(
        ("takt_check", "takt_schedule"),
        only_verb=options("against"),
        only_program=options("ids", "models"),
        renamed={"--core-count": "--cores"},
    ),
    "explain": Both(
        ("takt_explain", "takt_plan"),
        only_verb=options("force", "timeline"),
        only_program=options("jobs", "models"),
    ),
    "graph": Both(
        ("takt_graph", "takt_workload"),
        ("system",),
        only_verb=options("json"),
        renamed={"--core-count": "--cores"},
    ),
    "latency": Both(
        ("takt_latency", "takt_bench"),
        only_verb=options("compare-fair", "core-count", "cyclictest", "force", "html", "json"),
        only_program=options("progress"),
        renamed={"--cpus": "--cores"},
    ),
    "model": Both(("takt_trace", "takt_trace"), ("model",), only_verb=options("force")),
    "plan": Both(
        ("takt_plan", "takt_plan"),
        only_verb=options("force", "plot"),
        only_program=options("document", "models"),
    ),
    "run": Both(
        ("takt_run", "takt_workload"),
        only_verb=options("check", "force", "guard", "guard-ignore", "guard-report", "json"),
        only_program=options("json-progress", "quiet"),
        renamed={"--cpus": "--cores"},
    ),
    "simulate": Both(("takt_simulate", "takt_plan"), only_verb=options("force")),
}


@pytest.mark.parametrize("verb", VERBS)
def test_verb_and_program_have_the_same_options(verb):
    both = VERBS[verb]
    if find_program_or_none(*both.program) is None:
        pytest.skip(f"not built: {both.program[0]}")
    done = subprocess.run(
        [find_program(*both.program), *both.words, "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    of_program = set(re.findall(r"^ +(?:-[a-z], ?)?(--[a-z-]+)", done.stdout, re.MULTILINE))
    command = get_command(app_for([verb])).commands[verb]
    of_verb = {name for one in command.params for name in one.opts if name.startswith("--")}
    assert both.only_verb <= of_verb
    assert both.only_program <= of_program
    assert {both.renamed.get(name, name) for name in of_verb - both.only_verb} == (
        of_program - both.only_program - {"--help", "--help-all"}
    )
