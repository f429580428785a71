"""Ids of callback groups, as CallbackIsolatedExecutor and Agnocast write them, as takt's ids.

`/ns/node@Subscription(/topic)@Timer(10000000)` is the group that holds these two callbacks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from takt_cli.base.callback_ids import Numbers, callback_id, is_of_client_library, timer_id
from takt_cli.base.printable import quoted
from takt_cli.verbs.import_.marked_yaml import Entry

_NODE = re.compile("(?:/[A-Za-z0-9_]+)+")
_NAME = re.compile("(?:~?/)?[A-Za-z0-9_]+(?:/[A-Za-z0-9_]+)*")
_ENTITY = re.compile(r"(Timer|(Agnocast)?(?:Subscription|Service|Client))\((.*)\)", re.DOTALL)
# Agnocast carries a service over two topics, whose names its earlier ids have.
_REQUESTS = "/AGNOCAST_SRV_REQUEST"
_ANSWERS = "/AGNOCAST_SRV_RESPONSE"
_BEFORE_NODE = "_SEP_"
_KINDS = {"Subscription": "sub", "Service": "service", "Client": "client"}
_WAITABLE = "Waitable"
# The listener of tf2 has the number of an address in its name, which takt omits.
_ADDRESS = re.compile("(.*[^/])_(?=[0-9]*[a-f])[0-9a-f]{9,16}")
_LONGEST_NS = 2**63 - 1
# The longest id of a schedule.
_LONGEST_ID = 1000


@dataclass
class Group:
    """One callback group: its node, and takt's ids or patterns of its callbacks."""

    node: str
    ids: list[str]
    only_parameters: bool = False


def without_waitables(id_: str) -> str:
    """Drop the ends that only older files have."""
    while id_.endswith(f"@{_WAITABLE}"):
        id_ = id_.removesuffix(f"@{_WAITABLE}")
    return id_


def read_group(entry: Entry, id_: str, numbers: Numbers) -> Group | None:
    """Read the id of a group; if no rule can name its callbacks, note that and return None."""
    findings, place = entry.findings, entry.place("id")
    node, *parts = id_.split("@")
    if "<" in node:
        findings.undecided(
            place,
            entry.what,
            "the template does not know the name of the node, so the schedule has no thread for it",
            "write the node's name into the id and import again",
        )
        return None
    if not _NODE.fullmatch(node):
        findings.fault(
            place,
            f"{entry.what}: {quoted(node)} is not the full name of a node, as in '/ns/node'",
        )
        return None
    node = _without_address(entry, node)
    plain = list(_callbacks(entry, node, [part for part in parts if part != _WAITABLE]))
    if any(len(one) > _LONGEST_ID - 20 for one in plain):
        findings.fault(place, f"{entry.what}: a name in the id is longer than takt's ids may be")
        return None
    # Equal callbacks of the group have one thread, whatever their numbers are.
    if any(numbers.known(one) for one in plain):
        findings.changed(
            place,
            entry.what,
            "an earlier group has an equal callback, and takt numbers equal callbacks in the order "
            "in which the node makes them",
            "compare the numbers (#2) with the ids that takt exec prints",
        )
    ids = [numbers.next(one) for one in plain]
    if not parts or set(parts) == {_WAITABLE}:
        findings.changed(
            place,
            entry.what,
            "the id names no callback, so takt bound the action servers and clients of the node",
            "name the callbacks in the rule if other ones are meant",
        )
        # Omit some waitables: events of publishers belong to the groups of other callbacks.
        ids = [callback_id(node, "waitable", "action_*") + "**"]
    return Group(node, ids, bool(plain) and all(map(is_of_client_library, plain)))


def read_wildcard(entry: Entry, id_: str) -> Group | None:
    """Read Agnocast's `/ns/node/*`; for other texts add a fault and return None."""
    node = id_.removesuffix("/*")
    if node == id_ or not _NODE.fullmatch(node):
        entry.findings.fault(
            entry.place("id"),
            f"{entry.what}: a star may only stand at the end of '/ns/node/*', which means all "
            "groups of that node",
        )
        return None
    node = _without_address(entry, node)
    return Group(node, every_callback(node))


