"""`takt audit`: the pairs of callbacks, and what the page shows."""

import json

import pytest
from support.built import AUDIT, need
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
    (executor,) = json.loads(said.out)["executors"]
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
        ("/camera:timer(50ms)", "/fusion:sub(/image)"),
        ("/camera:timer(50ms)", "/fusion:timer(100ms)"),
    ]
    of_pool = takt(*common, "--json", "--check", "--pool")
    assert of_pool.code == 0
    assert pairs(of_pool) == []


def test_a_schedule_that_keeps_everything_apart_gives_an_empty_list(takt, page):
    one = (page / "isolated.yaml").read_text(encoding="utf-8").replace("isolate: true", "let: true")
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
