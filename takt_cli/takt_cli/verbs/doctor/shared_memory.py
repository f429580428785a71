"""What ended processes left in shared memory: one judgement for Fast DDS and takt_channel."""

from __future__ import annotations

from typing import Any

from takt_cli.verbs.doctor.examination import Examination
from takt_cli.verbs.doctor.finding import Verdict
from takt_cli.verbs.doctor.machine import Unreadable
from takt_cli.verbs.doctor.services import hidden_processes

SHM = "/dev/shm"
# Of /dev/shm: where what nobody uses takes more, it is soon full.
_MUCH = 1 / 8


def judge_unused(
    look: Examination, what: str, count: int, size: int, remedy: str, data: dict[str, Any]
) -> Verdict:
    """Judge `count` things of `size` bytes that no visible process uses; `what` is their plural."""
    if not count:
        return Verdict("ok", "none", data=data)
    hidden = hidden_processes(look.machine)
    if hidden:
        raise Unreadable(f"{count} {what} may be unused, but {hidden}")
    now = f"{count} unused {what}, {size / 2**20:.1f} MiB"
    full = size > look.machine.space(SHM).total * _MUCH
    return Verdict("warn" if full else "note", now, remedy, data)
