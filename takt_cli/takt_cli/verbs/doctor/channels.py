"""Channels of takt_channel: what killed processes left in shared memory."""

from __future__ import annotations

import re

from takt_cli.verbs.doctor.examination import Examination
from takt_cli.verbs.doctor.finding import Check, Verdict
from takt_cli.verbs.doctor.locks import locked_files
from takt_cli.verbs.doctor.machine import Machine, Unreadable
from takt_cli.verbs.doctor.shared_memory import SHM, judge_unused

# The page of a channel; the names of all its other files have the same digits.
_BELL = re.compile("takt_bell_.*_([0-9a-f]{16})")
_LISTED = 4


def stale_channels(machine: Machine) -> dict[str, int]:
    """Give the channels that no process has: the digits of their names, and their bytes.

    Each process that has a channel holds a lock on its page.
    """
    names = machine.names(SHM)
    pages = {name: match[1] for name in names if (match := _BELL.fullmatch(name))}
    if not pages:
        return {}
    locked = locked_files(machine)
    stale = {}
    for name, digits in pages.items():
        try:
            facts = machine.facts(f"{SHM}/{name}")
            if (facts.device, facts.inode) not in locked:
                parts = [part for part in names if digits in part]
                stale[digits] = sum(machine.facts(f"{SHM}/{part}").size for part in parts)
        except Unreadable as gone:
            if not gone.absent:  # otherwise it was removed meanwhile
                raise
    return stale


def _judge_stale(look: Examination) -> Verdict:
    stale = stale_channels(look.machine)
    size = sum(stale.values())
    data = {"channels": sorted(stale), "bytes": size}
    listed = [f"{SHM}/takt_*{digits}*" for digits in sorted(stale)]
    remedy = f"`rm -r {' '.join(listed[:_LISTED])}`"
    if len(listed) > _LISTED:
        remedy += " and so on"
    remedy += "; the next program of the same user that opens a channel removes them, too"
    return judge_unused(look, "channels", len(stale), size, remedy, data)


CHECKS = (
    Check(
        "channel.stale",
        "Unused channels of takt",
        "none",
        "The processes of a channel that were all killed leave its messages behind. They fill "
        "/dev/shm until somebody removes them.",
        _judge_stale,
        to_read="run `takt doctor` as root outside of containers",
    ),
)
