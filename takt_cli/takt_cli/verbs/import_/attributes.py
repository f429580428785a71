"""Policies, priorities and cores of other tools as the attributes of a schedule's threads."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

import yaml

from takt_cli.base.printable import quoted
from takt_cli.base.units import duration_flag
from takt_cli.verbs.import_.marked_yaml import Entry, is_left_alone, is_todo, whole_number

Attributes = dict[str, Any]

# The highest number of a core in a schedule.
MOST_CORE = 4095
_POLICIES = {
    "SCHED_OTHER": "other",
    "SCHED_BATCH": "batch",
    "SCHED_IDLE": "idle",
    "SCHED_FIFO": "fifo",
    "SCHED_RR": "rr",
    "SCHED_DEADLINE": "deadline",
}
_NICE = range(-20, 20)
_DEADLINE_KEYS = ("runtime", "deadline", "period")
_TUNABLES = ("nice", "priority", *_DEADLINE_KEYS)
KEYS = ("policy", *_TUNABLES, "affinity")
_LONGEST_NS = 2**63 - 1
# Of the kernel, if nobody has changed sysctl kernel.sched_deadline_period_{min,max}_us.
_PERIODS_NS = range(100_000, 4_194_304_000 + 1)
_SHORTEST_RUNTIME_NS = 1024


def read_attributes(entry: Entry) -> Attributes:
    """Read the keys of a callback group or a thread of CallbackIsolatedExecutor or Agnocast."""
    attributes = _read_policy(entry)
    cores = read_cores(entry, "affinity")
    if cores and attributes.get("policy") == "deadline":
        entry.findings.dropped(
            entry.place("affinity"),
            f"{entry.what}: affinity {cores}",
            "takt gives threads of policy deadline no cores, because the kernel refuses that",
            "start the process in a cpuset of these cores",
        )
    elif cores:
        attributes["cores"] = cores
    return attributes


def find_policy(entry: Entry, key: str, policies: dict[str, str]) -> str | None:
    """Read a policy by its name; for an unknown or absent one add a fault and return None."""
    if entry.find(key) is None:
        entry.findings.fault(
            entry.place(key), f"{entry.what} has no {key}; add one of {', '.join(policies)}"
        )
        return None
    word = entry.text(key)
    if word is None or word in policies:
        return None if word is None else policies[word]
    # Each tool has a prefix that the other one lacks.
    bare = word.upper().removeprefix("SCHED_")
    close = [name for name in policies if name.removeprefix("SCHED_") == bare]
    close = close or get_close_matches(word.upper(), policies, n=1)
    entry.findings.fault(
        entry.keys[key],
        f"{entry.what}: unknown {key} {quoted(word)}; "
        + (f"did you mean {close[0]}?" if close else f"known are {', '.join(policies)}"),
    )
    return None


def read_cores(entry: Entry, key: str) -> list[int]:
    """Read a list of cores; absent, null and empty ones mean that the thread inherits its cores."""
    node = entry.find(key)
    if is_left_alone(node) or is_todo(node):
        return []
    cores: set[int] = set()
    for item in entry.items(key):
        core = whole_number(item)
        if core is None or not 0 <= core <= MOST_CORE:
            entry.findings.fault(
                item, f"{entry.what}: each core must be a whole number from 0 to {MOST_CORE}"
            )
        else:
            cores.add(core)
    return sorted(cores)


def say_undecided(entry: Entry, keys: tuple[str, ...]) -> bool:
    """Note the keys that a template leaves open; returns whether there are any."""
    open_keys = [key for key in keys if is_todo(entry.find(key))]
    if open_keys:
        entry.findings.undecided(
            entry.node,
            f"{entry.what}: {', '.join(open_keys)}",
            "the template says TODO, so the thread inherits",
            "decide, and write it into the schedule",
        )
    return bool(open_keys)


def _read_policy(entry: Entry) -> Attributes:
    if say_undecided(entry, KEYS) and any(
        is_todo(entry.find(key)) for key in ("policy", *_TUNABLES)
    ):
        return {}
    if "policy" in entry.keys and is_left_alone(entry.find("policy")):
        _say_stray(entry, "inherit", *_TUNABLES)
        return {}
    policy = find_policy(entry, "policy", _POLICIES)
    if policy is None:
        return {}
    attributes: Attributes = {"policy": policy}
    if policy in ("fifo", "rr"):
        _say_stray(entry, policy, "nice", *_DEADLINE_KEYS)
        priority = _needed(entry, "priority", 1, 99)
        return {**attributes, "priority": priority} if priority is not None else {}
    if policy == "deadline":
        _say_stray(entry, policy, "nice", "priority")
        return _read_deadline(entry)
    _say_stray(entry, policy, *_DEADLINE_KEYS)
    nice = _read_nice(entry)
    if nice is not None and policy != "idle":
        attributes["nice"] = nice
    elif nice:
        entry.findings.dropped(
            entry.place("nice"),
            f"{entry.what}: nice {nice}",
            "takt gives threads of policy idle no nice level",
            "use policy batch in the schedule if the level matters",
        )
    return attributes


def _read_nice(entry: Entry) -> int | None:
    """Read a nice level, which older files call priority."""
    findings = entry.findings
    if "nice" in entry.keys and is_left_alone(entry.find("nice")):
        return None
    if entry.find("nice") is not None:
        _say_stray(entry, "nice", "priority")
        return entry.whole("nice", _NICE[0], _NICE[-1])
    node = entry.find("priority")
    if node is None:
        findings.fault(entry.place("policy"), f"{entry.what} has no nice; add nice: 0")
        return None
    value = whole_number(node)
    if value is None:
        findings.fault(node, f"{entry.what}: priority must be a whole number")
    elif value not in _NICE:
        findings.undecided(
            entry.keys["priority"],
            f"{entry.what}: priority {value} of {entry.text('policy')}",
            "a nice level is from -20 to 19, so the thread inherits its nice level",
            "give the thread nice, or policy fifo with this priority",
        )
    else:
        if value != 0:
            findings.changed(
                entry.keys["priority"],
                f"{entry.what}: priority {value} of {entry.text('policy')}",
                f"this policy has no priorities, so takt wrote nice: {value}",
                "check that the nice level was meant: a larger one is less urgent",
            )
        return value
    return None


def _read_deadline(entry: Entry) -> Attributes:
    values = {key: _needed(entry, key, 1, _LONGEST_NS) for key in _DEADLINE_KEYS}
    runtime, deadline, period = values["runtime"], values["deadline"], values["period"]
    if runtime is None or deadline is None or period is None:
        return {}
    if not _SHORTEST_RUNTIME_NS <= runtime <= deadline <= period:
        entry.findings.fault(
            entry.place("policy"),
            f"{entry.what}: the kernel needs {_SHORTEST_RUNTIME_NS} <= runtime <= deadline <= "
            f"period, not {runtime}, {deadline}, {period}",
        )
        return {}
    if period not in _PERIODS_NS:
        entry.findings.dropped(
            entry.place("period"),
            f"{entry.what}: policy deadline with period {period}",
            f"kernels take periods from {_PERIODS_NS[0]} to {_PERIODS_NS[-1]} ns unless a sysctl "
            "allows others, so the thread inherits its policy",
            "change the period, or the sysctl and the schedule",
        )
        return {}
    return {
        "policy": "deadline",
        "runtime": duration_flag(runtime),
        "deadline": duration_flag(deadline),
        "period": duration_flag(period),
    }


def _needed(entry: Entry, key: str, least: int, most: int) -> int | None:
    """Read a number that the policy cannot do without."""
    if entry.find(key) is None:
        entry.findings.fault(
            entry.place("policy"),
            f"{entry.what} has no {key}, which {quoted(entry.text('policy') or '')} needs; "
            f"add {key}",
        )
        return None
    return entry.whole(key, least, most)


def _say_stray(entry: Entry, owner: str, *keys: str) -> None:
    """Note keys that belong to other policies; a zero has no effect, so it gets no note."""
    for key in keys:
        node = entry.find(key)
        if is_left_alone(node) or whole_number(node) == 0:
            continue
        value = node.value if isinstance(node, yaml.ScalarNode) else "..."
        entry.findings.dropped(
            entry.keys[key],
            f"{entry.what}: {key} {quoted(value)}",
            f"{key} has no effect beside {owner}"
            if owner == "nice"
            else f"{key} does not belong to policy {owner} and has no effect there",
            "remove the key, or change the policy and import again",
        )
