"""Applies fixes and undoes them. It reads each value back, and reports each outcome."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from takt_cli.verbs.doctor import journal
from takt_cli.verbs.doctor.interrupts import DEFAULT_AFFINITY, parse_mask
from takt_cli.verbs.doctor.machine import Machine, Unreadable, parse_core_list, shown
from takt_cli.verbs.doctor.plan import Action

# Of an interrupt that the kernel manages itself; since 6.10 it says EPERM, to root, too.
_KEPT_BY_THE_KERNEL = (errno.EIO, errno.EINVAL, errno.ENOSPC, errno.EPERM)
Result = Literal["done", "failed", "planned"]


@dataclass(frozen=True)
class Outcome:
    """The outcome of one action; `words` describes it for people."""

    action: Action
    result: Result
    words: str = ""

    def as_json(self) -> dict[str, Any]:
        """Give it for programs."""
        return {**asdict(self.action), "result": self.result, "words": self.words}


Tell = Callable[[Outcome], None]


def same_value(path: str, one: str, other: str) -> bool:
    """Whether two texts mean the same to the kernel, which spells cores in its own way."""
    try:
        if path == DEFAULT_AFFINITY:
            return parse_mask(one) == parse_mask(other)
        if path.endswith("_list"):
            return parse_core_list(one, path) == parse_core_list(other, path)
    except Unreadable:
        pass
    return one == other


def planned(machine: Machine, action: Action) -> Outcome:
    """Give the outcome of an action that is not carried out."""
    may = machine.may_write(action.path)
    return Outcome(action, "planned", "" if may else "this user may not write it")


def apply(machine: Machine, actions: Iterable[Action], undo_file: Path, tell: Tell) -> bool:
    """Write all values, after the undo file; returns whether all were written."""
    boot = journal.boot_id(machine)
    known, of_boot = journal.load(undo_file)
    if journal.is_forgotten(of_boot, boot):
        known = {}
    wanted = list(actions)
    entries = dict(known)
    for action in wanted:
        first = known.get(action.path)
        entries[action.path] = replace(action, before=first.before) if first else action
    journal.save(undo_file, entries, boot)
    complete = True
    for action in wanted:
        outcome = _write(machine, action, action.after)
        complete &= outcome.result == "done"
        if outcome.result == "failed" and _is_unchanged(machine, entries[action.path]):
            del entries[action.path]
        tell(outcome)
    journal.save(undo_file, entries, boot)
    return complete


def undo(machine: Machine, undo_file: Path, tell: Tell) -> bool:
    """Restore all values, the last one first; returns whether all fixes are undone."""
    entries, boot = journal.load(undo_file)
    complete = True
    for entry in reversed(list(entries.values())):
        back = replace(entry, before=entry.after, after=entry.before)
        outcome = _restore(machine, back)
        tell(outcome)
        if outcome.result == "done":
            del entries[entry.path]
        else:
            complete = False
    journal.save(undo_file, entries, boot)
    return complete


def _restore(machine: Machine, back: Action) -> Outcome:
    try:
        now = machine.read(back.path)
    except Unreadable as unreadable:
        return Outcome(back, "failed", unreadable.why)
    if same_value(back.path, now, back.after):
        return Outcome(back, "done", "it was so already")
    outcome = _write(machine, back, back.after)
    if outcome.result == "done" and not same_value(back.path, now, back.before):
        return replace(outcome, words=f"it had been changed to {shown(now)} since the fix")
    return outcome


def _write(machine: Machine, action: Action, value: str) -> Outcome:
    try:
        machine.write(action.path, value)
        now = machine.read(action.path)
    except Unreadable as unreadable:
        return Outcome(action, "failed", f"whether it was written is unknown: {unreadable.why}")
    except OSError as error:
        return Outcome(action, "failed", _refusal(action, error))
    if same_value(action.path, now, value):
        return Outcome(action, "done")
    return Outcome(action, "failed", f"the kernel kept {shown(now)}")


def _refusal(action: Action, error: OSError) -> str:
    if error.errno in (errno.EACCES, errno.EPERM) and not (
        os.geteuid() == 0 and error.errno == errno.EPERM
    ):
        return f"this user may not write {action.path}; run the command as root"
    if error.errno == errno.EROFS:
        return f"{action.path} is read-only here, as in a container; run the command outside of it"
    if action.finding == "irq.affinity" and error.errno in _KEPT_BY_THE_KERNEL:
        return "the kernel does not move this interrupt"
    return f"{action.path} cannot be written: {error.strerror}"


def _is_unchanged(machine: Machine, entry: Action) -> bool:
    try:
        return same_value(entry.path, machine.read(entry.path), entry.before)
    except Unreadable:
        return False
