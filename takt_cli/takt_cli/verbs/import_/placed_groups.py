"""Threads for callback groups: one for each group, in as many executors as these threads need."""

from __future__ import annotations

from dataclasses import dataclass

from takt_cli.base.printable import quoted
from takt_cli.verbs.import_.attributes import Attributes
from takt_cli.verbs.import_.group_ids import Group, callbacks_beside_groups
from takt_cli.verbs.import_.marked_yaml import Entry
from takt_cli.verbs.import_.not_carried_over import Findings
from takt_cli.verbs.import_.written_schedule import MOST_THREADS, Executor

_DEFAULT = "rest"
_PARAMETERS = "parameters"


@dataclass
class BoundGroup:
    """A callback group with the attributes of its thread."""

    entry: Entry
    group: Group
    attributes: Attributes
    wildcard: bool


def place_groups(groups: list[BoundGroup], findings: Findings) -> list[Executor]:
    """Give each group a thread; when an executor is full, the next threads go to a new one."""
    executors = [_new_executor("main")]
    by_node: dict[str, list[BoundGroup]] = {}
    for bound in groups:
        by_node.setdefault(bound.group.node, []).append(bound)
    shared: dict[tuple[str, str], str] = {}  # of an executor: attributes to threads
    for node, own in by_node.items():
        needed = sum(not bound.group.only_parameters for bound in own)
        needed += len({repr(bound.attributes) for bound in own if bound.group.only_parameters})
        executor = executors[-1]
        if len(executor.threads) + needed > MOST_THREADS and len(executor.threads) > 1:
            executor = _new_executor(f"main_{len(executors) + 1}")
            executors.append(executor)
            findings.changed(
                own[0].entry.node,
                f"node {quoted(node)} and the nodes after it",
                f"an executor has at most {MOST_THREADS} threads, so takt began executor "
                f"'{executor.name}' of the schedule",
                "move all nodes of one process into one executor, because takt runs a process "
                "under one",
            )
        for bound in own:
            if bound.wildcard and len(own) > 1:
                bound.group.ids = callbacks_beside_groups(node)
            _place_one(bound, executor, shared)
    return executors


def _new_executor(name: str) -> Executor:
    # A configurator without a right reports that, and the program runs.
    executor = Executor(name, missing_rights="report")
    executor.default = executor.add_thread(_DEFAULT, {})
    return executor


def _place_one(bound: BoundGroup, executor: Executor, shared: dict[tuple[str, str], str]) -> None:
    entry, group = bound.entry, bound.group
    key = (executor.name, repr(bound.attributes))
    if group.only_parameters and key in shared:
        executor.bind(shared[key], group.ids)
        return
    if len(executor.threads) == MOST_THREADS:
        entry.findings.dropped(
            entry.node,
            entry.what,
            f"an executor has at most {MOST_THREADS} threads, and the groups before it have all",
            f"add its callbacks to the rule of another thread: {', '.join(group.ids[:3])}",
        )
        return
    wanted = _PARAMETERS if group.only_parameters else group.node.rpartition("/")[2]
    thread = executor.add_thread(wanted, bound.attributes)
    executor.bind(thread, group.ids)
    if group.only_parameters:
        shared[key] = thread
    if bound.wildcard:
        entry.findings.changed(
            entry.place("id"),
            entry.what,
            f"all groups of the node share thread '{thread}', where each had a thread of its own",
            f"give thread '{thread}' a count if its groups must run side by side",
        )
