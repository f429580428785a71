"""Programs of experiments do not meet the robot's nodes."""

import os
import socket

import pytest
from takt_cli.base.errors import TaktError
from takt_cli.running import private_domain as subject
from takt_cli.running.private_domain import private_domain


def test_the_domain_is_leased_while_it_is_used_and_the_users_own_comes_back(monkeypatch):
    monkeypatch.setenv("ROS_DOMAIN_ID", "7")
    with private_domain() as first:
        assert os.environ["ROS_DOMAIN_ID"] == str(first)
        with private_domain() as second:
            assert first != second
            assert os.environ["ROS_DOMAIN_ID"] == str(second)
        assert os.environ["ROS_DOMAIN_ID"] == str(first)
    assert os.environ["ROS_DOMAIN_ID"] == "7"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as lease:
        lease.bind(f"\0takt_domain_{first}")  # free again


def test_a_domain_with_a_listener_is_not_taken(monkeypatch):
    monkeypatch.delenv("ROS_DOMAIN_ID", raising=False)
    with private_domain() as domain:
        free = domain
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as port:
        port.bind(("", 7400 + 250 * free))
        monkeypatch.setattr(subject, "_DOMAINS", range(free, free + 1))
        with pytest.raises(TaktError, match="no ROS domain is free"), private_domain():
            pass
    assert "ROS_DOMAIN_ID" not in os.environ
