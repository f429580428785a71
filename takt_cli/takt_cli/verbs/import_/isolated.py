"""The file of a thread configurator: one thread with its own attributes for each callback group.

CallbackIsolatedExecutor and Agnocast have the same sections; their dialects have the differences.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from takt_cli.base.callback_ids import Numbers
from takt_cli.base.printable import quoted
from takt_cli.control.attributes import LONGEST_NAME
from takt_cli.verbs.import_ import attributes as thread_attributes
from takt_cli.verbs.import_.attributes import Attributes, read_attributes
from takt_cli.verbs.import_.group_ids import read_group, read_wildcard, without_waitables
from takt_cli.verbs.import_.machine import MACHINE_KEYS, MACHINE_SECTIONS, say_machine
from takt_cli.verbs.import_.marked_yaml import Entry
from takt_cli.verbs.import_.not_carried_over import Findings
from takt_cli.verbs.import_.placed_groups import BoundGroup, place_groups
from takt_cli.verbs.import_.written_schedule import Executor

_EVERY_DOMAIN = 2**32 - 1


@dataclass(frozen=True)
class Dialect:
    """The parts of one tool's files that the other tool's files lack."""

    tool: str
    thread_key: str  # names an entry of non_ros_threads
    wildcards: bool
    domains: bool


def read_configuration(tree: yaml.Node, dialect: Dialect, findings: Findings) -> list[Executor]:
    """Make executors from the file; `findings` gets faults and remarks."""
    if not isinstance(tree, yaml.MappingNode):
        hint = "; takt import rep2017 reads lists" if isinstance(tree, yaml.SequenceNode) else ""
        findings.fault(tree, f"the file must be a map with callback_groups{hint}")
        return []
    top = Entry(tree, "the file", findings)
    sections = ("callback_groups", "non_ros_threads", *MACHINE_SECTIONS)
    if not any(key in top.keys for key in sections):
        findings.fault(
            tree,
            f"the file has neither callback_groups nor non_ros_threads; {dialect.tool} needs "
            "one of them",
        )
    top.refuse_no_key((*sections, *MACHINE_KEYS), dialect.tool)
    say_machine(top, dialect.tool)
    groups = list(_read_groups(top, dialect))
    executors = place_groups(groups, findings)
    _read_threads(top, dialect, executors)
    return executors


def _entries(top: Entry, section: str, key: str, dialect: Dialect) -> Iterator[tuple[Entry, str]]:
    """Yield each entry of a section with its id or name."""
    for item in top.items(section):
        if not isinstance(item, yaml.MappingNode):
            top.findings.fault(
                item, f"each entry of {section} must be a map that starts with '- {key}:'"
            )
            continue
        entry = Entry(item, f"this entry of {section}", top.findings)
        name = entry.text(key)
        if name is None or not name:
            other = {"id": "name", "name": "id"}[key]
            hint = f"add {key}: with the name of the thread"
            if section == "callback_groups":
                hint = f"add {key}: with the id of the group"
            elif other in entry.keys:
                tool = "agnocast" if other == "name" else "cie"
                hint = f"takt import {tool} reads files with '{other}'"
            if name is not None or entry.find(key) is None:
                top.findings.fault(item, f"{entry.what} has no {key}; {hint}")
            continue
        entry.what = quoted(name)
        extra = ("domain_id",) if dialect.domains and section == "callback_groups" else ()
        entry.refuse_no_key((key, *extra, *thread_attributes.KEYS), dialect.tool)
        yield entry, name


def _read_groups(top: Entry, dialect: Dialect) -> Iterator[BoundGroup]:
    seen: dict[tuple[str, int | None], int] = {}
    domain_of: dict[str, int | None] = {}
    domains = _Domains(top.findings)
    numbers = Numbers()
    for entry, written in _entries(top, "callback_groups", "id", dialect):
        id_ = without_waitables(written)
        domain = entry.whole("domain_id", 0, _EVERY_DOMAIN) if dialect.domains else None
        attributes = read_attributes(entry)
        line = entry.node.start_mark.line + 1
        if (id_, domain) in seen:
            top.findings.fault(
                entry.place("id"),
                f"duplicate id {quoted(id_)}; it is on line {seen[id_, domain]} already",
            )
            continue
        seen[id_, domain] = line
        if id_ in domain_of:
            top.findings.dropped(
                entry.place("id"),
                f"{entry.what} of {_spell(domain)}",
                f"a schedule has no domains, and it has this group of {_spell(domain_of[id_])} "
                "already",
                "keep the groups of each domain in a file of their own, and import each file",
            )
            continue
        domain_of[id_] = domain
        domains.add(entry, domain)
        wildcard = "*" in id_
        if wildcard and not dialect.wildcards:
            top.findings.fault(
                entry.place("id"),
                f"{entry.what}: {dialect.tool} has no stars in ids; takt import agnocast reads "
                "them",
            )
            continue
        group = read_wildcard(entry, id_) if wildcard else read_group(entry, id_, numbers)
        if group is not None:
            yield BoundGroup(entry, group, attributes, wildcard)
    domains.say()


def _spell(domain: int | None) -> str:
    return "the default domain" if domain is None else f"domain {domain}"


class _Domains:
    """Notes once for each domain that a schedule has no domains."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._first: dict[int, yaml.Node] = {}
        self._count: dict[int, int] = {}

    def add(self, entry: Entry, domain: int | None) -> None:
        """Count an entry of the domain."""
        if domain is not None:
            self._first.setdefault(domain, entry.place("domain_id"))
            self._count[domain] = self._count.get(domain, 0) + 1

    def say(self) -> None:
        """Name the domains of the file."""
        for domain, place in self._first.items():
            count = self._count[domain]
            self._findings.dropped(
                place,
                f"domain_id {domain} of {count} {'entry' if count == 1 else 'entries'}",
                "the rules of a schedule hold in each domain",
                "start only programs of this domain under the schedule",
            )


