"""A ROS domain for programs that must not meet the robot's nodes."""

from __future__ import annotations

import errno
import os
import random
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from takt_cli.base.errors import EXIT_FAILED, TaktError

_VARIABLE = "ROS_DOMAIN_ID"
# The ids of `takt_run`. The ports of higher ones overlap with the ephemeral ports of Linux. Users
# choose lower ones by hand.
_DOMAINS = range(20, 102)


@contextmanager
def private_domain() -> Iterator[int]:
    """Give the programs that this process starts a domain of their own.

    The lease is the name of an abstract socket, as of `takt_run`: it has one holder, and the kernel
    frees it at any end of the process.
    """
    lease, domain = lease_domain()
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = str(domain)
    try:
        yield domain
    finally:
        if before is None:
            os.environ.pop(_VARIABLE, None)
        else:
            os.environ[_VARIABLE] = before
        lease.close()


def lease_domain() -> tuple[socket.socket, int]:
    """Lease a free domain for as long as the socket is open, or until this process ends."""
    for domain in random.sample(_DOMAINS, len(_DOMAINS)):
        lease = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            lease.bind(f"\0takt_domain_{domain}")
        except OSError as error:
            lease.close()
            if error.errno != errno.EADDRINUSE:
                break
            continue
        if _is_silent(domain):
            return lease, domain
        lease.close()
    raise TaktError("no ROS domain is free on this machine", code=EXIT_FAILED)


def _is_silent(domain: int) -> bool:
    """Whether nobody here listens for the discovery of domain d, on UDP port 7400 + 250 d."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as port:
        try:
            port.bind(("", 7400 + 250 * domain))
        except OSError:
            return False
    return True
