"""`takt doctor`: whether this machine is fit for real time."""

from __future__ import annotations

import functools
from typing import Annotated, Any

import typer

from takt_cli.base.console import err, note, out, print_json
from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.units import NS_PER_S, parse_duration
from takt_cli.running.host import realtime_allowed, user_name
from takt_cli.verbs.doctor.checks import diagnose
from takt_cli.verbs.doctor.examination import examine, isolated_cores
from takt_cli.verbs.doctor.finding import SCHEMA, SEVERITIES, Finding, headline
from takt_cli.verbs.doctor.fix import apply, planned, undo
from takt_cli.verbs.doctor.journal import boot_id, is_forgotten, journal_path, load, save
from takt_cli.verbs.doctor.machine import Machine, Unreadable
from takt_cli.verbs.doctor.plan import plan_fixes
from takt_cli.verbs.doctor.report import Report
from takt_cli.verbs.doctor.services import is_balanced
from takt_cli.verbs.doctor.tables import print_findings
from takt_cli.verbs.options import Json, duration_ns, parse_cores

_WINDOW = "2s"
_LONGEST_WINDOW = "1min"


def this_machine() -> Machine:
    """Give the machine that the command looks at."""
    return Machine(realtime_allowed=functools.cache(realtime_allowed), user=user_name())


def command(
    window: Annotated[
        str | None,
        typer.Option(
            "--duration",
            metavar="DURATION",
            help=f"Count interrupts for so long; at most {_LONGEST_WINDOW}.",
            show_default=_WINDOW,
        ),
    ] = None,
    cores: Annotated[
        str | None,
        typer.Option(
            "--cpus",
            metavar="LIST",
            help="The cores for real-time threads, as in 2-3.",
            show_default="the isolated ones",
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Explain every finding, not only the costly ones.")
    ] = False,
    fix: Annotated[
        bool, typer.Option("--fix", help="Change what can be undone, and say each change.")
    ] = False,
    undo_fixes: Annotated[
        bool, typer.Option("--undo", help="Restore what --fix has changed.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With --fix or --undo: say the changes only.")
    ] = False,
    json_output: Json = False,
) -> None:
    """Check whether this machine is ready for real time, and list what adds latency.

    The exit code is 1 where a finding prevents real-time schedules.
    """
    _check_options(window, cores, everything, fix, undo_fixes, dry_run)
    machine = this_machine()
    chosen = _chosen_cores(machine, cores)
    if fix:
        complete = _fix(machine, chosen, dry_run, json_output)
    elif undo_fixes:
        complete = _undo(machine, dry_run, json_output)
    else:
        complete = _diagnose(machine, chosen, window or _WINDOW, everything, json_output)
    if not complete:
        raise typer.Exit(EXIT_FAILED)


def _check_options(
    window: str | None,
    cores: str | None,
    everything: bool,
    fix: bool,
    undo_fixes: bool,
    dry_run: bool,
) -> None:
    if fix and undo_fixes:
        raise TaktError("--fix and --undo contradict each other; give one of them")
    if dry_run and not fix and not undo_fixes:
        raise TaktError("--dry-run belongs to --fix or --undo; without them nothing is changed")
    if (fix or undo_fixes) and (window is not None or everything):
        given = "--duration" if window is not None else "--all"
        raise TaktError(f"{given} belongs to the diagnosis; omit it with --fix and --undo")
    if undo_fixes and cores is not None:
        raise TaktError("--undo restores all cores; omit --cpus")
    if window is not None and duration_ns(window, "--duration") > parse_duration(_LONGEST_WINDOW):
        raise TaktError(f"--duration {window} is too long; take at most {_LONGEST_WINDOW}")


def _chosen_cores(machine: Machine, text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    try:
        online = machine.online_cores()
    except Unreadable as unreadable:
        raise TaktError(f"--cpus: which cores exist is unknown: {unreadable.why}") from unreadable
    # Isolated cores are not among those that this process may use unasked.
    chosen = parse_cores(text, online)
    if set(chosen) == set(online):
        raise TaktError(f"--cpus {text}: these are all cores; leave one for everything else")
    return chosen


def _diagnose(
    machine: Machine,
    chosen: tuple[int, ...] | None,
    window: str,
    everything: bool,
    json_output: bool,
) -> bool:
    window_s = parse_duration(window) / NS_PER_S
    with err().status(f"counting interrupts for {window_s:g} s"):
        look = examine(machine, window_s, chosen)
    findings = diagnose(look)
    if json_output:
        print_json(_document(findings, window_s, chosen))
    else:
        print_findings(out(), findings, everything)
    return all(finding.severity != "bad" for finding in findings)


def _document(
    findings: list[Finding], window_s: float, chosen: tuple[int, ...] | None
) -> dict[str, Any]:
    counts = {
        severity: sum(finding.severity == severity for finding in findings)
        for severity in SEVERITIES
    }
    return {
        "schema": SCHEMA,
        "headline": headline(findings),
        "counts": counts,
        "window_s": window_s,
        "cores": None if chosen is None else list(chosen),
        "findings": [finding.as_json() for finding in findings],
    }


def _fix(machine: Machine, chosen: tuple[int, ...] | None, dry_run: bool, as_json: bool) -> bool:
    undo_file = journal_path(machine.environ)
    actions, skipped = plan_fixes(machine, chosen)
    report = Report(as_json)
    complete = not any(one.fault for one in skipped)
    if dry_run:
        for action in actions:
            report.tell(planned(machine, action))
    elif actions:
        if not as_json:
            note(f"The present values are kept in {undo_file}.")
        complete &= apply(machine, actions, undo_file, report.tell)
    report.finish("fix", dry_run, str(undo_file), skipped)
    if not as_json and not actions:
        note("There is nothing that --fix would change.")
    elif not as_json and not dry_run:
        kept = undo_file.exists()
        note("`takt doctor --undo` restores them." if kept else "Nothing was changed.")
    if any(action.finding == "irq.affinity" for action in actions):
        apart = isolated_cores(machine) if chosen is None else chosen
        if is_balanced(machine, apart):
            note("irqbalance runs and may move interrupts back; see services.interrupts.")
    return complete


def _undo(machine: Machine, dry_run: bool, as_json: bool) -> bool:
    undo_file = journal_path(machine.environ)
    entries, boot = load(undo_file)
    report = Report(as_json)
    complete = True
    forgotten = bool(entries) and is_forgotten(boot, boot_id(machine))
    if forgotten:
        if not dry_run:
            save(undo_file, {}, boot)
    elif dry_run:
        for entry in reversed(list(entries.values())):
            back = type(entry)(entry.finding, entry.what, entry.path, entry.after, entry.before)
            report.tell(planned(machine, back))
    else:
        complete = undo(machine, undo_file, report.tell)
    report.finish("undo", dry_run, str(undo_file), [])
    if as_json:
        return complete
    if forgotten:
        note("The machine was started anew since the fixes, and so has forgotten them.")
    elif not entries:
        note(f"There is nothing to undo: {undo_file} does not exist.")
    elif not complete:
        note(f"The values that were not restored are still in {undo_file}.")
    return complete
