"""The parts of a thread configurator's file about the machine. No schedule has them."""

from __future__ import annotations

import yaml

from takt_cli.base.printable import quoted
from takt_cli.verbs.import_.attributes import KEYS
from takt_cli.verbs.import_.marked_yaml import (
    UNMANAGEABLE,
    Entry,
    is_left_alone,
    is_todo,
    whole_number,
)

MACHINE_KEYS = ("hardware_info", "rt_throttling")
MACHINE_SECTIONS = ("kernel_threads", "irqs")
_NAMES = {"kernel_threads": "comm", "irqs": "irq"}
_KNOWN = {"kernel_threads": ("comm", *KEYS), "irqs": ("irq", "name", "affinity")}
_ADVICE = {
    "hardware_info": "run takt check on each machine",
    "rt_throttling": "set sysctl kernel.sched_rt_period_us and kernel.sched_rt_runtime_us in "
    "/etc/sysctl.d",
    "kernel_threads": "set it with chrt and taskset when the machine starts",
    "irqs": "write its cores to /proc/irq when the machine starts",
}
_WHY = {
    "hardware_info": "a schedule does not name the machine that it is for",
    "rt_throttling": "a schedule does not set limits of the whole machine",
}
_OF_A_PROCESS = "takt sets attributes of threads of its own process only"


def say_machine(top: Entry, tool: str) -> None:
    """Note for each part that would change the machine that the schedule lacks it."""
    for key, why in _WHY.items():
        if top.find(key) is not None:
            top.findings.dropped(top.keys[key], key, why, _ADVICE[key])
    entries = [(key, entry) for key in MACHINE_SECTIONS for entry in _entries(top, key)]
    every_core = _every_core([entry for _, entry in entries])
    for key, entry in entries:
        word = entry.text(_NAMES[key])
        if word is None and entry.find(_NAMES[key]) is None:
            top.findings.fault(entry.node, f"{entry.what} has no {_NAMES[key]}")
            continue
        if word is not None:
            entry.what = f"{_NAMES[key]} {quoted(word)} of {key}"
        entry.refuse_no_key(_KNOWN[key], tool)
        if not _is_as_found(entry, every_core):
            top.findings.dropped(entry.node, entry.what, _OF_A_PROCESS, _ADVICE[key])


def _entries(top: Entry, section: str) -> list[Entry]:
    found = []
    for item in top.items(section):
        if isinstance(item, yaml.MappingNode):
            found.append(Entry(item, f"this entry of {section}", top.findings))
        else:
            top.findings.fault(
                item,
                f"each entry of {section} must be a map that starts with '- {_NAMES[section]}:'",
            )
    return found


def _cores(entry: Entry) -> list[int]:
    node = entry.find("affinity")
    items = node.value if isinstance(node, yaml.SequenceNode) else ()
    return sorted({core for core in map(whole_number, items) if core is not None})


def _every_core(entries: list[Entry]) -> list[int]:
    """Give all cores of the machine if the entries are a template's: all that the machine has.

    A template marks values that nobody can change; a file written by hand has no such mark.
    """
    if not any(_is_mark(entry.find(key)) for entry in entries for key in entry.keys):
        return []
    highest = max((core for entry in entries for core in _cores(entry)), default=-1)
    return list(range(highest + 1)) if highest > 0 else []


def _is_mark(node: yaml.Node | None) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.value == UNMANAGEABLE


def _is_as_found(entry: Entry, every_core: list[int]) -> bool:
    """Tell whether the entry only asks for the kernel's defaults."""
    for key in KEYS:
        node = entry.find(key)
        if is_left_alone(node) or is_todo(node):
            continue
        if key == "affinity" and isinstance(node, yaml.SequenceNode):
            if node.value and _cores(entry) != every_core:
                return False
        elif key == "policy":
            if entry.text(key) != "SCHED_OTHER":
                return False
        elif node is not None and whole_number(node) != 0:
            return False
    return True
