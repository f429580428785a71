"""The report of `takt exec`: what adopted executors write, and what takt_exec reads and joins."""

import json
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from support.built import adopted_program, need
from support.exec_prefix import TAKT_EXEC
from support.private import private
from support.schemas import documents, faults

pytestmark = need(("takt_exec", "takt_rclcpp"))


@pytest.mark.skipif(adopted_program() is None, reason="takt was built without rclcpp")
@pytest.mark.parametrize("way", ["on_the_stack", "intra_process", "one_after_the_other"])
def test_adopted_executors_write_what_the_schema_has(tmp_path, way):
    file = tmp_path / "report.json"
    command = [TAKT_EXEC, "--report", file, "--", adopted_program(), way]
    subprocess.run(command, check=True, env=private(tmp_path), timeout=60)
    report = json.loads(file.read_text(encoding="utf-8"))
    assert report["executors"]
    assert faults("exec_report", report) == []


# Each example starts a program twice, so a failure is shown as it was found.
@settings(max_examples=10, deadline=None, phases=[Phase.generate])
@given(st.lists(documents("exec_report#executor"), min_size=1, max_size=20))
def test_reports_that_the_schema_allows_are_joined_to_one(reports):
    with tempfile.TemporaryDirectory() as folder:
        for number, report in enumerate(reports):
            Path(folder, f"{number}.json").write_text(json.dumps(report), encoding="utf-8")
        file = Path(folder, "joined")
        subprocess.run([TAKT_EXEC, "--join", "--report", file, folder], check=True)
        joined = json.loads(file.read_text(encoding="utf-8"))
        # Printed, too.
        subprocess.run([TAKT_EXEC, "--join", folder], check=True, capture_output=True)
    assert sum(one["spins"] for one in joined["executors"]) == len(reports)
    assert faults("exec_report", joined) == []
