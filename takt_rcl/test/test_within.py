"""A rclpy node joins and leaves the topic on which a takt_rcl process sends itself messages."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator

import pytest
import rclpy
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy_peer import PATIENCE, publish, spin_until
from std_msgs.msg import UInt64

WITHIN = os.environ["TAKT_RCL_WITHIN"]
OTHERS = 1_000_000


@pytest.fixture
def node() -> Iterator[Node]:
    """Start a Python node."""
    rclpy.init()
    node = Node("outside")
    yield node
    node.destroy_node()
    rclpy.shutdown()


@pytest.fixture
def within() -> Iterator[subprocess.Popen[str]]:
    """Start the takt process; whatever happens, it ends."""
    with subprocess.Popen([WITHIN], stdout=subprocess.PIPE, text=True) as process:
        yield process
        if process.poll() is None:
            process.kill()


def test_others_come_and_go(node: Node, within: subprocess.Popen[str]) -> None:
    """Each side gets every message once."""
    assert within.stdout is not None
    assert within.stdout.readline() == "ready\n"
    sent = 0
    for _ in range(3):
        heard: list[int] = []
        subscription = node.create_subscription(
            UInt64, "numbers", lambda m, to=heard: to.append(m.data), 1000
        )
        publisher = node.create_publisher(UInt64, "numbers", 1000)
        assert spin_until(node, lambda to=heard: len(to) >= 20)
        assert spin_until(node, lambda one=publisher: one.get_subscription_count() == 2)
        for _ in range(50):
            publish(publisher, UInt64(data=OTHERS + sent))
            sent += 1
            rclpy.spin_once(node, timeout_sec=0.01)
        assert spin_until(node, lambda to=heard: sum(one >= OTHERS for one in to) == 50)
        own = [one for one in heard if one < OTHERS]
        assert own == list(range(own[0], own[0] + len(own)))
        # A reliable publisher that ends may take unacknowledged messages along.
        assert publisher.wait_for_all_acked(Duration(seconds=PATIENCE))
        node.destroy_publisher(publisher)
        node.destroy_subscription(subscription)
    within.send_signal(signal.SIGINT)
    words, _ = within.communicate(timeout=PATIENCE)
    assert within.returncode == 0
    counts = re.fullmatch(r"published (\d+) taken (\d+) others (\d+) of (\d+) lost 0\n", words)
    assert counts, words
    published, taken, others, of = map(int, counts.groups())
    assert published == taken > 60
    assert others == of == sent
