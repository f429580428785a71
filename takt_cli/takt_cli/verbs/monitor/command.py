"""`takt monitor`: watches all processes under takt, and carries out the actions of alarms."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Annotated

import typer

from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.printable import short
from takt_cli.base.units import NS_PER_S
from takt_cli.files.outputs import check_directory
from takt_cli.verbs.monitor import ros_side
from takt_cli.verbs.monitor.monitor import Settings, split_ros_arguments, watch
from takt_cli.verbs.monitor.output import Output
from takt_cli.verbs.options import duration_ns, whole

_MOST_PROGRAMS = 64
CONTEXT = {"allow_extra_args": True, "ignore_unknown_options": True}


def command(
    processes: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PROCESS",
            help="Only these, by process number or program name; after --ros-args: for ROS.",
            show_default="all",
        ),
    ] = None,
    duration: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION", help="End after so long.", show_default="never, until Ctrl-C"
        ),
    ] = None,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", help="Folder for trace snapshots."),
    ] = Path("takt_snapshots"),
    snapshots: Annotated[
        int, whole("--snapshots", 0, 1_000_000, help="Write at most so many trace snapshots.")
    ] = 100,
    programs: Annotated[
        int,
        whole("--programs", 1, _MOST_PROGRAMS, help="Run at most so many programs at once."),
    ] = 4,
    program_timeout: Annotated[
        str, typer.Option(metavar="DURATION", help="End a program that runs longer.")
    ] = "30s",
    log_only: Annotated[
        bool, typer.Option("--log-only", help="Write alarms, and carry out no other action.")
    ] = False,
    no_ros: Annotated[
        bool, typer.Option("--no-ros", help="Start no ROS node, also where ROS is installed.")
    ] = False,
    json_output: Annotated[
        bool, typer.Option("--json", help="Print one JSON object on each line.")
    ] = False,
) -> None:
    """Watch processes, and run the actions of their schedules' alarms."""
    wanted, for_ros = split_ros_arguments(processes or [])
    for word in wanted:
        if word.startswith("-"):
            raise TaktError(
                f"unknown option {short(word)}", hint="`takt monitor --help` lists the options"
            )
    if for_ros and no_ros:
        raise TaktError("--no-ros and --ros-args exclude each other; omit one of them")
    settings = Settings(
        wanted=tuple(wanted),
        duration_s=None if duration is None else duration_ns(duration, "--duration") / NS_PER_S,
        folder=output,
        most_snapshots=snapshots,
        programs_at_once=programs,
        program_timeout_s=duration_ns(program_timeout, "--program-timeout") / NS_PER_S,
        log_only=log_only,
    )
    if output.exists():  # otherwise the first snapshot makes it
        check_directory(output)
    lines = Output(json_output)
    ros: ros_side.RosSide | str = ros_side.UNWANTED
    try:
        if not no_ros:
            ros = ros_side.start(
                for_ros, socket.gethostname(), lambda words: lines.say("note", words)
            )
    except BaseException:
        lines.close()
        raise
    if not watch(settings, lines, ros):
        raise typer.Exit(EXIT_FAILED)
