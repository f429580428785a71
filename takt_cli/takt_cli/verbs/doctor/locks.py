"""Files that processes have locked: who uses a file in shared memory."""

from __future__ import annotations

import re

from takt_cli.verbs.doctor.machine import Machine, Unreadable, shown

LOCKS = "/proc/locks"

FileId = tuple[tuple[int, int], int]
"""Device and inode."""


def locked_files(machine: Machine) -> set[FileId]:
    """Give all locked files, of all users."""
    text = machine.read(LOCKS)
    found = re.findall(
        r" ([0-9a-f]{2,8}):([0-9a-f]{2,8}):([0-9]{1,20}) [0-9]+ (?:[0-9]+|EOF)$",
        text,
        re.MULTILINE,
    )
    if text and not found:
        raise Unreadable(f"{LOCKS} says '{shown(text)}', which is not a list of locks")
    return {((int(major, 16), int(minor, 16)), int(inode)) for major, minor, inode in found}
