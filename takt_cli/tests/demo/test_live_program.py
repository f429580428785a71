"""How `takt demo pendulum` starts takt_live: a small program of that name tells it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.proc import ended
from takt_cli.verbs.demo.live_demo import Common, follow, forwarding
from takt_cli.verbs.demo.live_program import LiveProgram

PATIENCE_S = 60
FAKE = f"""#!{sys.executable}
import json, os, signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
told = {{
    "kind": "told",
    "pid": os.getpid(),
    "cores": sorted(os.sched_getaffinity(0)),
    "domain": os.environ.get("ROS_DOMAIN_ID"),
    "range": os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE"),
}}
print(json.dumps(told), flush=True)
with open(os.environ["TOLD"] + ".part", "w") as file:
    json.dump(told, file)
os.rename(os.environ["TOLD"] + ".part", os.environ["TOLD"])
if "stay" in sys.argv or "pendulum" in sys.argv:
    sys.stdin.read()
"""


@pytest.fixture
def told(tmp_path, monkeypatch):
    """Put the program first among all of its name; give the file that it writes."""
    program = tmp_path / "lib/takt_workload/takt_live"
    program.parent.mkdir(parents=True)
    program.write_text(FAKE)
    program.chmod(0o755)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    monkeypatch.setenv("TOLD", str(tmp_path / "told.json"))
    monkeypatch.delenv("ROS_DOMAIN_ID", raising=False)
    monkeypatch.delenv("ROS_AUTOMATIC_DISCOVERY_RANGE", raising=False)
    return tmp_path / "told.json"


def run(cores):
    lines = []
    common = Common(duration_ns=None, cores=tuple(cores), load=True)
    assert not follow(["x"], common, lambda _, line: lines.append(json.loads(line)))
    return lines[0]


def test_the_whole_program_runs_on_the_cores(told):
    usable = sorted(os.sched_getaffinity(0))
    for cores in (usable[-1:], usable):
        assert run(cores)["cores"] == cores


def test_it_has_a_ros_domain_of_its_own_on_this_machine_only(told, monkeypatch):
    monkeypatch.setenv("ROS_DOMAIN_ID", "0")
    found = run(os.sched_getaffinity(0))
    assert 20 <= int(found["domain"]) < 102
    assert found["range"] == "LOCALHOST"
    assert os.environ["ROS_DOMAIN_ID"] == "0"
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET")
    assert run(os.sched_getaffinity(0))["range"] == "SUBNET"


def state(pid):
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def wait_for(condition):
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_ctrl_z_stops_the_program_too(told):
    demo = subprocess.Popen(
        [sys.executable, "-m", "takt_cli", "demo", "pendulum", "--port", "0", "--no-browser"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # A group whose parent is of the same session: the kernel lets Ctrl-Z stop no other one.
        preexec_fn=lambda: os.setpgid(0, 0),
        env={**os.environ, "SSH_CONNECTION": "192.0.2.1 5 192.0.2.2 22"},
    )  # fmt: skip
    try:
        page, domain, tunnel = (demo.stderr.readline() for _ in range(3))
        wait_for(told.exists)
        program = json.loads(told.read_text())
        port = page.partition("http://127.0.0.1:")[2].partition("/")[0]
        assert f"ROS_DOMAIN_ID={program['domain']} ros2 param set /pendulum" in domain
        assert f"ssh -L {port}:127.0.0.1:{port} " in tunnel
        for _ in range(2):
            demo.send_signal(signal.SIGTSTP)
            wait_for(lambda: state(demo.pid) == "T" and state(program["pid"]) == "T")
            demo.send_signal(signal.SIGCONT)
            wait_for(lambda: state(demo.pid) != "T" and state(program["pid"]) != "T")
        demo.send_signal(signal.SIGINT)
        _, said = demo.communicate(timeout=PATIENCE_S)
        assert demo.returncode == 0, said
        assert "Traceback" not in said
        assert ended(program["pid"])
    finally:
        demo.kill()
        demo.wait()


def test_the_end_of_the_block_ends_the_program(told):
    with LiveProgram(["stay"], sorted(os.sched_getaffinity(0))) as program:
        _, line = next(program.lines(lambda: False))
    assert ended(json.loads(line)["pid"])
    assert signal.getsignal(signal.SIGTSTP) is signal.SIG_DFL


@pytest.mark.parametrize(
    ("connection", "said"),
    [
        ("", ""),
        ("192.0.2.1 50000 192.0.2.2 22", "ssh -L 8765:127.0.0.1:8765 ada@192.0.2.2"),
        ("192.0.2.1 50000 192.0.2.2 2222", "ssh -L 8765:127.0.0.1:8765 -p 2222 ada@192.0.2.2"),
    ],
)
def test_the_way_through_ssh_is_told(monkeypatch, connection, said):
    monkeypatch.setenv("LOGNAME", "ada")
    words = forwarding(8765, {"SSH_CONNECTION": connection})
    assert words.endswith(said)
    assert bool(words) == bool(said)