def every_callback(node: str) -> list[str]:
    """Give a pattern over all callbacks of a node."""
    return [f"{node}:**"]


def callbacks_beside_groups(node: str) -> list[str]:
    """Give patterns over the callbacks of a node that has groups with rules of their own.

    The patterns omit waitables: these may belong to the groups, and all callbacks of an exclusive
    group need one OS priority. takt runs callbacks without a rule where their group runs.
    """
    return [callback_id(node, kind, "**") + "**" for kind in ("timer", *_KINDS.values())]


def _without_address(entry: Entry, node: str) -> str:
    match = _ADDRESS.fullmatch(node)
    if match is None:
        return node
    entry.findings.changed(
        entry.place("id"),
        entry.what,
        f"the name of the node ends like an address, which is another one in each run, so takt "
        f"wrote {quoted(match[1])}",
        "compare the name with the ids that takt exec prints",
    )
    return match[1]


def _callbacks(entry: Entry, node: str, parts: list[str]) -> Iterator[str]:
    for part in parts:
        match = _ENTITY.fullmatch(part)
        if match is None:
            entry.findings.fault(
                entry.place("id"),
                f"{entry.what}: {quoted(part)} is not Subscription, Service, Client or Timer with "
                "a name or a period in brackets",
            )
        elif match[3] == "<unresolved>":
            entry.findings.undecided(
                entry.place("id"),
                f"{entry.what}: {match[1]}",
                "the template does not know its name or period, so no rule binds it",
                "add its id, which takt exec prints, to the rule of this thread",
            )
        elif match[1] == "Timer":
            yield from _timer(entry, node, match[3])
        elif match[2]:
            kind, name = _without_agnocast(match[1], match[3])
            entry.findings.changed(
                entry.place("id"),
                f"{entry.what}: {quoted(part)}",
                f"takt runs entities of rclcpp only, so takt took it as {kind} {quoted(name)}",
                "build the node without Agnocast, so that it makes this one with rclcpp",
            )
            yield from _named(entry, node, kind, name)
        else:
            yield from _named(entry, node, match[1], match[3])


def _without_agnocast(kind: str, name: str) -> tuple[str, str]:
    """Give the kind and the name that the entity has without Agnocast."""
    kind = kind.removeprefix("Agnocast")
    if name.startswith(f"{_REQUESTS}/"):
        return "Service", name.removeprefix(_REQUESTS)
    if name.startswith(f"{_ANSWERS}/"):
        # The name of the client's node follows, in later versions with the number of the client.
        return "Client", name.removeprefix(_ANSWERS).partition(_BEFORE_NODE)[0]
    return kind, name


def _timer(entry: Entry, node: str, period: str) -> Iterator[str]:
    if re.fullmatch("[0-9]{1,19}", period) and int(period) <= _LONGEST_NS:
        yield timer_id(node, int(period))
    else:
        entry.findings.fault(
            entry.place("id"),
            f"{entry.what}: {quoted(period)} is not the period of a timer in nanoseconds",
        )


def _named(entry: Entry, node: str, kind: str, name: str) -> Iterator[str]:
    if not _NAME.fullmatch(name):
        entry.findings.fault(
            entry.place("id"), f"{entry.what}: {quoted(name)} is not the name of a topic or service"
        )
        return
    full = name
    if name.startswith("~"):
        full = node + name[1:]
    elif not name.startswith("/"):
        full = f"{node.rpartition('/')[0]}/{name}"
    if full != name:
        entry.findings.changed(
            entry.place("id"),
            f"{entry.what}: {kind} {quoted(name)}",
            f"takt took it as {quoted(full)}, the name without remapping",
            "compare it with the ids that takt exec prints",
        )
    yield callback_id(node, _KINDS[kind], full)
