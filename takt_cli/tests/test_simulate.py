"""`takt simulate` with the real program."""

import json

from support.built import SIMULATE, need

SYSTEM = """version: 1
hosts: {car: {cores: 2}}
callbacks:
  - {id: "/a:timer(10ms)", time: 4ms, period: 10ms, publishes: /a}
  - {id: "/b:sub(/a)", time: 2ms, triggers: /a}
chains: {both: {path: ["/a:timer(10ms)", "/b:sub(/a)"], deadline: 8ms}}
"""
SCHEDULE = """version: 1
executors:
  main: {threads: {t: {policy: fifo, priority: 50, cores: [0]}}, default: t}
"""


@need(*SIMULATE)
def test_responses_are_said_and_a_timeline_is_written(takt, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "system.yaml").write_text(SYSTEM)
    (tmp_path / "schedule.yaml").write_text(SCHEDULE)
    said = takt("simulate", "system.yaml", "schedule.yaml", "--trace", "t.json")
    assert said.code == 0, said.err
    assert "both" in said.out
    assert "6.00 ms" in said.out
    assert "t.json" in said.out
    assert json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    result = json.loads(takt("simulate", "system.yaml", "schedule.yaml", "--json").out)
    assert result["chains"][0]["worst_ns"] == 6_000_000


@need(*SIMULATE)
def test_a_timeline_replaces_no_file_unless_it_is_forced(takt, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "system.yaml").write_text(SYSTEM)
    (tmp_path / "schedule.yaml").write_text(SCHEDULE)
    (tmp_path / "t.json").write_text("mine")
    asked = ("simulate", "system.yaml", "schedule.yaml", "--trace")
    said = takt(*asked, "t.json")
    assert (said.code, said.out) == (2, "")
    assert "t.json exists; name another file, or replace it with --force" in said.err
    assert (tmp_path / "t.json").read_text() == "mine"
    assert takt(*asked, "t.json", "--force").code == 0
    assert json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    for name, what in (("system", "system model"), ("schedule", "schedule")):
        said = takt(*asked, f"{name}.yaml", "--force")
        assert said.code == 2
        assert f"--trace names the {what} that takt reads" in said.err


@need(*SIMULATE)
def test_faults_of_both_files_have_file_line_and_column(takt, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "system.yaml").write_text(SYSTEM.replace("cores", "core"))
    (tmp_path / "schedule.yaml").write_text(SCHEDULE.replace("default", "defualt"))
    said = takt("simulate", "system.yaml", "schedule.yaml")
    assert said.code == 2
    assert "system.yaml:2:" in said.err
    assert "schedule.yaml:3:" in said.err
