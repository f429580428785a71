"""The page of the guard: what callbacks did that real-time code should not do, with the stacks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from string import Template

from takt_cli.base.errors import TaktError
from takt_cli.base.printable import printable
from takt_cli.base.units import how_many
from takt_cli.base.version import VERSION
from takt_cli.documents.document import DamagedError, Document
from takt_cli.files.outputs import write_text
from takt_cli.pages.asset import asset
from takt_cli.verbs.report.trace_parts import (
    head_cell,
    number_cell,
    sentence,
    table,
    time_cell,
    word_cell,
)

_MOST = 64 * 1024 * 1024
_ABOUT = {
    "allocation": "the heap may lock, and may ask the kernel for memory",
    "free": "as an allocation",
    "lock": "a thread without priority held it, and others may keep that one from its core",
    "wait": "the thread slept until another one did something",
    "system_call": "the kernel may let it sleep",
    "output": "text to a stream: it allocates, locks and waits for the terminal",
    "page_fault": "the memory was not there: lock and touch it before",
    "sleep": "the callback slept",
    "thread": "a start of a thread allocates, and asks the kernel for memory",
    "exception": "a throw allocates and searches tables",
}
_DID = "did what real-time code should not do"
_LACK = {
    "number": "have no places",
    "instructions": "have the instruction without its callers",
}
_ADVICE = {
    "locked_memory": "the kernel's limit of memory for them is reached; raise it with "
    "`sudo sysctl kernel.perf_event_mlock_kb=4096`, or raise `ulimit -l`",
    "open_files": "the program has no room for more open files; raise `ulimit -n`",
    "rights": "this user may not see them; allow it with `sudo sysctl "
    "kernel.perf_event_paranoid=2`, and in a container with `--cap-add PERFMON` too",
}


class GuardedReport(Document, at="exec_report"):
    """What `takt exec --guard --report` wrote."""


class Process(Document, at="exec_report#guarded_process"):
    """One process of it."""


class Callback(Document, at="exec_report#guarded_callback"):
    """A callback of the process."""


class Event(Document, at="exec_report#guard_event"):
    """What the callback did, of one kind."""


class Frame(Document, at="exec_report#stack_frame"):
    """One function of a stack."""

    def __str__(self) -> str:
        """Say where it is: 'Planner::plan() (planner.cpp:31)'."""
        name = self.function or f"{Path(self.object).name}+{self.offset:#x}"
        return f"{name} ({Path(self.file).name}:{self.line})" if self.file else name


def is_exec_report(path: Path) -> bool:
    """Whether the file is a report of `takt exec`; false for a file that cannot be read."""
    try:
        if not path.is_file() or path.stat().st_size > _MOST:
            return False
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(raw, dict) and isinstance(raw.get("executors"), list) and "stock" in raw


def read_guarded(path: Path) -> GuardedReport:
    """Read the report; TaktError where it has nothing of the guard."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    if not raw.get("guard"):
        raise TaktError(
            f"{path} is a report of takt exec without the guard, and this page shows what the "
            "guard noted",
            hint="write one with `takt exec --guard --report FILE -- PROGRAM`",
        )
    try:
        return GuardedReport.read(raw)
    except DamagedError as error:
        raise TaktError(f"{path} is damaged: {error}") from error


def write_guard_page(
    report: GuardedReport, path: Path, command: str, title: str | None = None
) -> None:
    """Write the page in one go, so that a half-written one is never opened."""
    write_text(path, guard_page(report, command, title))


def guard_page(report: GuardedReport, command: str, title: str | None = None) -> str:
    """Build the whole page as text."""
    programs = [Path(one.program).name for one in report.guard]
    heading = printable(title or f"Guard of {', '.join(dict.fromkeys(programs))}")
    body = [_header(report, heading), *map(_section, report.guard), _footer(command)]
    return Template(asset("page.html")).substitute(
        title=escape(heading),
        style=asset("style.css")
        + asset("trace.css", __package__)
        + "details pre{white-space:pre-wrap}",
        body="\n".join(body),
        figures="{}",
        plotly="",
        script=asset("theme.js") + asset("trace.js", __package__),
    )


def verdict(report: GuardedReport) -> list[str]:
    """Say the result of each process in a sentence."""
    return [_verdict(process) for process in report.guard]


def _verdict(process: Process) -> str:
    name = f"{Path(process.program).name} (process {process.pid})"
    whose = " on real-time threads" if process.threads == "rt" else ""
    scopes = [one for one in process.callbacks if one.scope]
    callbacks = [one for one in process.callbacks if not one.scope]
    said = (
        f"{name}: {_faulty(callbacks)} of {len(callbacks)} callbacks that ran{whose} {_DID}"
        if callbacks
        else f"{name}: no callback ran{whose}"
    )
    if scopes:
        did = "" if callbacks else f" {_DID}"
        said += f"; {_faulty(scopes)} of {len(scopes)} scopes of takt_rt::Guard{did}, on any thread"
    if process.deadlocks:
        said += f", and had {how_many(len(process.deadlocks), 'deadlock')}"
    return said


def _faulty(callbacks: Sequence[Callback]) -> int:
    return sum(any(event.by == "program" for event in one.events) for one in callbacks)


