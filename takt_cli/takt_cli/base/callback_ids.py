"""Ids of callbacks and groups: how takt writes them, and what their parts are.

The programs in C++ write and read them by `takt_core/adapter/callback_ids.hpp`. The tables of
`takt_core/test/adapter/callback_ids.json` hold for both.
"""

from __future__ import annotations

from collections import Counter

# Services that the client library makes for each node.
_OF_EACH_NODE = frozenset(
    "describe_parameters get_parameter_types get_parameters list_parameters set_parameters "
    "set_parameters_atomically get_type_description".split()
)
_UNITS = (("s", 10**9), ("ms", 10**6), ("us", 10**3))


def callback_id(node: str, kind: str, what: str) -> str:
    """Write the id of a callback: `what` is its topic, its service or the name that a user gave.

    `timer_id` writes a period.
    """
    return f"{node}:{kind}({what})"


def timer_id(node: str, period_ns: int) -> str:
    """Write the id of a timer without a name: its period replaces the name."""
    return callback_id(node, "timer", print_duration(period_ns))


def group_id(node: str, what: str) -> str:
    """Write the id of a callback group, by its name or number."""
    return callback_id(node, "group", what)


def node_of(id_: str) -> str:
    """Return '/ns/node' of '/ns/node:timer(100ms)'; empty if there is none."""
    return _before_bracket(id_)[0]


def kind_of(id_: str) -> str:
    """Return 'timer' of '/ns/node:timer(100ms)'; empty if there is none."""
    return _before_bracket(id_)[1] if "(" in id_ else ""


def bracketed(id_: str) -> str:
    """Return '100ms' of '/ns/node:timer(100ms)'; empty if there is none."""
    _, _, behind = id_.partition("(")
    return behind.rpartition(")")[0]


def with_kind(id_: str, kind: str) -> str:
    """Write the id with another kind."""
    _, bracket, rest = id_.partition("(")
    return f"{node_of(id_)}:{kind}{bracket}{rest}"


def is_introspection(id_: str) -> bool:
    """Tell whether it is a service that the client library made for the node, as for parameters."""
    node, slash, name = bracketed(id_).rpartition("/")
    its_own = slash and node == node_of(id_) and name in _OF_EACH_NODE
    return kind_of(id_) == "service" and bool(its_own)


def is_of_client_library(id_: str) -> bool:
    """Tell whether the client library made the callback for the node by itself."""
    of_parameters = kind_of(id_) == "sub" and bracketed(id_) == "/parameter_events"
    return of_parameters or is_introspection(id_)


def without_namespace(id_: str) -> str:
    """Drop the namespace: '/perception/fusion:sub(/points)' becomes 'fusion:sub(/points)'."""
    node, colon, rest = id_.partition(":")
    return node.rpartition("/")[2] + colon + rest


class Numbers:
    """Numbers equal ids: the second callback with an id gets `#2`."""

    def __init__(self) -> None:
        """Begin without any id."""
        self._last: Counter[str] = Counter()
        self._ids: set[str] = set()

    def next(self, base: str) -> str:
        """Add the lowest free number to the id; the first callback gets none."""
        while True:
            self._last[base] += 1
            number = self._last[base]
            id_ = base if number == 1 else f"{base}#{number}"
            if id_ not in self._ids:
                self._ids.add(id_)
                return id_

    def known(self, id_: str) -> bool:
        """Tell whether an earlier callback has the id."""
        return id_ in self._ids


def print_duration(ns: int) -> str:
    """Print a period as ids have it: in its largest unit, with a fraction."""
    for unit, factor in _UNITS:
        if ns >= factor:
            whole, rest = divmod(ns, factor)
            fraction = f"{factor + rest}"[1:].rstrip("0") if rest else ""
            return f"{whole}.{fraction}{unit}" if fraction else f"{whole}{unit}"
    return f"{ns}ns" if ns else "0s"


def _before_bracket(id_: str) -> tuple[str, str]:
    node, colon, kind = id_.partition("(")[0].rpartition(":")
    return (node, kind) if colon else ("", "")
