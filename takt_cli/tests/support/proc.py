"""Processes as /proc shows them."""

from pathlib import Path


def ended(pid):
    """Whether a process is gone, or only waits for somebody to ask for its exit code."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
        return stat.rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
