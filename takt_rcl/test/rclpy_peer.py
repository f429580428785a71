"""What tests with a real rclpy node and a takt process share."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import rclpy
from rclpy.node import Node

PATIENCE = 60.0  # guards against hanging; it is not a measurement


def spin_until(node: Node, condition: Callable[[], bool]) -> bool:
    """Run callbacks until the condition holds."""
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.05)
    return condition()


@contextmanager
def running(command: Sequence[str]) -> Iterator[None]:
    """Run the takt half; it must end well."""
    with subprocess.Popen(command) as process:
        try:
            yield
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=PATIENCE) == 0
        finally:
            process.kill()
