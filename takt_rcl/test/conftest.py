"""A ROS domain for each test process: pytest reads this before the tests."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import rclpy
from rclpy.node import Node

sys.path.insert(0, str(Path(__file__).parent))  # rclpy_peer.py

_leases: list[socket.socket] = []  # a lease lasts as long as its socket is open


def take_own() -> None:
    """Take a free domain as ros_test_main.cpp does; call it before rclpy.init."""
    for i in range(101):
        domain = 1 + (os.getpid() + i) % 101
        lease = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            lease.bind(f"\0takt_domain_{domain}")
        except OSError:
            lease.close()
            continue
        _leases.append(lease)
        os.environ["ROS_DOMAIN_ID"] = str(domain)
        os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        return
    raise RuntimeError("no free ROS domain: 101 test processes are running")


take_own()


@pytest.fixture
def python() -> Iterator[Node]:
    """Start a Python node."""
    rclpy.init()
    node = Node("python_peer")
    yield node
    node.destroy_node()
    rclpy.shutdown()
