"""A ROS domain for each test process: pytest reads this before the tests."""

from __future__ import annotations

import fcntl
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
import rclpy
from rclpy.node import Node

sys.path.insert(0, str(Path(__file__).parent))  # rclpy_peer.py

_locks: list[IO[str] | socket.socket] = []  # a lock lasts as long as its file is open


def take_own() -> None:
    """Take a free domain as ros_test_main.cpp does; call it before rclpy.init."""
    base = Path(os.environ.get("TMPDIR", "/tmp")) / f"takt-test-domains-{os.geteuid()}"
    base.mkdir(mode=0o700, exist_ok=True)
    for i in range(101):
        domain = 1 + (os.getpid() + i) % 101
        file = (base / str(domain)).open("a")
        lease = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            lease.bind(f"\0takt_domain_{domain}")
        except OSError:
            file.close()
            lease.close()
            continue
        _locks.extend((file, lease))
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
