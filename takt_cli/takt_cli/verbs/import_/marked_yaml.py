"""Reads YAML with the place of each value; values stay the text that the file has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

import yaml

from takt_cli.base.errors import TaktError
from takt_cli.base.printable import quoted
from takt_cli.files.inputs import refuse_irregular
from takt_cli.verbs.import_.not_carried_over import Findings

_MOST_BYTES = 4 << 20
_NULL = "tag:yaml.org,2002:null"
# Templates of Agnocast write this for a value that the kernel does not let users change.
UNMANAGEABLE = "UNMANAGEABLE"


def read_tree(path: Path, findings: Findings) -> yaml.Node | None:
    """Read a file of one document; None, and a fault, if that is not possible."""
    refuse_irregular(path, "configuration")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TaktError(f"{path}: cannot be read: {error.strerror}") from error
    if len(content) > _MOST_BYTES:
        findings.fault_at(1, 1, f"the file has more than {_MOST_BYTES >> 20} MiB; divide it")
        return None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        findings.fault_at(line, 1, "the file is not UTF-8 text; save it as UTF-8")
        return None
    try:
        tree = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        words = " ".join(filter(None, (error.context, error.problem))) or "the file is not YAML"
        findings.fault_at(line, column, f"the file is not YAML: {words}")
        return None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        findings.fault_at(line, 1, "the file has a character that YAML does not allow; remove it")
        return None
    except RecursionError:
        findings.fault_at(1, 1, "the file has more levels of lists and maps than takt reads")
        return None
    except (ValueError, OverflowError):  # of an escape beyond the last character
        findings.fault_at(1, 1, "the file has an escape that stands for no character")
        return None
    if tree is None:
        findings.fault_at(1, 1, "the file is empty")
    return tree


def is_null(node: yaml.Node | None) -> bool:
    """Whether a value is absent, or written as `~`, `null` or nothing."""
    return node is None or node.tag == _NULL


def is_todo(node: yaml.Node | None) -> bool:
    """Tell whether a template asks its reader to fill in the value."""
    return isinstance(node, yaml.ScalarNode) and node.value.strip().upper() == "TODO"


def is_left_alone(node: yaml.Node | None) -> bool:
    """Tell whether a value asks for no change: absent, null, or marked as unchangeable."""
    return is_null(node) or (isinstance(node, yaml.ScalarNode) and node.value == UNMANAGEABLE)


class Entry:
    """One map of the configuration: each key once, with the place of its value."""

    def __init__(self, node: yaml.MappingNode, what: str, findings: Findings) -> None:
        """Read the keys; sentences call the map `what`."""
        self.node = node
        self.what = what
        self.findings = findings
        self.keys: dict[str, yaml.Node] = {}
        self._values: dict[str, yaml.Node] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                findings.fault(key, f"{what}: a key must be a word")
            elif key.value in self._values:
                first = self.keys[key.value].start_mark.line + 1
                findings.fault(
                    key, f"{what}: duplicate key {quoted(key.value)}; it is on line {first} already"
                )
            else:
                self.keys[key.value] = key
                self._values[key.value] = value

    def find(self, key: str) -> yaml.Node | None:
        """Give a value; None if it is absent or null."""
        value = self._values.get(key)
        return None if is_null(value) else value

    def place(self, key: str) -> yaml.Node:
        """Give the place of a key, or of the map without the key."""
        return self.keys.get(key, self.node)

    def text(self, key: str) -> str | None:
        """Read a word; None if it is absent; another value is a fault and gives None."""
        node = self.find(key)
        if node is None:
            return None
        if not isinstance(node, yaml.ScalarNode):
            self.findings.fault(node, f"{self.what}: {key} must be a word")
            return None
        return node.value

    def whole(self, key: str, least: int, most: int) -> int | None:
        """Read a whole number; None if it is absent; another value is a fault and gives None."""
        node = self.find(key)
        if node is None:
            return None
        value = whole_number(node)
        if value is None or not least <= value <= most:
            self.findings.fault(
                node,
                f"{self.what}: {key} must be a whole number from {least} to {most}, not "
                f"{_shown(node)}",
            )
            return None
        return value

    def items(self, key: str) -> Sequence[yaml.Node]:
        """Read a list; an absent one is empty."""
        node = self.find(key)
        if node is None:
            return ()
        if not isinstance(node, yaml.SequenceNode):
            self.findings.fault(node, f"{self.what}: {key} must be a list")
            return ()
        return node.value

    def refuse_no_key(self, known: Sequence[str], reader: str) -> None:
        """Note for each unknown key that `reader` ignores it."""
        for name, key in self.keys.items():
            if name in known:
                continue
            close = get_close_matches(name, known, n=1)
            self.findings.dropped(
                key,
                f"{self.what}: {quoted(name)}",
                f"{reader} has no such key and ignores it",
                f"correct it to '{close[0]}' and import again" if close else "remove the key",
            )


def whole_number(node: yaml.Node) -> int | None:
    """Read decimal digits; None for anything else."""
    if isinstance(node, yaml.ScalarNode) and re.fullmatch("[+-]?[0-9]{1,20}", node.value):
        return int(node.value)
    return None


def _shown(node: yaml.Node) -> str:
    return quoted(node.value) if isinstance(node, yaml.ScalarNode) else "a list or a map"
