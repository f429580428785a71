"""A takt_rcl node forwards messages of rclpy whose types it knows by name only."""

from __future__ import annotations

import os
import subprocess
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from rclpy.node import Node
from rclpy.serialization import deserialize_message, serialize_message
from rclpy_peer import publish, running, spin_until
from sensor_msgs.msg import Image
from std_msgs.msg import Int32, String

PEER = os.environ["TAKT_RCL_GENERIC_PEER"]


MESSAGES = [
    ("std_msgs/msg/Int32", Int32(data=-7)),
    ("std_msgs/String", String(data="grüße" * 100)),
    (
        "diagnostic_msgs/msg/DiagnosticStatus",
        DiagnosticStatus(
            level=b"\x02", name="lidar", values=[KeyValue(key="a", value="1"), KeyValue(key="b")]
        ),
    ),
    ("sensor_msgs/msg/Image", Image(height=300, width=400, step=400, data=bytes(300 * 400))),
]


@pytest.mark.parametrize(("name", "message"), MESSAGES, ids=[name for name, _ in MESSAGES])
def test_messages_come_back_as_they_were(python: Node, name: str, message: Any) -> None:
    """Typed and serialised messages of rclpy come back, in order, also as bytes."""
    typed: list[Any] = []
    raw: list[bytes] = []
    python.create_subscription(type(message), "from_takt", typed.append, 10)
    python.create_subscription(type(message), "from_takt", raw.append, 10, raw=True)
    publisher = python.create_publisher(type(message), "to_takt", 10)
    with running([PEER, name]):
        assert spin_until(
            python,
            lambda: (
                publisher.get_subscription_count() == 1
                and python.count_publishers("/from_takt") == 1
            ),
        )
        # The other half of the match: a message before it may be lost.
        assert spin_until(python, lambda: publish(publisher, message) or bool(typed and raw))
        publish(publisher, type(message)())
        publish(publisher, serialize_message(message))
        wanted = [type(message)(), message]
        assert spin_until(python, lambda: typed[-2:] == wanted)
        # Fast DDS may have filled the bytes up.
        assert spin_until(
            python,
            lambda: [deserialize_message(one, type(message)) for one in raw[-2:]] == wanted,
        )


def test_an_unknown_type_ends_the_program_with_a_sentence() -> None:
    """The program says which package it lacks."""
    ended = subprocess.run(
        [PEER, "no_such_msgs/msg/Thing"], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert "no package 'no_such_msgs'" in ended.stderr
