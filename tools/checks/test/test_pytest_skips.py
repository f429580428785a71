"""The summary of a test run names the tests that were skipped."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "setup/pytest_skips.py"


def test_each_reason_is_a_line_with_the_number_of_its_tests(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(
        "import pytest\n"
        "need_browser = pytest.mark.skipif(True, reason='no Chromium is installed')\n"
        "@need_browser\n@pytest.mark.parametrize('one', [1, 2])\ndef test_page(one): ...\n"
        "@pytest.mark.skip(reason='needs root: as Chromium')\ndef test_root(): ...\n"
        "def test_good(): ...\n"
    )
    (tmp_path / "test_more.py").write_text(
        "from test_some import need_browser\n@need_browser\ndef test_other(): ...\n"
    )
    logs = []
    for name in ("test_some.py", "test_more.py"):
        command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", name]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode in (0, 5), done.stdout + done.stderr
        logs.append(tmp_path / f"{name}.log")
        logs[-1].write_text(done.stdout)
    said = subprocess.run([sys.executable, TOOL, *logs], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines() == [
        "Python                   3 skipped: no Chromium is installed",
        "Python                   1 skipped: needs root: as Chromium",
    ]
