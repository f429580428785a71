"""What both live demos do: show a page while the program runs, or run without one and judge."""

from __future__ import annotations

import json
import os
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

import typer

from takt_cli.base.console import note, out, print_json
from takt_cli.base.errors import EXIT_FAILED
from takt_cli.base.units import duration_flag
from takt_cli.base.version import VERSION
from takt_cli.documents.document import Document
from takt_cli.documents.told import read_told
from takt_cli.files.outputs import check_directory, write_text
from takt_cli.running.host import this_host, user_name
from takt_cli.running.interrupts import Interrupts
from takt_cli.running.private_domain import private_domain
from takt_cli.tables.table import Cell, Table
from takt_cli.verbs.demo.event_hub import EventHub
from takt_cli.verbs.demo.live_program import NAME, LiveProgram
from takt_cli.verbs.demo.page_server import ADDRESS, PageServer

PORT = 8765
# Of the periods of a run so many must have been seen: of the others nothing is known.
LEAST_SEEN = 0.9
# The second interrupt ends without waiting for the program.
_MOST_INTERRUPTS = 2

Take = Callable[[str, str], None]
Run = TypeVar("Run", bound=Document)


@dataclass(frozen=True)
class Claim:
    """What a run was to show. `holds` is None where it could not show that."""

    text: str
    holds: bool | None
    measured: str


@dataclass(frozen=True)
class Common:
    """The options of all live demos."""

    duration_ns: int | None
    cores: tuple[int, ...]
    load: bool
    port: int = PORT
    browser: bool = True
    json: bool = False
    check: bool = False
    output: Path | None = None

    def arguments(self, name: str, duration_ns: int | None, *more: str) -> list[str]:
        """Spell the command line of the program."""
        duration = [] if duration_ns is None else ["--duration", duration_flag(duration_ns)]
        load = [] if self.load else ["--no-load"]
        cores = ",".join(map(str, self.cores))
        return [name, *more, *duration, "--cores", cores, *load]


@dataclass(frozen=True)
class Shown:
    """The results of a demo, for the terminal, for programs and for files."""

    name: str
    table: Table
    claims: list[Claim]
    runs: list[Any]
    refused: list[str]
    picture: str = ""


@dataclass
class Runs(Generic[Run]):
    """The runs of a live program, and what a demo keeps of the lines between them."""

    document: type[Run]
    runs: list[Run] = field(default_factory=list)

    def take(self, kind: str, line: str) -> None:
        """Take a line of the program."""
        self.take_run(kind, line)
        if kind != "run":
            self.take_other(kind, line)

    def take_run(self, kind: str, line: str) -> None:
        """Take a line of a program that may run for hours: only the runs are kept."""
        if kind == "run":
            self.runs.append(read_told(self.document, json.loads(line), NAME))

    def take_other(self, kind: str, line: str) -> None:
        """Take a line that is no run."""


def check_output(common: Common) -> None:
    """Refuse a directory that cannot be written, before anything runs."""
    if common.output:
        check_directory(common.output)


def follow(arguments: Sequence[str], common: Common, take: Take) -> bool:
    """Run the program to its end without a page. Whether an interrupt ended it."""
    with (
        private_domain(),
        Interrupts(_MOST_INTERRUPTS) as interrupts,
        LiveProgram(arguments, common.cores) as program,
    ):
        for kind, line in program.lines(lambda: interrupts.count > 0):
            take(kind, line)
        return interrupts.count > 0


def serve(page: str, arguments: Sequence[str], common: Common, take: Take, parameter: str) -> None:
    """Show the page until the program ends, or an interrupt comes.

    `parameter`: one that the user may set by `ros2 param set`.
    """
    hub = EventHub()
    with private_domain() as domain, Interrupts(_MOST_INTERRUPTS) as interrupts:
        program = LiveProgram(arguments, common.cores)
        with PageServer(page, hub, program.send, common.port) as server, program:
            note(f"The page is at {server.url} ; Ctrl-C ends the demo.")
            note(
                "The demo has a ROS domain of its own: "
                f"ROS_DOMAIN_ID={domain} ros2 param set {parameter}"
            )
            if words := forwarding(server.server_port, os.environ):
                note(words)
            if common.browser and _has_display():
                webbrowser.open(server.url)
            for kind, line in program.lines(lambda: interrupts.count > 0):
                hub.publish(kind, line)
                take(kind, line)


def forwarding(port: int, environment: Mapping[str, str]) -> str:
    """Say how a browser gets here through the user's ssh; empty: the user sits at this machine."""
    found = environment.get("SSH_CONNECTION", "").split()
    if len(found) != 4:
        return ""
    _, _, address, ssh_port = found
    own_port = "" if ssh_port == "22" else f" -p {ssh_port}"
    return (
        "Your browser is on another machine? Run this there first: "
        f"ssh -L {port}:{ADDRESS}:{port}{own_port} {user_name()}@{address}"
    )


def unseen(seen: int, duration_ns: int, period_ns: int, what: str) -> str:
    """Say that too few of a run's periods were seen; empty: enough."""
    periods = duration_ns // period_ns
    if seen >= LEAST_SEEN * periods and seen > 0:
        return ""
    return f"{seen:,} {what} in {periods:,} periods"


def _has_display() -> bool:
    """Whether a browser could open a window: one for terminals would take this terminal."""
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def conclude(shown: Shown, common: Common, *, judged: bool) -> None:
    """Print and write the results; with --check, exit code 1 unless all claims hold."""
    claims = shown.claims if judged else []
    holds = bool(claims) and all(claim.holds is True for claim in claims)
    picture = f"{shown.name}.svg"
    document = {
        "takt": VERSION,
        "version": 1,
        "kind": f"demo {shown.name}",
        "made": datetime.now().astimezone().isoformat(timespec="seconds"),
        "host": this_host().as_json(),
        "load": common.load,
        "runs": shown.runs,
        "claims": [vars(claim) for claim in claims],
        "holds": holds if judged else None,
        "picture": str(common.output / picture) if common.output and shown.picture else None,
    }
    if common.output:
        text = json.dumps(document, indent=2, ensure_ascii=False)
        write_text(common.output / "summary.json", text)
        if shown.picture:
            write_text(common.output / picture, shown.picture)
    for words in dict.fromkeys(shown.refused):
        note(f"missing rights: {words}")
    if common.json:
        print_json(document)
    else:
        shown.table.print_to(out())
        if claims:
            _verdicts(claims).print_to(out())
    if common.check and not holds:
        raise typer.Exit(EXIT_FAILED)


def _verdicts(claims: Sequence[Claim]) -> Table:
    table = Table("What was to be shown", ["claim", "verdict", "measured"])
    for claim in claims:
        words = {True: "holds", False: "does not hold", None: "not shown"}[claim.holds]
        verdict = Cell(words, "good" if claim.holds else "bad")
        table.add(claim.text, verdict, claim.measured)
    return table
