"""The schedule that an import writes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from takt_cli.base.printable import printable
from takt_cli.control.attributes import LONGEST_NAME
from takt_cli.verbs.import_.attributes import Attributes
from takt_cli.verbs.import_.not_carried_over import Remark

# Of one executor.
MOST_THREADS = 63
_LONGEST_LINE = 100


@dataclass
class Executor:
    """One executor of the schedule, with threads that it names itself."""

    name: str
    missing_rights: str | None = None
    threads: dict[str, Attributes] = field(default_factory=dict)
    default: str = ""
    callbacks: list[dict[str, Any]] = field(default_factory=list)
    process_threads: list[dict[str, Any]] = field(default_factory=list)

    def add_thread(self, wanted: str, attributes: Attributes) -> str:
        """Add a thread with the wanted name, in an allowed spelling."""
        name = self._free_name(re.sub("[^A-Za-z0-9_-]", "_", wanted) or "thread")
        self.threads[name] = dict(attributes)
        return name

    def bind(self, thread: str, ids: Sequence[str]) -> None:
        """Bind the callbacks to the thread, in addition to earlier ones."""
        if not ids:
            return
        for rule in self.callbacks:
            if rule["threads"] == thread:
                rule["match"] = [*rule["match"], *ids]
                return
        self.callbacks.append({"match": list(ids), "threads": thread})

    def _free_name(self, wanted: str) -> str:
        taken = {*self.threads, "all"}
        name, number = wanted[:LONGEST_NAME], 1
        while name in taken:
            number += 1
            tail = f"_{number}"
            name = wanted[: LONGEST_NAME - len(tail)] + tail
        return name

    def as_dict(self) -> dict[str, Any]:
        """Give the executor's part of the file."""
        content: dict[str, Any] = {"order": "fifo"}
        if self.missing_rights:
            content["missing_rights"] = self.missing_rights
        content["threads"] = self.threads
        content["default"] = self.default
        if self.callbacks:
            content["callbacks"] = [
                {**rule, "match": rule["match"][0] if len(rule["match"]) == 1 else rule["match"]}
                for rule in self.callbacks
            ]
        if self.process_threads:
            content["process_threads"] = self.process_threads
        return content


def as_schedule(executors: Iterable[Executor]) -> dict[str, Any]:
    """Give the content of the file."""
    return {
        "version": 1,
        "executors": {executor.name: executor.as_dict() for executor in executors},
    }


def as_text(schedule: dict[str, Any], about: Sequence[str], remarks: Sequence[Remark]) -> str:
    """Give the file: a comment with all remarks, then the schedule."""
    comment = list(about)
    if remarks:
        comment += ["Not carried over as it was:", *(f"  {remark}" for remark in remarks)]
    top = "".join(f"# {printable(line)}\n" for line in comment)
    # Lists and maps without lists in them take one line each.
    body = yaml.dump(
        schedule, Dumper=_Dumper, sort_keys=False, width=_LONGEST_LINE, default_flow_style=None
    )
    return f"{top}{body}"


class _Dumper(yaml.SafeDumper):
    """Writes equal parts in full, so that readers need not look for an anchor."""

    def ignore_aliases(self, data: Any) -> bool:
        """Give no part a name."""
        return True
