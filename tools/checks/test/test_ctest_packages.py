"""Results of one ctest over all packages are those of the packages."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "setup/ctest_packages.py"
LOG = """\
Test project /b/log/ctest
      Start 3: plan_test
1/4 Test #3: plan_test ........................   Passed   12.40 sec
2/4 Test #1: core_test ........................***Failed    0.20 sec
 3/4 Test #1: is said by a failed test ... Passed
3/4 Test #4: skips_test .......................***Skipped   0.10 sec
4/4 Test #5: long_test ........................***Timeout 300.00 sec

25% tests passed, 2 tests failed out of 4
"""
FOLDERS = [
    "/b/takt_core/test",
    "/b/takt_core/test",
    "/b/takt_plan",
    "/b/takt_plan",
    "/r/takt_bench/../oracles",
]


def test_each_package_has_its_tests_failures_and_seconds(tmp_path: Path) -> None:
    shown = {
        "tests": [
            {"name": "x", "properties": [{"name": "WORKING_DIRECTORY", "value": folder}]}
            for folder in FOLDERS
        ]
    }
    (tmp_path / "shown").write_text(json.dumps(shown))
    (tmp_path / "log").write_text(LOG)
    run = subprocess.run(
        [sys.executable, SCRIPT, tmp_path / "shown", tmp_path / "log"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.splitlines() == [
        "takt_bench 1 1 300",
        "takt_core 1 1 0",
        "takt_plan 2 0 12",
    ]
