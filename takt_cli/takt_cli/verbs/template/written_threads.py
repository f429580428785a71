"""The threads of running executors as entries of a schedule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from takt_cli.base.units import duration_flag
from takt_cli.control.attributes import Attributes, differences
from takt_cli.control.status import Thread

Values = dict[str, str]
_NUMBERED = re.compile(r"(.+)\.([0-9]+)")


@dataclass
class Entry:
    """One entry of `threads`: threads with equal attributes in the schedule."""

    name: str
    threads: list[Thread]

    @property
    def written(self) -> str:
        """Its name as the schedule may have it."""
        return safe_name(self.name)

    def words_of(self, thread: Thread) -> str:
        """Name one thread of it."""
        if len(self.threads) == 1:
            return self.written
        return f"{self.written}.{self.threads.index(thread)}"


def safe_name(text: str, more: str = "") -> str:
    """Replace the characters that names of a schedule cannot have."""
    return re.sub(f"[^A-Za-z0-9_{re.escape(more)}-]", "_", text) or "_"


def entries_of(threads: Iterable[Thread]) -> list[Entry]:
    """Join a.0, a.1, a.2 in one entry a; any other thread has its own entry."""
    found: list[Entry] = []
    for thread in threads:
        match = _NUMBERED.fullmatch(thread.name)
        base, number = (match.group(1), int(match.group(2))) if match else (thread.name, 0)
        last = found[-1] if found else None
        if match and last and last.name == base and number == len(last.threads):
            last.threads.append(thread)
        else:
            found.append(Entry(base if match and number == 0 else thread.name, [thread]))
    return found


def values_of(threads: Sequence[Thread], usual: frozenset[int]) -> Values:
    """Give the keys of an entry: the granted attributes that are not defaults.

    `usual`: the cores of a thread of that process without requested cores. If the threads of the
    entry differ, the first one counts.
    """
    first = threads[0]
    values: Values = {"count": str(len(threads))} if len(threads) > 1 else {}
    values |= policy_values(first.granted, first.asked)
    if first.follow:
        values["follow"] = "true"
    if first.stack:
        values["stack"] = _size(first.stack)
    if first.granted.policy == "deadline":  # the kernel refuses this policy with cores
        return values
    cores = [thread.granted.cores for thread in threads]
    if first.asked.cores or not usual <= set(first.granted.cores):
        turns = _turns(cores)
        if turns:
            values |= {"cores": _flow(turns), "spread": "true"}
        elif cores[0]:
            values["cores"] = _flow(cores[0])
    return values


def _size(of_bytes: int) -> str:
    for unit, factor in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if of_bytes % factor == 0:
            return f"{of_bytes // factor}{unit}"
    return f"{of_bytes}B"


def policy_values(has: Attributes, asked: Attributes) -> Values:
    """Give policy with priority, nice level or times."""
    if has.policy in ("fifo", "rr"):
        return {"policy": has.policy, "priority": str(has.priority)}
    if has.policy == "deadline":
        runtime, deadline, period = has.reservation()
        times = {"runtime": runtime, "deadline": deadline, "period": period}
        return {"policy": "deadline", **{key: duration_flag(ns) for key, ns in times.items()}}
    values: Values = {}
    if has.policy in ("batch", "idle") or has.policy == asked.policy == "other":
        values["policy"] = has.policy
    if has.policy != "idle" and (has.nice or (asked.nice is not None and has.nice is not None)):
        values["nice"] = str(has.nice)
    return values


def _turns(cores: Sequence[tuple[int, ...]]) -> list[int]:
    """Give the cores if each thread has one, in turn; otherwise none."""
    if len(cores) < 2 or any(len(own) != 1 for own in cores):
        return []
    turns = sorted({own[0] for own in cores})
    in_turn = all(own[0] == turns[index % len(turns)] for index, own in enumerate(cores))
    return turns if in_turn and len(turns) > 1 else []


def _flow(cores: Iterable[int]) -> str:
    return f"[{', '.join(map(str, sorted(set(cores))))}]"


def remarks_on(entry: Entry, usual: frozenset[int]) -> list[str]:
    """Describe the facts that the entry lacks: refused, changed and differing threads."""
    first = values_of(entry.threads[:1], usual)
    said = []
    for thread in entry.threads:
        name = entry.words_of(thread)
        if name.partition(".")[0] != thread.name.partition(".")[0]:
            said.append(f"{name} is named {thread.name} now, which a schedule cannot name")
        asked = thread.asked
        if differences(asked, thread.granted, follows=thread.follow):
            said.append(f"{name} was asked {asked}; it was granted {thread.granted}")
        own = values_of([thread], usual)
        if {**own, "cores": ""} != {**first, "cores": ""}:
            said.append(f"{name} differs from the first thread: {thread.granted}")
    return said
