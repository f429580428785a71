"""Writes running executors down as a schedule to edit: applied unedited, it changes nothing."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from takt_cli.base.units import duration_flag, how_many
from takt_cli.control.attributes import LONGEST_NAME, Attributes
from takt_cli.control.status import (
    Callback,
    Chain,
    Executor,
    NonTriggering,
    ProcessStatus,
    ProcessThread,
    When,
)
from takt_cli.verbs.template.written_threads import (
    Entry,
    Values,
    entries_of,
    policy_values,
    remarks_on,
    safe_name,
    values_of,
)

_ID = re.compile(r"/[^\s*():]*:[A-Za-z_]+\([^\s*]*\)(#[0-9]+)?")
_GROUP = re.compile(r"/[^\s*():]*:group\([^\s*()]*\)(#[0-9]+)?")
_TOPIC = re.compile(r"/[^\s*():]*:sub\((/[^\s*():]*)\)(?:#[0-9]+)?")
_LONGEST_ID = 1000
_LONGEST_COMMAND = 200
_NAME_MORE = "./"
_ORDERS = ("priority", "fifo", "edf", "window", "stock")
_TOP = """\
Edit: the attributes of each thread (policy fifo, rr, deadline, other, batch or idle; priority
1 to 99; nice; cores), and the threads of each callback. docs/schedule.md explains all keys.
`takt check FILE` finds faults. `takt apply FILE` changes the running processes, and
`takt exec --schedule FILE -- PROGRAM` starts a program under it.
`takt model -- PROGRAM` measures the times of callbacks, from which `takt plan` computes a schedule.
A running executor does not tell these keys: fallback, offset, missed_periods, parallel, and
copy_period of topics. Copy them from the schedule that it was started with. The keys for watching
(backlog, boost, budget, stall, misses, on_alarm, fail_safe, watch) are missing, too: `takt apply`
leaves them as they are until the file has one of them, and then takes all of them from the file."""


@dataclass(frozen=True)
class _Place:
    """An executor of the file: of one process, or with parts in several processes."""

    parts: tuple[tuple[ProcessStatus, Executor], ...]
    name: str

    @property
    def executor(self) -> Executor:
        """Join all parts: their threads are equal, except those of isolated groups."""
        first, *others = (executor for _, executor in self.parts)
        own = tuple(thread for one in others for thread in one.threads if thread.group)
        callbacks = tuple(callback for _, one in self.parts for callback in one.callbacks)
        return replace(first, threads=(*first.threads, *own), callbacks=callbacks)


def template_text(processes: Sequence[ProcessStatus]) -> str:
    """Give the file."""
    places = list(_named(processes))
    lines = [f"# Made by `takt template` from {how_many(len(processes), 'running process')}."]
    lines += [f"# {line}" for line in _TOP.splitlines()]
    lines += ["version: 1", "", "executors:"]
    chains = _chains(places)
    seen: dict[str, str] = {}  # callback ids, and the executor that has them
    for place in places:
        lines += _indented(_executor_lines(place, seen, list(chains.values())), 2)
    if chains:
        lines += ["chains:"]
        for name, chain in chains.items():
            lines += _indented(_chain_lines(name, chain), 2)
    lines += _topic_lines(places)
    return "\n".join(line.rstrip() for line in lines).rstrip() + "\n"


def _topic_lines(places: Sequence[_Place]) -> Iterator[str]:
    """Give rules for topics whose messages come by shared memory."""
    found = (
        _TOPIC.fullmatch(one.id)
        for place in places
        for one in place.executor.callbacks
        if one.transport == "shared_memory"
    )
    topics = dict.fromkeys(match[1] for match in found if match is not None)
    if topics:
        yield "topics:"
    for topic in topics:
        yield f"  - match: {_quoted(topic)}"
        yield "    transport: shared_memory"


def _named(processes: Sequence[ProcessStatus]) -> Iterator[_Place]:
    """Give all executors: those with one name and equal threads are joined, others get a number.

    takt apply gives the rules of an executor to all processes that have an executor of this name.
    """
    alike: dict[tuple[str, ...], list[tuple[ProcessStatus, Executor]]] = {}
    for process in processes:
        for executor in process.executors:
            head = tuple(_head_lines([(process, executor)]))
            alike.setdefault((executor.name, *head), []).append((process, executor))
    taken: set[str] = set()
    for parts in alike.values():
        wanted = name = safe_name(parts[0][1].name, _NAME_MORE)
        number = 1
        while name in taken:
            number += 1
            name = f"{wanted}_{number}"
        taken.add(name)
        yield _Place(tuple(parts), name)


def _chains(places: Sequence[_Place]) -> dict[str, Chain]:
    """Give each chain once, under a unique name: several executors report a shared chain."""
    found: dict[str, Chain] = {}
    for place in places:
        for chain in (chain for _, executor in place.parts for chain in executor.chains):
            if not chain.path or chain in found.values() or not all(map(_is_id, chain.path)):
                continue
            wanted = name = safe_name(chain.name, _NAME_MORE)
            number = 1
            while name in found:
                number += 1
                name = f"{wanted}_{number}"
            found[name] = chain
    return found


def _chain_lines(name: str, chain: Chain) -> Iterator[str]:
    yield f"{name}:"
    yield "  path:"
    for id_ in dict.fromkeys(chain.path):
        yield f"    - {_quoted(id_)}"
    if chain.priority:
        yield f"  priority: {min(chain.priority, 255)}"
    if chain.deadline_ns:
        yield f"  deadline: {duration_flag(chain.deadline_ns)}"
    if chain.period_ns:
        yield f"  period: {duration_flag(chain.period_ns)}"


def _executor_lines(place: _Place, seen: dict[str, str], chains: Sequence[Chain]) -> Iterator[str]:
    executor = place.executor
    for process, own in place.parts:
        command = shlex.join(process.command)
        if len(command) > _LONGEST_COMMAND:
            command = f"{command[:_LONGEST_COMMAND]}..."
        yield f"# {process.name} (pid {process.pid}), started as: {command or process.program}"
        if own.schedule:
            yield f"# its schedule: {own.schedule}"
    if place.name != executor.name:
        yield f"# The executor is named {executor.name}, as another one in this file, or with"
        yield "# characters that a schedule cannot have. takt apply finds executors by their names:"
        yield "# rename the executor where the program is started, or use a file for each process."
    for id_ in _differing(place):
        yield f"# {id_} has other values in some of these processes. takt apply gives all of them"
        yield "# those below: to keep them apart, use a file for each process."
    yield f"{place.name}:"
    yield from _head_lines(place.parts, with_remarks=True)
    entries = _entries(executor)
    yield from _indented(_callback_lines(place, entries, seen, chains), 2)
    yield from _indented(_group_lines(executor, _usual_cores(place.parts[0][0])), 2)
    yield from _indented(_sequence_lines(place), 2)
    yield from _indented(_process_thread_lines([process for process, _ in place.parts]), 2)
    yield ""


def _differing(place: _Place) -> list[str]:
    """Give the ids of callbacks whose values no single rule of the file keeps."""
    values: dict[str, set[tuple[object, ...]]] = {}
    for _, executor in place.parts:
        followed = {id_: path for path in _sequences(executor) for id_ in path.ids}
        for one in executor.callbacks:
            own = (one.threads, one.rule_priority, one.deadline_ns, followed.get(one.id))
            values.setdefault(one.id, set()).add(own)
    return [id_ for id_, of_id in values.items() if len(of_id) > 1 and _is_id(id_)]


def _head_lines(
    parts: Sequence[tuple[ProcessStatus, Executor]], *, with_remarks: bool = False
) -> Iterator[str]:
    """Give the lines of an executor before its rules."""
    process, executor = parts[0]
    if executor.order in _ORDERS:
        yield f"  order: {executor.order}"
    if executor.epoch == "host":
        yield "  epoch: host"
    if executor.missing_rights in ("fail", "report"):
        yield f"  missing_rights: {executor.missing_rights}"
    if executor.on_exception == "report":
        yield "  on_exception: report"
    if re.fullmatch("off|[1-9][0-9]?", executor.middleware_ceiling):
        yield f"  middleware_ceiling: {executor.middleware_ceiling}"
    if executor.lock_memory:
        yield "  lock_memory: true"
    entries = _entries(executor)
    yield "  threads:"
    for index, entry in enumerate(entries):
        if with_remarks:
            remarks = (
                remark
                for own, one in parts
                for remark in remarks_on(_entries(one)[index], _usual_cores(own))
            )
            for remark in dict.fromkeys(remarks):
                yield f"    # {remark}"
        yield f"    {entry.written}: {_flow(values_of(entry.threads, _usual_cores(process)))}"
    if not entries:
        yield "    rest: {}"
    yield f"  default: {_thread_set(executor.default, entries) or _all(entries)}"


def _entries(executor: Executor) -> list[Entry]:
    return entries_of(thread for thread in executor.threads if not thread.group)


def _all(entries: Sequence[Entry]) -> str:
    return "all" if len(entries) != 1 else entries[0].written


def _thread_set(names: Sequence[str], entries: Sequence[Entry]) -> str:
    """Write a thread set by entries that it has completely; empty for no thread."""
    left = set(names)
    if entries and left >= {thread.name for entry in entries for thread in entry.threads}:
        return _all(entries)
    words = []
    for entry in entries:
        own = [thread for thread in entry.threads if thread.name in left]
        if len(own) == len(entry.threads) or entry.name in left:
            words.append(entry.written)
        else:
            words += [entry.words_of(thread) for thread in own]
    return words[0] if len(words) == 1 else f"[{', '.join(words)}]" if words else ""


def _callback_lines(
    place: _Place, entries: Sequence[Entry], seen: dict[str, str], chains: Sequence[Chain]
) -> Iterator[str]:
    rules = _rules(place.executor, entries, chains)
    if not rules:
        return
    writable = False
    lines: list[str] = []
    for (group, values), callbacks in rules.items():
        lines.append(f"  # {_group_words(group, callbacks)}")
        fresh = []
        for one in callbacks:
            if not _is_id(one.id):
                lines.append(f"  # a schedule cannot name its callback {one.id}")
            elif one.id in seen:
                lines.append(f"  # {one.id}: executor {seen[one.id]} of this file has it already")
            else:
                seen[one.id] = place.name
                fresh.append(one.id)
        if not fresh:
            continue
        writable = True
        if len(fresh) == 1:
            lines.append(f"  - match: {_quoted(fresh[0])}")
        else:
            lines.append("  - match:")
            lines += [f"      - {_quoted(id_)}" for id_ in fresh]
        lines += [f"    {key}: {value}" for key, value in values]
    yield "callbacks:" if writable else "# callbacks:"
    yield from lines


def _rules(
    executor: Executor, entries: Sequence[Entry], chains: Sequence[Chain]
) -> dict[tuple[str, tuple[tuple[str, str], ...]], list[Callback]]:
    """Give the callbacks of each rule: of one group, with the same values."""
    found: dict[tuple[str, tuple[tuple[str, str], ...]], list[Callback]] = {}
    for one in {callback.id: callback for callback in executor.callbacks}.values():
        values: Values = {}
        threads = "" if one.isolated else _thread_set(one.threads, entries)
        if threads:
            values["threads"] = threads
        if one.rule_priority is not None:
            values["priority"] = str(min(one.rule_priority, 255))
        lent = {chain.deadline_ns for chain in chains if one.id in chain.path}
        if one.deadline_ns and one.deadline_ns not in lent:
            values["deadline"] = duration_flag(one.deadline_ns)
        if one.publishes_last:
            values["publishes_last"] = "true"
        if one.non_triggering is not None:
            values = _of_taken(one.non_triggering, values)
        found.setdefault((one.group, tuple(values.items())), []).append(one)
    return found


def _of_taken(taken: NonTriggering, values: Values) -> Values:
    """Give the values of a subscription that does not trigger: it runs on the threads of others."""
    deadline = {key: value for key, value in values.items() if key == "deadline"}
    result: Values = {**deadline, "trigger": "false"}
    if taken.takers:
        result["with"] = f"[{', '.join(_quoted(pattern) for pattern in taken.takers)}]"
    if taken.keep:
        result["keep"] = "latest" if taken.keep == 1 else str(taken.keep)
    if taken.max_age_ns is not None:
        result["max_age"] = duration_flag(taken.max_age_ns)
    return result


def _group_words(group: str, callbacks: Sequence[Callback]) -> str:
    kind = "reentrant" if callbacks[0].reentrant else "mutually exclusive"
    words = f"group {group}, {kind}" if group else f"without a group, {kind}"
    if callbacks[0].isolated:
        words += ", with threads of its own"
    runs = [one.runs for one in callbacks if one.runs is not None]
    return f"{words}; {how_many(sum(runs), 'run')}" if runs else words


class _Path(NamedTuple):
    """A sequence or a graph."""

    ids: tuple[str, ...]
    graph: bool


def _sequences(executor: Executor) -> Iterator[_Path]:
    """Give the sequences that a schedule can have, each with one id for each of its places.

    A subscription and its waitable for messages within the process have one place: the schedule
    names the subscription. A callback whose id no schedule can name has no place. Callbacks of
    different threads follow one another in none.
    """
    found: dict[int, dict[int, Callback]] = {}
    for one in sorted(executor.callbacks, key=lambda one: ":waitable(" in one.id):
        if one.sequence is not None and _is_id(one.id):
            found.setdefault(one.sequence.number, {}).setdefault(one.sequence.position, one)
    for _, places in sorted(found.items()):
        path = [one for _, one in sorted(places.items())]
        if len(path) > 1 and len({frozenset(one.threads) for one in path}) == 1:
            graph = any(one.sequence is not None and one.sequence.graph for one in path)
            yield _Path(tuple(one.id for one in path), graph)


def _sequence_lines(place: _Place) -> Iterator[str]:
    """Give the sequences of all processes; of two that share a callback, the first one."""
    written: list[_Path] = []
    for path in dict.fromkeys(path for _, one in place.parts for path in _sequences(one)):
        if not any(set(path.ids) & set(other.ids) for other in written):
            written.append(path)
    if written:
        yield "sequences:"
    for path in written:
        ids = f"[{', '.join(_quoted(id_) for id_ in path.ids)}]"
        yield f"  - {{graph: {ids}}}" if path.graph else f"  - {ids}"


def _when_words(when: When) -> str:
    if when.spread_ns is not None:
        return f"{{spread: {duration_flag(when.spread_ns)}}}"
    if when.fresh_ns is None:
        return "all" if when.count == 0 else f"{{count: {when.count}}}"
    fresh = f"fresh: {duration_flag(when.fresh_ns)}"
    return f"{{count: {when.count or 'all'}, {fresh}}}"


def _of_group(group: str, conditions: Mapping[str, Callback]) -> Iterator[str]:
    """Give when the group's messages count."""
    one = conditions.get(group)
    if one is not None and one.when is not None:
        yield f"    when: {_when_words(one.when)}"
    if one is not None and one.let is not None:
        yield f"    let: {'true' if one.let.late == 'publish' else '{late: drop}'}"


