"""A real rclpy node and a takt_rcl node talk to each other, in both directions."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import rclpy
from rclpy.node import Node
from rclpy_peer import publish
from sensor_msgs.msg import Image
from std_msgs.msg import String

PEER = os.environ["TAKT_RCL_PEER"]
PATIENCE = 60.0


class Python(Node):
    """The Python half."""

    def __init__(self) -> None:
        """Subscribe to what the other half sends, and publish what it wants."""
        super().__init__("python_peer")
        self.answers: list[str] = []
        self.images: list[Image] = []
        self.ask = self.create_publisher(String, "ask", 10)
        self.image = self.create_publisher(Image, "image", 10)
        self.create_subscription(String, "answer", lambda m: self.answers.append(m.data), 10)
        self.create_subscription(Image, "image_back", self.images.append, 10)

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


def wait_ready(python: Python, takt: subprocess.Popen[Any]) -> None:
    """Wait until all publishers and subscriptions know each other, on both sides."""
    assert takt.stdout is not None
    assert takt.stdout.readline() == "ready\n"
    writers = (python.ask, python.image)
    assert python.spin_until(lambda: all(one.get_subscription_count() for one in writers))


def end(takt: subprocess.Popen[Any]) -> str:
    """End the takt node as a user would, and return its last words."""
    takt.send_signal(signal.SIGINT)
    words, _ = takt.communicate(timeout=PATIENCE)
    assert takt.returncode == 0
    return str(words)


def test_strings_both_ways(python: Python, takt: subprocess.Popen[str]) -> None:
    """Every question is answered, in order."""
    wait_ready(python, takt)
    for i in range(20):
        publish(python.ask, String(data=f"question {i}"))
        assert python.spin_until(lambda n=i: len(python.answers) == n + 1)
    assert python.answers == [f"takt heard question {i}" for i in range(20)]
    assert end(takt) == "taken 20 lost 0\n"


def test_images_of_one_megabyte_both_ways(python: Python, takt: subprocess.Popen[str]) -> None:
    """Large messages come back whole."""
    wait_ready(python, takt)
    image = Image(height=1024, width=1024, step=1024, encoding="mono8")
    image.header.frame_id = "camera"
    for i in range(5):
        content = bytes((i + k) % 251 for k in range(1024)) * 1024
        image.data = content
        image.header.stamp.sec = i
        publish(python.image, image)
        assert python.spin_until(lambda n=i: len(python.images) == n + 1)
        back = python.images[-1]
        assert (back.header.stamp.sec, back.header.frame_id) == (i, "camera")
        assert bytes(back.data) == bytes([content[0] + 1]) + content[1:]
    assert end(takt) == "taken 5 lost 0\n"


def test_graph_shows_the_takt_node(python: Python, takt: subprocess.Popen[str]) -> None:
    """Python tools see the node with its topics."""
    wait_ready(python, takt)
    expected = {"/answer": ["std_msgs/msg/String"], "/image_back": ["sensor_msgs/msg/Image"]}

    def seen() -> bool:
        if "takt_peer" not in python.get_node_names():
            return False
        topics = dict(python.get_publisher_names_and_types_by_node("takt_peer", "/"))
        return expected.items() <= topics.items()

    assert python.spin_until(seen)
    end(takt)
