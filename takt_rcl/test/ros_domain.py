"""A ROS domain for each test process; import this before rclpy."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import IO


def own_domain() -> tuple[int, IO[str]]:
    """Take a ROS domain as ros_test_main.cpp does; the lock lasts as long as the file is open."""
    base = Path(os.environ.get("TMPDIR", "/tmp")) / f"takt-test-domains-{os.geteuid()}"
    base.mkdir(mode=0o700, exist_ok=True)
    for i in range(101):
        domain = 1 + (os.getpid() + i) % 101
        file = (base / str(domain)).open("a")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            continue
        return domain, file
    raise RuntimeError("no free ROS domain: 101 test processes are running")


DOMAIN, _LOCK = own_domain()
os.environ["ROS_DOMAIN_ID"] = str(DOMAIN)
os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
