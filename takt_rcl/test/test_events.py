"""A takt_rcl node and a real rclpy node see events of each other's publishers and subscriptions."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator

import pytest
from rclpy.duration import Duration
from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy_peer import PATIENCE, publish, spin_until
from std_msgs.msg import Int32

PEER = os.environ["TAKT_RCL_EVENT_PEER"]
DEADLINE = QoSProfile(
    depth=10,
    deadline=Duration(nanoseconds=50_000_000),
    liveliness_lease_duration=Duration(seconds=5),
)


class Takt:
    """The takt half, and the lines that it has printed so far."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Read the lines beside the test."""
        self.process = process
        self.lines: list[str] = []
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self) -> None:
        """Read until the process ends."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip())

    def end(self) -> None:
        """End the process as a user would."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(timeout=PATIENCE) == 0


@pytest.fixture
def takt() -> Iterator[Takt]:
    """Start a takt node; whatever happens, it ends."""
    with subprocess.Popen([PEER], stdout=subprocess.PIPE, text=True) as process:
        peer = Takt(process)
        yield peer
        if process.poll() is None:
            process.kill()
        peer.reader.join()


def test_matched_peers_come_and_go(python: Node, takt: Takt) -> None:
    """Both halves see the other's publisher and subscription come, and takt sees them go.

    Fast DDS may report one match to rclpy twice under load; the second report changes nothing.
    """
    seen: list[int] = []
    best_effort = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
    subscription = python.create_subscription(
        Int32,
        "from_takt",
        lambda _: None,
        best_effort,
        event_callbacks=SubscriptionEventCallbacks(
            matched=lambda info: seen.append(info.current_count)
        ),
    )
    publisher = python.create_publisher(Int32, "to_takt", 10)
    assert spin_until(python, lambda: {"from_takt matched 1", "to_takt matched 1"} <= {*takt.lines})
    assert spin_until(python, lambda: {*seen} == {1})
    python.destroy_subscription(subscription)
    python.destroy_publisher(publisher)
    assert spin_until(python, lambda: {"from_takt matched 0", "to_takt matched 0"} <= {*takt.lines})
    takt.end()
    assert len({*takt.lines}) == 4
    assert {*seen} == {1}


def test_incompatible_qos_is_told_to_both_halves(python: Node, takt: Takt) -> None:
    """A publisher that offers less than a subscription requests is an event of both halves."""
    offered: list[int] = []
    requested: list[int] = []
    python.create_subscription(
        Int32,
        "from_takt",
        lambda _: None,
        QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE),
        event_callbacks=SubscriptionEventCallbacks(
            incompatible_qos=lambda info: requested.append(info.total_count)
        ),
    )
    assert spin_until(python, lambda: takt.lines == ["reliability 1"])
    python.create_publisher(
        Int32,
        "to_takt",
        QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT),
        event_callbacks=PublisherEventCallbacks(
            incompatible_qos=lambda info: offered.append(info.total_count)
        ),
    )
    assert spin_until(python, lambda: takt.lines == ["reliability 1"] * 2)
    assert spin_until(python, lambda: offered == [1] and requested == [1])
    takt.end()


def test_deadlines_and_liveliness(python: Node, takt: Takt) -> None:
    """Takt sees its own and the other half's deadline pass, and the other half's publisher go."""
    python.create_subscription(Int32, "late", lambda _: None, 10)
    publisher = python.create_publisher(Int32, "watched", DEADLINE)
    assert spin_until(python, lambda: "watched alive 1" in takt.lines)
    publish(publisher, Int32())
    assert spin_until(python, lambda: {"late deadline 1", "watched deadline 1"} <= {*takt.lines})
    python.destroy_publisher(publisher)
    assert spin_until(python, lambda: "watched alive 0" in takt.lines)
    takt.end()
