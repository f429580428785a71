"""`ros2 param` and `ros2 service` of ros2cli, and the nodes of takt_rcl."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

# pytest fails a file whose tests are never collected, as after `importorskip`.
FOUND = all(
    importlib.util.find_spec(package) for package in ("ros2cli", "ros2param", "ros2service")
)
pytestmark = pytest.mark.skipif(
    not FOUND, reason="ros2cli with ros2param and ros2service is not installed"
)

PARAMETERS = os.environ["TAKT_RCL_PARAMETER_PEER"]
SERVICES = os.environ["TAKT_RCL_CALLING_PEER"]
PATIENCE = 120.0  # only a failing test waits so long


def ros2(*words: str) -> str:
    """Run a command of ros2cli, which must end well."""
    code, said = tried(*words)
    assert code == 0, f"ros2 {' '.join(words)}: {said}"
    return said


def tried(*words: str) -> tuple[int, str]:
    """Run a command of ros2cli without its daemon, which would outlive the test.

    Return its code and what it says.
    """
    program = "import sys; from ros2cli.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, check=False,
        timeout=PATIENCE,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr  # a refusal is on standard error


def until(words: str, *command: str) -> str:
    """Repeat a command until it ends well and its output has the words.

    Until it has discovered the node it ends badly, and the node's answer may be lost, too.
    """
    end = time.monotonic() + PATIENCE
    code, said = tried(*command)
    while (code != 0 or words not in said) and time.monotonic() < end:
        code, said = tried(*command)
    assert code == 0, said
    assert words in said
    return said


def param(verb: str, *words: str) -> str:
    """Run `ros2 param` on the node."""
    return ros2("param", verb, "--no-daemon", "--spin-time", "2", "/takt_peer", *words)


def started(program: str) -> Iterator[subprocess.Popen[str]]:
    """Start a takt node; whatever happens, it ends."""
    with subprocess.Popen([program], stdout=subprocess.PIPE, text=True) as process:
        yield process
        if process.poll() is None:
            process.kill()


@pytest.fixture
def parameters() -> Iterator[subprocess.Popen[str]]:
    """Start the node with parameters."""
    yield from started(PARAMETERS)


@pytest.fixture
def services() -> Iterator[subprocess.Popen[str]]:
    """Start the node with services."""
    yield from started(SERVICES)


def test_param_lists_gets_describes_sets_and_dumps(parameters: subprocess.Popen[str]) -> None:
    """The change reaches the node."""
    until("motor.rate", "param", "list", "--no-daemon", "--spin-time", "2", "/takt_peer")
    assert param("get", "motor.rate").strip() == "Double value is: 10.0"
    assert "runs per second" in param("describe", "motor.rate")
    assert "Set parameter successful" in param("set", "motor.rate", "25.5")
    assert "rate: 25.5" in param("dump")
    assert "not this text" in param("set", "text", "'no'")
    parameters.send_signal(signal.SIGINT)
    assert parameters.communicate(timeout=PATIENCE)[0].splitlines()[-1] == "rate 25.5"


def test_service_lists_types_and_calls(services: subprocess.Popen[str]) -> None:
    """The answer is that of the node's callback."""
    assert services.poll() is None
    until(
        "/takt_echo [diagnostic_msgs/srv/AddDiagnostics]",
        "service", "list", "--no-daemon", "--spin-time", "2", "-t",
    )  # fmt: skip
    called = ros2(
        "service", "call", "/takt_echo", "diagnostic_msgs/srv/AddDiagnostics",
        "{load_namespace: hello}",
    )  # fmt: skip
    assert "AddDiagnostics_Response(success=True" in called
    assert "hello" in called
