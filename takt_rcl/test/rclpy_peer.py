"""What tests with a real rclpy node and a takt process share."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import rclpy
from rclpy.node import Node

PATIENCE = 60.0  # guards against hanging; it is not a measurement


def spin_until(node: Node, condition: Callable[[], bool], patience: float = PATIENCE) -> bool:
    """Run callbacks until the condition holds."""
    end = time.monotonic() + patience
    while not condition() and time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.05)
    return condition()


def publish(publisher: Any, message: Any) -> None:
    """Publish, and again if the writer's lock was taken.

    rmw_fastrtps refuses a message if another thread of the middleware has the writer for 100 ms
    (max_blocking_time), as on a busy machine. Then nothing was sent.
    """
    end = time.monotonic() + PATIENCE
    while True:
        try:
            publisher.publish(message)
        except RuntimeError:  # rclpy's RCLError
            if time.monotonic() > end:
                raise
        else:
            return


def knows_clients(node: Node, service: Any, name: str) -> bool:
    """Whether the server of a service knows all clients that the node has by now.

    A server that has not discovered the reader of a client's answers drops the answer after 100 ms
    (rmw_fastrtps), so a request on a busy machine may be served and not answered. Endpoints are
    discovered in the order of their making: if a new client gets an answer, all earlier ones are
    known.
    """
    client = node.create_client(service, name)
    known = client.wait_for_service(timeout_sec=PATIENCE)
    end = time.monotonic() + PATIENCE
    asked: list[Any] = []
    while known and time.monotonic() < end:
        asked.append(client.call_async(service.Request()))
        if spin_until(node, lambda: any(one.done() for one in asked), patience=2.0):
            break
    node.destroy_client(client)
    return any(one.done() for one in asked)


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