def _group_lines(executor: Executor, usual: frozenset[int]) -> Iterator[str]:
    lines: list[str] = []
    conditions = {one.group: one for one in executor.callbacks if one.when or one.let}
    isolated = dict.fromkeys(thread.group for thread in executor.threads if thread.group)
    for group in isolated:
        threads = [thread for thread in executor.threads if thread.group == group]
        if not _GROUP.fullmatch(group):
            lines.append(f"  # a schedule cannot name the group {group}, which has own threads")
            continue
        lines += [f"  - match: {_quoted(group)}", "    isolate: true"]
        lines += [f"    {key}: {value}" for key, value in values_of(threads, usual).items()]
        lines += _of_group(group, conditions)
    places: dict[str, set[tuple[str, ...]]] = {}
    for one in executor.callbacks:
        if one.group not in isolated and not one.reentrant and one.non_triggering is None:
            places.setdefault(one.group, set()).add(one.threads)
    for group, sets in places.items():
        if len(sets) > 1 and _GROUP.fullmatch(group):
            lines.append(f"  - match: {_quoted(group)}")
            lines.append("    across_priorities: allow # its callbacks run on different threads")
            lines += _of_group(group, conditions)
            conditions.pop(group, None)
    for group in conditions:
        if group not in isolated and _GROUP.fullmatch(group):
            lines += [f"  - match: {_quoted(group)}", *_of_group(group, conditions)]
    if lines:
        yield "groups:" if any(line.startswith("  - ") for line in lines) else "# groups:"
        yield from lines


