"""The example of a bridge between a loop and ROS, built as its page says, and run for a second."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from support.private import private
from test_docs import DOCS

PAGE = DOCS / "control_loops.md"
COMMANDS = re.compile(r"```sh\n(cmake -S \$TAKT/examples/control_loop .*?)```", re.DOTALL)
INSTALL = Path(os.environ.get("TAKT_INSTALL", "/nowhere"))

pytestmark = [
    pytest.mark.skipif(
        not all((INSTALL / f"share/{name}/cmake").is_dir() for name in ("takt_host", "takt_rcl")),
        reason="takt_host or takt_rcl is not installed",
    ),
    pytest.mark.alone,
]


def test_the_pages_commands_build_and_run_the_example(tmp_path):
    (commands,) = COMMANDS.findall(PAGE.read_text(encoding="utf-8"))
    *build, run = commands.splitlines()
    assert len(build) == 2
    environment = private(tmp_path, TAKT=str(DOCS.parent), TAKT_CONFIGURATOR="none")

    def done(command):
        ended = subprocess.run(
            ["bash", "-ec", command],
            cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600,
        )  # fmt: skip
        assert ended.returncode == 0, f"{command}\n{ended.stdout}{ended.stderr}"
        return ended.stdout

    for command in build:
        done(command)
    said = done(re.sub(r" \d+$", " 1", run))
    assert re.fullmatch(r"\d+ cycles; [1-9]\d* outputs, the last one [\d.]+; 0 dropped\n", said)