def _header(report: GuardedReport, heading: str) -> str:
    made = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z")
    sentences = "".join(f"<p>{sentence(escape(words))}</p>" for words in verdict(report))
    return (
        f'<header><h1>{escape(heading)}</h1><p class="weak">page made '
        f'<span class="whole">{escape(made)}</span></p>'
        f'<div class="verdict">{sentences}</div></header>'
    )


def _section(process: Process) -> str:
    rows = []
    for callback in process.callbacks:
        rows += [_row(callback, event) for event in callback.events]
    head = (
        head_cell("callback", word=True)
        + head_cell("does", word=True)
        + head_cell("times")
        + head_cell("runs", about="of the callback under the guard")
        + head_cell("worst", about="the longest single one")
        + head_cell("where", word=True, about="the worst; open it for all places with stacks")
    )
    name = escape(f"{Path(process.program).name}, process {process.pid}")
    clean = [one.id for one in process.callbacks if not one.events]
    notes = [
        f"{how_many(process.ignored, 'event')} in functions of the ignore list are left out."
        if process.ignored
        else "",
        f"{how_many(process.unsure, 'event')} of the client library may be the program's: the "
        "compiler put its code into the library's templates, and only line numbers tell; compile "
        "the program with -g1, and install addr2line (binutils)."
        if process.unsure
        else "",
        f"{how_many(process.lost, 'event')} found no room in the guard's account."
        if process.lost
        else "",
        *(_limited_faults(process) if any(map(_has_page_faults, process.callbacks)) else []),
    ]
    quiet = f"<p>Nothing to say of {escape(', '.join(clean))}.</p>" if clean else ""
    return (
        f"<section><h2>{name}</h2>{_deadlocks(process)}"
        + (table(head, "".join(rows)) if rows else "")
        + quiet
        + "".join(f'<p class="weak">{escape(note)}</p>' for note in notes if note)
        + "</section>"
    )


def _has_page_faults(callback: Callback) -> bool:
    return any(event.kind == "page_fault" for event in callback.events)


def _limited_faults(process: Process) -> list[str]:
    """Say of which threads the kernel did not tell all places of page faults, and why."""
    threads: dict[tuple[str, str], list[str]] = {}
    for one in process.limited_faults:
        threads.setdefault((one.has, one.limit), []).append(one.name)
    said = [
        f"Page faults of {how_many(len(names), 'thread')} "
        f"({', '.join(dict.fromkeys(names))}) {_LACK[has]}: {_ADVICE[limit]}."
        for (has, limit), names in threads.items()
    ]
    if process.limited_faults_more:
        said.append(
            f"Page faults of {how_many(process.limited_faults_more, 'more thread')} lack places, "
            f"too; the guard's account names {how_many(len(process.limited_faults), 'thread')}."
        )
    return said


def _row(callback: Callback, event: Event) -> str:
    kind = event.kind.replace("_", " ")
    by = "" if event.by == "program" else f" ({event.by.replace('_', ' ')})"
    worst = time_cell(event.worst_ns or None, "bad" if event.never_ended else "")
    return (
        f"<tr>{word_cell(callback.id)}{word_cell(kind + by, _ABOUT[event.kind])}"
        f"{number_cell(event.count)}{number_cell(callback.runs)}{worst}"
        f'<td class="word">{_places(event)}</td></tr>'
    )


def _places(event: Event) -> str:
    said = []
    for place in event.places:
        lines = "\n".join(str(frame) for frame in place.stack)
        never = ", never ended" if place.never_ended else ""
        said.append(
            f"<p>{escape(place.what)}, {how_many(place.count, 'time')}{never}</p>"
            f"<pre>{escape(lines)}</pre>"
        )
    return (
        f"<details><summary>{escape(where(event.places[0].stack))}</summary>"
        f"{''.join(said)}</details>"
    )


def where(stack: Sequence[Frame]) -> str:
    """Give of a stack the function that says most: the program's own, else a library's."""
    for part in ("program", "client_library", "middleware", "runtime"):
        for frame in stack:
            if frame.part == part:
                return str(frame)
    return "unknown"


def _deadlocks(process: Process) -> str:
    because = {
        "lock": "held the lock",
        "group": "was ready, but both are in one mutually exclusive group",
        "thread": "was ready, but may run only on threads that waited",
    }
    items = []
    for one in process.deadlocks:
        time = f"{one.time_ns / 1e9:.1f} s"
        long = f"for ever, at least {time}" if one.never_ended else f"for {time}"
        items.append(
            f"<li><strong>{escape(one.waiting)}</strong> waited {long} in "
            f"{escape(where(one.stack))}, and <strong>{escape(one.awaited)}</strong> "
            f"{because[one.why]}.</li>"
        )
    return f"<h3>Deadlocks</h3><ul>{''.join(items)}</ul>" if items else ""


def _footer(command: str) -> str:
    return (
        '<section id="reproduce"><h2>How this page was made</h2>'
        f"<pre>{escape(command)}</pre>"
        '<p class="weak"><code>takt exec --guard --report FILE -- PROGRAM</code> makes such a '
        "report.</p></section>"
        f'<footer class="weak">takt {VERSION}</footer>'
    )
