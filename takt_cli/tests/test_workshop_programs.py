"""The rclcpp programs of the workshop under takt exec: wrong as they are, right by a file alone."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.exec_prefix import TAKT_EXEC
from test_docs import DOCS

RCLCPP = os.environ.get("TAKT_RCLCPP", "")
INSTALL = Path(os.environ.get("TAKT_INSTALL", "/nowhere"))
SOURCES = DOCS.parent / "examples/workshop"
TIMES = re.compile(r"(\w+) +(\d+) times, min +([\d.]+) ms, avg +([\d.]+) ms, max +([\d.]+) ms")

pytestmark = [
    pytest.mark.skipif(
        TAKT_EXEC is None or not RCLCPP or not (INSTALL / "lib/libtakt_rclcpp.so").exists(),
        reason="takt was built without rclcpp",
    ),
    pytest.mark.alone,
]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build the programs as a user's package."""
    folder = tmp_path_factory.mktemp("workshop")
    for command in (
        ["cmake", "-S", SOURCES, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo"],
        ["cmake", "--build", folder],
    ):
        subprocess.run(list(map(str, command)), check=True, timeout=900, capture_output=True)
    return folder


def run(program, *before):
    """Run it for some seconds; the least, mean and largest of each of its times, in ms."""
    environment = os.environ | {
        "ROS_DOMAIN_ID": "76",
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        "LD_LIBRARY_PATH": f"{os.environ['TAKT_PREFIX']}/lib:{os.environ['LD_LIBRARY_PATH']}",
    }
    process = subprocess.Popen(
        [*map(str, before), str(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=60)
    found = {name: tuple(map(float, times)) for name, _, *times in TIMES.findall(said)}
    assert "EndToEndDelay" in found, said + errors
    return found, errors


@pytest.mark.parametrize(
    ("program", "schedule"),
    [
        ("exercise_3", "following_pool"),
        ("exercise_4_1", "timer_own_thread"),
        ("exercise_4_2", "realtime_chain"),
    ],
)
def test_a_schedule_alone_makes_the_program_right(built, program, schedule):
    command = [sys.executable, "-m", "takt_cli", "exec", "--schedule"]
    wrong, _ = run(built / program)
    right, errors = run(built / program, *command, SOURCES / f"{schedule}.yaml", "--")
    if "refused" in errors or "may not" in errors:
        pytest.skip("real-time priorities are missing")
    if program == "exercise_4_1":
        spread = [found["period"][2] - found["period"][0] for found in (wrong, right)]
        assert spread[1] < spread[0]
    else:
        assert right["EndToEndDelay"][1] < wrong["EndToEndDelay"][1]
