"""`takt trace`: the runs and messages of running processes, as one file."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from takt_cli.base.console import out, pass_through_errors, print_json, progress
from takt_cli.base.errors import EXIT_FAILED
from takt_cli.base.printable import printable
from takt_cli.base.units import NS_PER_S, exactly, how_many
from takt_cli.control.processes import Found, Process, find, no_process
from takt_cli.control.tracing import (
    Begun,
    Recording,
    Traced,
    Written,
    begin,
    end,
    snapshot,
    undo,
)
from takt_cli.running.interrupts import Interrupts
from takt_cli.verbs.options import Force, Json, Processes, duration_ns, whole
from takt_cli.verbs.trace.collected import document, lines, nothing_done, write_collected
from takt_cli.verbs.trace.endings import Endings, left_behind
from takt_cli.verbs.trace.target import Format, Target, target_of

# While processes are asked, interrupts only count: a process whose answer is not read would trace
# on, or leave its file.
_COUNTED = sys.maxsize
_POLL_S = 0.05
_MOST_NAMES = 3  # in one sentence


Records = Annotated[
    int | None,
    whole(
        "--records",
        1024,
        1 << 20,
        help="Keep so many records of each thread until they are written.",
        show_default="the process's own number",
    ),
]
CpuTimes = Annotated[
    bool, typer.Option("--cpu", help="Measure the CPU time of each run, too: 1 us more for each.")
]
Kernel = Annotated[
    bool,
    typer.Option(
        "--kernel",
        help="Ask the kernel how long each run waited for a core, too: 2 us more for each.",
    ),
]
Stalls = Annotated[
    bool,
    typer.Option(
        "--stalls",
        help="Watch for times in which the host takes a core from this machine, too; "
        "needs the right to SCHED_FIFO 99.",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write the trace there.",
        show_default="trace.takttrace, or the next free one of trace-2.takttrace ...; of other "
        "formats takt.perfetto-trace, takt-trace.json, takt-ctf",
    ),
]
FormatOption = Annotated[
    Format | None,
    typer.Option(
        "--format",
        help="takt's own, for `takt report` and `takt model`; Perfetto's own or the JSON that "
        "Chrome has, for ui.perfetto.dev; or CTF.",
        show_default="the ending of --output, else takt",
    ),
]

app = typer.Typer(
    help="Trace running processes, and write a file for `takt report`, `takt model` or "
    "ui.perfetto.dev.",
    no_args_is_help=True,
)


@app.command("start")
def start_tracing(
    processes: Processes = None,
    last: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION",
            help="Keep only so much, for `takt trace snapshot`.",
            show_default="everything",
        ),
    ] = None,
    records: Records = None,
    cpu_times: CpuTimes = False,
    kernel: Kernel = False,
    stalls: Stalls = False,
    json_output: Json = False,
) -> None:
    """Begin a trace in all of the processes, or in none."""
    last_ns = None if last is None else duration_ns(last, "--last")
    found = _find(processes)
    recording = Recording(last_ns, records, cpu_times, kernel, stalls)
    with Interrupts(_COUNTED) as interrupts:
        traced, failures = _begin(found, recording, json_output)
        if interrupts.count:
            pass_through_errors(lines([*failures, *_not_undone(traced)]))
            raise KeyboardInterrupt
    if json_output:
        told = [_process_json(one.process) | {"threads": _traced(one).threads} for one in traced]
        about = {"last_ns": last_ns, "records": records, "processes": told}
        warnings = _warnings(traced)
        print_json(document(failures, **about, **({"warnings": warnings} if warnings else {})))
    else:
        for one in traced:
            words = f"{one.process.words}: traces {how_many(_traced(one).threads, 'thread')}"
            out().print(words, markup=False, soft_wrap=True)
        then = "`takt trace stop` ends the trace and writes it"
        if last_ns is not None:
            then = f"`takt trace snapshot` writes the last {exactly(last_ns)}; {then}"
        out().print(then, markup=False, soft_wrap=True)
        pass_through_errors(lines([*_warnings(traced), *failures]))
    if failures:
        raise typer.Exit(EXIT_FAILED)


def _writing(tell: Callable[[Sequence[Process]], list[Written]]) -> Callable[..., None]:
    """Make a command that lets processes write their traces."""

    def command(
        processes: Processes = None,
        output: Output = None,
        form: FormatOption = None,
        force: Force = False,
        json_output: Json = False,
    ) -> None:
        found = _find(processes)
        _collect(tell, found, bool(processes), target_of(output, form, force, json_output))

    return command


app.command("stop", help="End the trace of the processes, and write it.")(_writing(end))
app.command("snapshot", help="Write the trace of the processes, which trace on.")(
    _writing(snapshot)
)


@app.command("record")
def record_trace(
    duration: Annotated[
        str,
        typer.Option("--duration", metavar="DURATION", help="Trace for so long, or until Ctrl-C."),
    ],
    processes: Processes = None,
    records: Records = None,
    cpu_times: CpuTimes = False,
    kernel: Kernel = False,
    stalls: Stalls = False,
    output: Output = None,
    form: FormatOption = None,
    force: Force = False,
    json_output: Json = False,
) -> None:
    """Trace for some time, and write the trace: `start`, a wait, and `stop`."""
    duration_s = duration_ns(duration, "--duration") / NS_PER_S
    found = _find(processes)
    target = target_of(output, form, force, json_output)
    recording = Recording(records=records, cpu_times=cpu_times, kernel=kernel, stalls=stalls)
    with Interrupts(_COUNTED) as interrupts:
        traced, failures = _begin(found, recording, json_output)
        endings = None
        try:
            endings = Endings([one.process for one in traced])
            pass_through_errors(lines(_warnings(traced)))
            wait(duration_s, len(traced), interrupts, endings)
        except BaseException:  # no process may trace on after this command has failed
            undo(traced)
            raise
        finally:
            if endings is not None:
                endings.close()
        answers = end([one.process for one in traced])
    failures += [_not_ended(one) for one in answers if not one.done]
    # The first interrupt ended the wait.
    write_collected(answers, failures, target, interrupted=interrupts.count > 1)


def _not_ended(answer: Written) -> str:
    """Explain why a process did not end its trace; if the process has ended, name its file."""
    file = left_behind(answer.process) if answer.gone else None
    if file is None:
        return f"{answer}; its records are lost" if answer.gone else str(answer)
    name = shlex.quote(printable(str(file)))
    return f"{answer}; it left its records in {name}: `takt report {name}` makes a page of them"


def wait(duration_s: float, processes: int, interrupts: Interrupts, endings: Endings) -> None:
    """Wait until the time is over, for an interrupt, or until all processes have ended."""
    until = time.monotonic() + duration_s
    words = f"Tracing {how_many(processes, 'process')}; Ctrl-C ends the trace and writes it"
    with progress() as bar:
        task = bar.add_task(words, total=duration_s)
        while not interrupts.count and (left := until - time.monotonic()) > 0:
            bar.update(task, completed=duration_s - left)
            if endings.all():
                break
            time.sleep(min(_POLL_S, left))


def _find(wanted: Sequence[str] | None) -> Found:
    found = find(wanted or [])
    if not wanted:
        # A program without ROS that registers threads has a socket, but no trace.
        traceable = tuple(one for one in found.processes if not _only_registers(one))
        found = replace(found, processes=traceable)
    if not found.processes and not found.silent:
        raise no_process()
    return found


def _only_registers(process: Process) -> bool:
    """Tell whether a process has registered threads, and no executor."""
    asked = any(thread.asked is not None for thread in process.status.process_threads)
    return asked and not process.status.executors


def _begin(found: Found, recording: Recording, as_json: bool) -> tuple[list[Begun], list[str]]:
    """Begin in all processes; returns those that trace, and the reasons of the others.

    If one of them refuses, none traces. A process that was silent before, or has ended, is reported
    and does not stop the others.
    """
    answers = begin(found.processes, recording)
    failures = [str(silent) for silent in found.silent]
    failures += [str(one) for one in answers if not one.done]
    traced = [one for one in answers if one.done]
    if not traced or any(one.faults or one.failure for one in answers):
        failures += _not_undone(answers)
        raise nothing_done("no trace was begun", failures, as_json)
    return traced, failures


def _traced(begun: Begun) -> Traced:
    (traced,) = begun.parts
    return traced


def _warnings(begun: Sequence[Begun]) -> list[str]:
    return [f"{one.process.words}: {words}" for one in begun for words in _traced(one).warnings]


def _not_undone(begun: Sequence[Begun]) -> list[str]:
    return [
        f"{one.process.words} may trace on: when it was told to end its trace, it {one.why()}; "
        f"try `takt trace stop {one.process.status.pid}`"
        for one in undo(begun)
    ]


def _collect(
    tell: Callable[[Sequence[Process]], list[Written]],
    found: Found,
    named: bool,
    target: Target,
) -> None:
    """Ask processes to write their traces, and join these; `named`: the user named them."""
    with Interrupts(_COUNTED) as interrupts:
        answers = tell(found.processes)
    # Without names all processes are asked. Those that do not trace may refuse, unless all do.
    strict = named or all(one.faults for one in answers)
    failures = [str(silent) for silent in found.silent]
    failures += [str(one) for one in answers if one.failure or one.gone or (one.faults and strict)]
    if not strict and (others := [one.process.words for one in answers if one.faults]):
        pass_through_errors(f"{_not_traced(others)}\n")
    write_collected(answers, failures, target, interrupted=interrupts.count > 0)


def _not_traced(names: Sequence[str]) -> str:
    """Name processes that do not trace, with possible reasons."""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    does, it = ("does", "it") if len(names) == 1 else ("do", "they")
    return (
        f"{', '.join(names[:_MOST_NAMES])}{more} {does} not trace: {it} began after "
        f"`takt trace start`, or that command did not name {'it' if it == 'it' else 'them'}"
    )


def _process_json(process: Process) -> dict[str, Any]:
    return {"pid": process.status.pid, "program": process.status.program}
