"""A takt_rcl node describes its types to a real rclpy node."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager

import pytest
from rclpy.node import Node
from rclpy_peer import PATIENCE, knows_clients, running, spin_until

interfaces = pytest.importorskip("type_description_interfaces.srv")

PEER = os.environ["TAKT_RCL_GENERIC_PEER"]
SERVICE = "/takt_peer/get_type_description"


def takt(*ros_arguments: str) -> AbstractContextManager[None]:
    """Run the takt half; it must end well."""
    return running([PEER, "std_msgs/msg/String", "--ros-args", *ros_arguments])


def test_a_type_is_described_with_its_source(python: Node) -> None:
    """The service knows the types of the node's publishers by their hashes, and no others."""
    client = python.create_client(interfaces.GetTypeDescription, SERVICE)
    with takt("-p", "start_type_description_service:=true"):
        assert client.wait_for_service(timeout_sec=PATIENCE)
        assert knows_clients(python, interfaces.GetTypeDescription, SERVICE)
        assert spin_until(python, lambda: python.count_publishers("/from_takt") == 1)
        of_publisher = python.get_publishers_info_by_topic("/from_takt")[0].topic_type_hash
        question = interfaces.GetTypeDescription.Request(
            type_name="std_msgs/msg/String", type_hash=str(of_publisher), include_type_sources=True
        )
        for _ in range(3):
            asked = client.call_async(question)
            assert spin_until(python, asked.done)
            answer = asked.result()
            assert answer.successful, answer.failure_reason
            described = answer.type_description.type_description
            assert described.type_name == "std_msgs/msg/String"
            assert [field.name for field in described.fields] == ["data"]
            assert "string data" in answer.type_sources[0].raw_file_contents
        question.type_hash = "RIHS01_" + "0" * 64
        asked = client.call_async(question)
        assert spin_until(python, asked.done)
        assert not asked.result().successful
        assert asked.result().failure_reason


def test_without_the_parameter_the_node_has_no_such_service(python: Node) -> None:
    """The parameter's default is false."""
    with takt():
        assert spin_until(
            python,
            lambda: (
                python.count_publishers("/from_takt") == 1
                and "takt_peer" in python.get_node_names()
            ),
        )
        services = python.get_service_names_and_types_by_node("takt_peer", "/")
        assert SERVICE not in [name for name, _ in services]
