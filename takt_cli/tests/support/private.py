"""An environment for programs of one test, which other programs on this machine do not notice."""

import os

from takt_cli.running.private_domain import lease_domain

_lease, DOMAIN = lease_domain()  # of this process of pytest, until it ends


def private(folder, **more):
    """Give the present environment with own sockets, logs and messages."""
    return os.environ | {
        "TAKT_RUNTIME_DIR": str(folder / "run"),
        "ROS_DOMAIN_ID": str(DOMAIN),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        "ROS_LOG_DIR": str(folder),
        **more,
    }
