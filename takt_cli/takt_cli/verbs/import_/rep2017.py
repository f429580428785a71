"""Thread attributes in the form of REP-2017: a list of tags with policy, priority and cores."""

from __future__ import annotations

import os

import yaml

from takt_cli.base.printable import quoted
from takt_cli.verbs.import_.attributes import Attributes, find_policy, read_cores, say_undecided
from takt_cli.verbs.import_.marked_yaml import Entry, is_todo, whole_number
from takt_cli.verbs.import_.not_carried_over import Findings
from takt_cli.verbs.import_.written_schedule import MOST_THREADS, Executor

ABOUT = ("Each tag of an executor of rclcpp is an executor here; the other tags are threads.",)
_POLICIES = {
    "OTHER": "other",
    "BATCH": "batch",
    "IDLE": "idle",
    "FIFO": "fifo",
    "RR": "rr",
    "SPORADIC": "sporadic",
    "DEADLINE": "deadline",
}
# Tags of rclcpp's own executors, with the executor and the thread here.
_SINGLE = "RCLCPP_EXECUTOR_SINGLE_THREADED"
_MULTI = "RCLCPP_EXECUTOR_MULTI_THREADED"
_RESERVED = {_SINGLE: ("single_threaded", "main"), _MULTI: ("multi_threaded", "pool")}
_KEYS = ("tag", "name", "core_affinity", "scheduling_policy", "priority")
_READER = "the reader of REP-2017"


def read(tree: yaml.Node, findings: Findings) -> list[Executor]:
    """Make executors from the file; `findings` gets faults and remarks."""
    if not isinstance(tree, yaml.SequenceNode):
        hint = "; takt import cie and agnocast read maps" if _is_map(tree) else ""
        findings.fault(tree, f"the file must be a list of tags{hint}")
        return []
    seen: dict[str, int] = {}
    executors: list[Executor] = []
    others: list[tuple[Entry, str, Attributes]] = []
    for item in tree.value:
        if not isinstance(item, yaml.MappingNode):
            findings.fault(item, "each entry must be a map that starts with '- tag:'")
            continue
        entry = Entry(item, "this entry", findings)
        tag = _read_tag(entry)
        if tag is None:
            continue
        entry.what = quoted(tag)
        entry.refuse_no_key(_KEYS, _READER)
        attributes = _read_attributes(entry)
        if tag in seen:
            findings.fault(item, f"duplicate tag {quoted(tag)}; it is on line {seen[tag]} already")
            continue
        seen[tag] = item.start_mark.line + 1
        if tag in _RESERVED:
            executors.append(_executor(entry, tag, attributes))
        else:
            others.append((entry, tag, attributes))
    if len(executors) > 1:
        names = " and ".join(executor.name for executor in executors)
        findings.changed(
            tree.value[-1],
            f"two executors, {names}",
            "without rules takt cannot tell which of them is for a program",
            f"name one: takt exec --executor {executors[0].name} --schedule FILE -- PROGRAM",
        )
    if not executors:
        executors.append(Executor("main"))
        executors[0].default = executors[0].add_thread("rest", {})
    for entry, tag, attributes in others:
        _add_thread(entry, tag, attributes, executors[0])
    return executors


def _is_map(tree: yaml.Node) -> bool:
    return isinstance(tree, yaml.MappingNode)


def _read_tag(entry: Entry) -> str | None:
    """Read the tag, which the draft's text and its programs call differently."""
    words = [word for word in (entry.text("tag"), entry.text("name")) if word]
    if not words:
        if entry.find("tag") is None and entry.find("name") is None:
            entry.findings.fault(entry.node, "this entry has no tag; add tag: with a name")
        elif "" in (entry.text("tag"), entry.text("name")):
            entry.findings.fault(entry.node, "this entry has an empty tag; give it a name")
        return None
    if len(set(words)) > 1:
        entry.findings.fault(
            entry.node,
            f"this entry has tag {quoted(words[0])} and name {quoted(words[1])}; "
            "remove one of them",
        )
        return None
    return words[0]


def _read_attributes(entry: Entry) -> Attributes:
    cores = read_cores(entry, "core_affinity")
    attributes = _read_policy(entry)
    return {**attributes, "cores": cores} if cores else attributes


def _read_policy(entry: Entry) -> Attributes:
    open_keys = ("scheduling_policy", "priority")
    if say_undecided(entry, (*open_keys, "core_affinity")) and any(
        is_todo(entry.find(key)) for key in open_keys
    ):
        return {}
    policy = find_policy(entry, "scheduling_policy", _POLICIES)
    if policy is None:
        return {}
    if policy in ("fifo", "rr"):
        if entry.find("priority") is None:
            entry.findings.fault(
                entry.place("scheduling_policy"),
                f"{entry.what} has no priority, which its policy needs; add priority: 1 to 99",
            )
            return {}
        priority = entry.whole("priority", 1, 99)
        return {"policy": policy, "priority": priority} if priority is not None else {}
    if policy in ("sporadic", "deadline"):
        why = (
            "Linux has no such policy"
            if policy == "sporadic"
            else "the file has no runtime and period, which the policy needs"
        )
        advice = (
            "give the thread policy fifo and a priority"
            if policy == "sporadic"
            else "add policy deadline, runtime and period to the thread"
        )
        entry.findings.dropped(
            entry.keys["scheduling_policy"],
            f"{entry.what}: scheduling_policy {policy.upper()}",
            f"{why}, so the thread inherits",
            advice,
        )
        return {}
    node = entry.find("priority")
    if node is not None and whole_number(node) != 0:
        value = node.value if isinstance(node, yaml.ScalarNode) else "..."
        entry.findings.dropped(
            entry.keys["priority"],
            f"{entry.what}: priority {quoted(value)}",
            f"threads of policy {policy} have no priority",
            "give the thread nice in the schedule if a nice level was meant",
        )
    return {"policy": policy}


def _executor(entry: Entry, tag: str, attributes: Attributes) -> Executor:
    name, thread = _RESERVED[tag]
    executor = Executor(name)
    if tag == _MULTI:
        cores = attributes.get("cores", ())
        # rclcpp's default number, or one for each core of the pool
        count = min(max(len(cores) or os.cpu_count() or 2, 2), MOST_THREADS)
        attributes = {"count": count, **attributes}
        entry.findings.changed(
            entry.node,
            f"{entry.what}: number of threads",
            f"the file does not say it, so takt wrote count: {count}",
            "write the number of threads of the program",
        )
    executor.default = executor.add_thread(thread, attributes)
    return executor


def _add_thread(entry: Entry, tag: str, attributes: Attributes, executor: Executor) -> None:
    used = sum(thread.get("count", 1) for thread in executor.threads.values())
    if used >= MOST_THREADS:
        entry.findings.dropped(
            entry.node,
            entry.what,
            f"an executor has at most {MOST_THREADS} threads",
            "let several tags share a thread",
        )
        return
    thread = executor.add_thread(tag, attributes)
    entry.findings.changed(
        entry.node,
        entry.what,
        f"the file does not say which callbacks run on it, so thread '{thread}' of executor "
        f"'{executor.name}' runs none",
        "bind callbacks to it with a rule, or make it a rule of process_threads if the program "
        "starts the thread itself",
    )
