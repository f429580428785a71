"""A real rclpy node and a takt_rcl node call each other's services."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator

import pytest
import rclpy
from diagnostic_msgs.srv import AddDiagnostics
from rcl_interfaces.srv import ListParameters
from rclpy.node import Node
from rclpy_peer import knows_clients

PEER = os.environ["TAKT_RCL_CALLING_PEER"]
PATIENCE = 60.0


class Python(Node):
    """The Python half."""

    def __init__(self) -> None:
        """Offer a service to the other half, and make a client of its service."""
        super().__init__("python_peer")
        self.heard: list[str] = []
        self.create_service(AddDiagnostics, "python_echo", self.echo)
        self.client = self.create_client(AddDiagnostics, "takt_echo")

    def echo(
        self, request: AddDiagnostics.Request, response: AddDiagnostics.Response
    ) -> AddDiagnostics.Response:
        """Answer a question of the other half."""
        self.heard.append(request.load_namespace)
        response.success = True
        response.message = f"python heard {request.load_namespace}"
        return response

    def spin_until(self, condition: Callable[[], bool]) -> bool:
        """Run callbacks until the condition holds."""
        end = time.monotonic() + PATIENCE
        while not condition() and time.monotonic() < end:
            rclpy.spin_once(self, timeout_sec=0.05)
        return condition()


@pytest.fixture
def python() -> Iterator[Python]:
    """Start a Python node."""
    rclpy.init()
    node = Python()
    yield node
    node.destroy_node()
    rclpy.shutdown()


@pytest.fixture
def takt() -> Iterator[subprocess.Popen[str]]:
    """Start a takt node; whatever happens, it ends."""
    with subprocess.Popen([PEER], stdout=subprocess.PIPE, text=True) as process:
        yield process
        if process.poll() is None:
            process.kill()


def end(takt: subprocess.Popen[str]) -> list[str]:
    """End the takt node as a user would, and return the lines that it printed."""
    takt.send_signal(signal.SIGINT)
    words, _ = takt.communicate(timeout=PATIENCE)
    assert takt.returncode == 0
    return str(words).splitlines()


def test_services_both_ways(python: Python, takt: subprocess.Popen[str]) -> None:
    """Each half answers each request of the other, in order."""
    assert python.client.wait_for_service(timeout_sec=PATIENCE)
    assert knows_clients(python, ListParameters, "/takt_peer/list_parameters")
    for i in range(10):
        request = AddDiagnostics.Request(load_namespace=f"question {i}")
        future = python.client.call_async(request)
        assert python.spin_until(future.done)
        assert future.result().success
        assert future.result().message == f"takt heard question {i}"
    assert python.spin_until(lambda: len(python.heard) == 5)
    assert python.heard == [f"question {i}" for i in range(5)]
    last = python.client.call_async(AddDiagnostics.Request(load_namespace="later"))
    assert python.spin_until(last.done)
    assert last.result().message == "takt heard later"
    *answers, report = end(takt)
    assert answers == [f"python heard question {i}" for i in range(5)]
    assert report == "served 11 asked 5 answered 5"


def test_the_graph_has_service_and_client(python: Python, takt: subprocess.Popen[str]) -> None:
    """Python tools see the takt node's service and client with their type."""
    types = ["diagnostic_msgs/srv/AddDiagnostics"]

    def seen() -> bool:
        if "takt_peer" not in python.get_node_names():
            return False
        services = dict(python.get_service_names_and_types_by_node("takt_peer", "/"))
        clients = dict(python.get_client_names_and_types_by_node("takt_peer", "/"))
        return services.get("/takt_echo") == types and clients.get("/python_echo") == types

    assert python.spin_until(seen)
    end(takt)
