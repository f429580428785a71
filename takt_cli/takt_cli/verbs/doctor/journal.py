"""The undo file: which values fixes have replaced. It is written before the first fix."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.files.outputs import write_text
from takt_cli.verbs.doctor.machine import Machine, Unreadable
from takt_cli.verbs.doctor.plan import Action

_VERSION = 1
# Root restores the values of this file, so it may name only files that fixes write.
_PATHS = re.compile(
    r"/sys/devices/system/cpu/cpu[0-9]{1,5}/cpufreq/scaling_(governor|min_freq)"
    r"|/proc/sys/kernel/sched_rt_runtime_us"
    r"|/sys/kernel/debug/sched/fair_server/cpu[0-9]{1,5}/runtime"
    r"|/proc/irq/([0-9]{1,9}/smp_affinity_list|default_smp_affinity)"
)
_VALUE = re.compile(r"[0-9a-z_,-]{1,20000}")

Entries = dict[str, Action]
"""By path: one value each, with what it was before the first fix."""


def journal_path(environ: Mapping[str, str]) -> Path:
    """Give the place of the undo file."""
    state = environ.get("XDG_STATE_HOME", "")
    if state.startswith("/"):
        return Path(state, "takt", "doctor-undo.json")
    home = environ.get("HOME", "")
    if not home.startswith("/"):
        raise TaktError(
            "neither XDG_STATE_HOME nor HOME names a folder; takt keeps the undo file there",
            code=EXIT_FAILED,
        )
    return Path(home, ".local", "state", "takt", "doctor-undo.json")


def boot_id(machine: Machine) -> str:
    """Give the number that the kernel takes at each start; empty if it cannot be read."""
    try:
        return machine.read("/proc/sys/kernel/random/boot_id")
    except Unreadable:
        return ""


def is_forgotten(saved: str, now: str) -> bool:
    """Tell whether the machine has restarted since the fixes, which ends their effect."""
    return bool(saved and now and saved != now)


def load(path: Path) -> tuple[Entries, str]:
    """Read the undo file: its values, and the machine's start that they belong to."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}, ""
    except (OSError, UnicodeError) as error:
        raise _damaged(path, str(getattr(error, "strerror", None) or error)) from error
    try:
        data = json.loads(text)
        return {entry.path: entry for entry in _entries(data)}, str(data["boot_id"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _damaged(path, "it is not a file that takt wrote") from error


def _entries(data: Any) -> list[Action]:
    if data["version"] != _VERSION:
        raise ValueError("another version")
    entries = [Action(**entry) for entry in data["actions"]]
    for entry in entries:
        if not all(isinstance(value, str) for value in asdict(entry).values()):
            raise ValueError("not text")
        if not _PATHS.fullmatch(entry.path) or not _VALUE.fullmatch(entry.before):
            raise ValueError("a file or a value that no fix writes")
    return entries


def _damaged(path: Path, why: str) -> TaktError:
    return TaktError(
        f"the undo file {path} cannot be used: {why}",
        hint="takt changed nothing; move that file away if you do not need it",
        code=EXIT_FAILED,
    )


def save(path: Path, entries: Entries, boot: str) -> None:
    """Write the undo file as a whole; without entries there is none."""
    if not entries:
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        return
    actions = [asdict(entry) for entry in entries.values()]
    data = {"version": _VERSION, "boot_id": boot, "actions": actions}
    write_text(path, json.dumps(data, indent=2) + "\n")
