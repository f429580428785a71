"""A takt_rcl subscription filters the messages of a real rclpy node by their content."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from rclpy.node import Node
from rclpy_peer import PATIENCE, publish
from std_msgs.msg import Int32, String

PEER = os.environ["TAKT_RCL_FILTER_PEER"]


@pytest.fixture
def lines() -> Iterator[list[str]]:
    """Start a takt node and collect its lines; it must end well."""
    collected: list[str] = []
    with subprocess.Popen([PEER], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        stdout = process.stdout

        def read() -> None:
            for line in stdout:
                collected.append(line.rstrip())

        reader = threading.Thread(target=read)
        reader.start()
        try:
            yield collected
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=PATIENCE) == 0
        finally:
            process.kill()
            reader.join()


def wait_until(condition: Callable[[], bool]) -> bool:
    """Wait for the condition."""
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def test_the_filter_chooses_and_changes(python: Node, lines: list[str]) -> None:
    """Only the numbers that the present filter chooses reach the callback."""
    numbers = python.create_publisher(Int32, "numbers", 10)
    filters = python.create_publisher(String, "filter", 10)

    def got() -> list[str]:
        # Without the answers: one more message of the filter may be under way, and repeats it.
        return [line for line in lines if not line.startswith("filter")]

    def publish_and_expect(wanted: list[int]) -> None:
        assert wait_until(lambda: numbers.get_subscription_count() == 1)
        # The other half of the match: a message before it may be lost. All filters pass 9.
        assert wait_until(lambda: got()[-1:] == ["9"] or publish(numbers, Int32(data=9)))
        for value in (1, 2, 6, 3, 7, 10):
            publish(numbers, Int32(data=value))
        assert wait_until(lambda: got()[-1:] == ["10"])
        seen = got()
        since = max(i for i, line in enumerate(seen) if line == "9")
        assert seen[since + 1 :] == [str(one) for one in wanted]

    publish_and_expect([1, 6, 7, 10])
    assert wait_until(lambda: filters.get_subscription_count() == 1)
    for text, wanted in (("data > 6", [7, 10]), ("", [1, 2, 6, 3, 7, 10]), ("data > 7", [10])):
        assert wait_until(
            lambda text=text: (  # type: ignore[misc]
                f"filter {text}".rstrip() in lines or publish(filters, String(data=text))
            )
        )
        publish_and_expect(wanted)
