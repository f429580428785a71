"""The parameter client of rclpy, as `ros2 param` uses it, and the parameters of a takt_rcl node."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest
import rclpy
from rcl_interfaces.msg import ParameterEvent, ParameterType
from rcl_interfaces.srv import ListParameters
from rclpy.node import Node
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.parameter_client import AsyncParameterClient
from rclpy_peer import knows_clients

PEER = os.environ["TAKT_RCL_PARAMETER_PEER"]
PATIENCE = 60.0
VALUES = {
    "flag": True,
    "text": "hello",
    "motor.rate": 10.0,
    "motor.count": 3,
    "bytes": [b"\x01", b"\x02"],
    "flags": [True, False],
    "counts": [1, 2],
    "rates": [0.5],
    "texts": ["a", "b"],
    "use_sim_time": False,
    "start_type_description_service": False,
}


class Python:
    """The Python half: waits for each answer."""

    def __init__(self) -> None:
        """Listen to events, and find the services of the other half."""
        self.node = Node("python_peer")
        self.events: list[ParameterEvent] = []
        self.node.create_subscription(ParameterEvent, "/parameter_events", self.events.append, 100)
        self.client = AsyncParameterClient(self.node, "takt_peer")
        assert self.client.wait_for_services(timeout_sec=PATIENCE)
        assert knows_clients(self.node, ListParameters, "/takt_peer/list_parameters")

    def spin_until(self, condition: Any) -> bool:
        """Run callbacks until the condition holds."""
        end = time.monotonic() + PATIENCE
        while not condition() and time.monotonic() < end:
            rclpy.spin_once(self.node, timeout_sec=0.05)
        return bool(condition())

    def answer(self, future: Any) -> Any:
        """Wait for the answer to a request."""
        assert self.spin_until(future.done)
        return future.result()

    def get(self, *names: str) -> list[Any]:
        """Ask for values."""
        response = self.answer(self.client.get_parameters(list(names)))
        return [parameter_value_to_python(value) for value in response.values]


@pytest.fixture
def takt() -> Iterator[subprocess.Popen[str]]:
    """Start a takt node; whatever happens, it ends."""
    with subprocess.Popen([PEER], stdout=subprocess.PIPE, text=True) as process:
        yield process
        if process.poll() is None:
            process.kill()


@pytest.fixture
def python(takt: subprocess.Popen[str]) -> Iterator[Python]:
    """Start a Python node beside the takt node."""
    rclpy.init()
    half = Python()
    yield half
    half.node.destroy_node()
    rclpy.shutdown()


def test_names_values_types_and_descriptors_are_read(python: Python) -> None:
    """As `ros2 param list`, `dump`, `get` and `describe` do."""
    listed = python.answer(python.client.list_parameters())
    assert sorted(listed.result.names) == sorted(VALUES)
    assert listed.result.prefixes == ["motor"]
    below = python.answer(python.client.list_parameters(["motor"]))
    assert below.result.names == ["motor.count", "motor.rate"]
    assert python.get(*VALUES) == list(VALUES.values())
    assert python.get("never") == [None]
    types = python.answer(python.client.get_parameter_types(["flag", "texts", "never"]))
    expected = (ParameterType.PARAMETER_BOOL, ParameterType.PARAMETER_STRING_ARRAY)
    assert tuple(types.types) == (*expected, ParameterType.PARAMETER_NOT_SET)
    described = python.answer(python.client.describe_parameters(["motor.rate"]))
    (rate,) = described.descriptors
    assert (rate.name, rate.description) == ("motor.rate", "runs per second")
    assert rate.type == ParameterType.PARAMETER_DOUBLE
    assert rate.floating_point_range[0].to_value == 100.0


def test_values_are_set_and_refused(python: Python, takt: subprocess.Popen[str]) -> None:
    """As `ros2 param set` does; events tell of the changes."""
    changes = [
        Parameter("motor.rate", value=20.0),
        Parameter("motor.rate", value=200.0),
        Parameter("text", value="no"),
        Parameter("counts", value=[7, 8, 9]),
        Parameter("flag", value=3),
    ]
    results = python.answer(python.client.set_parameters(changes)).results
    assert [one.successful for one in results] == [True, False, False, True, False]
    assert results[1].reason == "/takt_peer: parameter 'motor.rate': 200 is not in 0 to 100"
    assert results[2].reason == "not this text"
    assert python.get("motor.rate", "text", "counts") == [20.0, "hello", [7, 8, 9]]
    both = [Parameter("motor.rate", value=30.0), Parameter("text", value="no")]
    refused = python.answer(python.client.set_parameters_atomically(both)).result
    assert not refused.successful
    assert python.get("motor.rate") == [20.0]
    both[1] = Parameter("text", value="yes")
    assert python.answer(python.client.set_parameters_atomically(both)).result.successful
    assert python.get("motor.rate", "text") == [30.0, "yes"]

    def changed() -> list[list[str]]:
        ours = [event for event in python.events if event.node == "/takt_peer"]
        names = [[one.name for one in event.changed_parameters] for event in ours]
        return [some for some in names if some]

    assert python.spin_until(lambda: len(changed()) == 3)
    assert changed() == [["motor.rate"], ["counts"], ["motor.rate", "text"]]
    takt.send_signal(signal.SIGINT)
    words, _ = takt.communicate(timeout=PATIENCE)
    assert (takt.returncode, words) == (0, "rate 30\n")
