"""Setting up says in one sentence why it cannot be done, and soon."""

import os
import subprocess
from pathlib import Path

import pytest

SETUP = Path(__file__).resolve().parents[2] / "setup"


def run(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run one of the scripts with nothing in its environment but this."""
    return subprocess.run(
        [SETUP / script],
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def debian_is_there() -> None:
    """Skip where Debian packages are missing: installing them is not for a test."""
    if run("debian.sh", PATH="/usr/bin:/bin").returncode != 0 or os.geteuid() != 0:
        pytest.skip("Debian packages are missing, or may not be looked at")


def test_no_network_is_one_sentence(tmp_path: Path, debian_is_there: None) -> None:
    nowhere = "http://127.0.0.1:9"
    done = run(
        "setup.sh", HOME=str(tmp_path), https_proxy=nowhere, http_proxy=nowhere, ROS="kilted"
    )
    assert done.returncode == 2
    begun, sentence, where = done.stderr.splitlines()
    assert begun.startswith("takt: setting up ROS 2")
    assert "no network, or the package index is not reachable" in sentence
    words = Path(where.removeprefix("takt: what the installer said is in "))
    assert "127.0.0.1" in words.read_text() or "proxy" in words.read_text().lower()


def test_debian_packages_come_before_anything_that_needs_python(tmp_path: Path) -> None:
    # Nothing is installed, and nothing can be. Without HOME the next step would say so.
    for name in ("dpkg-query", "dpkg", "apt-get", "sudo"):
        fake = tmp_path / name
        fake.write_text("#!/bin/sh\nexit 1\n")
        fake.chmod(0o755)
    done = run("setup.sh", PATH=f"{tmp_path}:/usr/bin:/bin")
    assert done.returncode == 2
    first, *_, last = done.stderr.splitlines()
    assert first.startswith("+ ")
    assert last.startswith("takt: could not install build-essential")


def test_no_home_is_one_sentence(debian_is_there: None) -> None:
    done = run("setup.sh")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "takt: neither HOME nor XDG_CACHE_HOME is set, so there is no place for the environment"
    ]