def _process_thread_lines(processes: Sequence[ProcessStatus]) -> Iterator[str]:
    """Give rules for threads outside of executors: comments unless the schedule has them now."""
    by_name: dict[str, list[ProcessThread]] = {}
    of_all = [thread for process in processes for thread in process.process_threads]
    for thread in sorted(of_all, key=lambda one: one.asked is None):
        by_name.setdefault(thread.name, []).append(thread)
    if not by_name:
        return
    ruled = any(one.asked is not None and _names(one.name) for one in of_all)
    yield "# Threads of the process that no executor owns; remove the # to set their attributes."
    yield "process_threads:" if ruled else "# process_threads:"
    for name, threads in by_name.items():
        first = threads[0]
        count = f"{how_many(len(threads), 'thread')}, now {first.now}"
        if not _names(name):
            yield f"#   no pattern means only the thread {name} ({count})"
            continue
        asked = first.asked
        values = _asked_values(first.now if asked is None else asked)
        start = "  " if asked is not None else "#   "
        yield f"{start}- match: {_quoted(name)} # {count}"
        for key, value in values.items():
            yield f"{start}  {key}: {value}"


def _names(text: str) -> bool:
    """Tell whether a pattern over names of threads can match only this one."""
    fits = 0 < len(text.encode("utf-8", "replace")) <= LONGEST_NAME
    return fits and "*" not in text and text == text.strip()


def _asked_values(attributes: Attributes) -> Values:
    values = policy_values(attributes, attributes)
    if attributes.cores and attributes.policy != "deadline":
        values["cores"] = f"[{', '.join(map(str, attributes.cores))}]"
    return values or {"policy": "other"}


def _usual_cores(process: ProcessStatus) -> frozenset[int]:
    """Give the default cores of threads without requested cores: all that any of them has."""
    known = [thread.now for thread in process.process_threads]
    known += [thread.granted for one in process.executors for thread in one.threads]
    return frozenset(core for one in known for core in one.cores)


def _is_id(id_: str) -> bool:
    return len(id_) <= _LONGEST_ID and _ID.fullmatch(id_) is not None


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _flow(values: Values) -> str:
    return "{" + ", ".join(f"{key}: {value}" for key, value in values.items()) + "}"


def _indented(lines: Iterable[str], by: int) -> Iterator[str]:
    return (" " * by + line if line else "" for line in lines)