def _read_threads(top: Entry, dialect: Dialect, executors: list[Executor]) -> None:
    """Make rules for threads that the program starts itself."""
    seen: dict[str, int] = {}
    by_kernel_name: dict[str, list[tuple[Entry, Attributes]]] = {}
    for entry, name in _entries(top, "non_ros_threads", dialect.thread_key, dialect):
        attributes = read_attributes(entry)
        if name in seen:
            top.findings.fault(
                entry.place(dialect.thread_key),
                f"duplicate thread {quoted(name)}; it is on line {seen[name]} already",
            )
            continue
        seen[name] = entry.node.start_mark.line + 1
        kernel_name = name.encode("utf-8", "replace")[:LONGEST_NAME].decode("utf-8", "ignore")
        unfit = not name.isprintable() or "*" in name or kernel_name != kernel_name.strip()
        if unfit or (" " in name and name.startswith("/")):
            _say_unfit(entry, dialect)
        else:
            by_kernel_name.setdefault(kernel_name, []).append((entry, attributes))
    for kernel_name, alike in by_kernel_name.items():
        first = alike[0][1]
        if any(attributes != first for _, attributes in alike):
            # A rule for one of them would give its attributes to the others.
            for entry, _ in alike:
                _say_unfit(entry, dialect)
            continue
        for executor in executors:
            executor.process_threads.append({"match": kernel_name, **first})
        for entry, _ in alike:
            top.findings.changed(
                entry.place(dialect.thread_key),
                f"thread {entry.what}",
                "takt finds it by its name in the kernel, when a node or an entity has been "
                f"created, and not by {dialect.tool}'s announcement",
                f"let the thread call pthread_setname_np with {quoted(kernel_name)} before that",
            )


def _say_unfit(entry: Entry, dialect: Dialect) -> None:
    entry.findings.dropped(
        entry.place(dialect.thread_key),
        f"thread {entry.what}",
        "no pattern over the kernel's names of threads, which have "
        f"{LONGEST_NAME} characters, means this one alone",
        "give the thread another name in the program, and add it to process_threads",
    )
