"""The launch action: programs that a launch file starts run under takt.

    Takt(schedule="schedule.yaml")      in Python: `from takt_cli.launch import Takt`
    <takt schedule="schedule.yaml"/>    in XML, and likewise in YAML

This module alone needs the package `launch`, which loads the module by its entry point in setup.py.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from launch import Action, LaunchContext, SomeSubstitutionsType
from launch.event_handlers import OnProcessExit, OnProcessStart, OnShutdown
from launch.events import Shutdown
from launch.events.process import ProcessExited, ProcessStarted
from launch.frontend import Entity, Parser, expose_action
from launch.logging import get_logger
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions
from launch.utilities.type_utils import normalize_typed_substitution, perform_typed_substitution

from takt_cli.base.errors import TaktError
from takt_cli.base.processes import run_json, run_program
from takt_cli.base.programs import find_program
from takt_cli.running.guard import Judge, memory_folder

Text = SomeSubstitutionsType | os.PathLike[str]
Flag = SomeSubstitutionsType | bool

_TEXTS = ("schedule", "executor", "report", "guard", "guard_ignore")
_GUARD = (("guard", "guard"), ("guard-ignore", "guard_ignore"))
_FLAGS = ("strict", "children", "quiet")


@expose_action("takt")
class Takt(Action):
    """Puts each process that launch starts after it, in the same scope, under takt.

    The scope is that of SetEnvironmentVariable: a scoped group, else the rest of the launch. When
    launch has shut down and these processes have ended, the action logs takt's report.
    """

    def __init__(
        self,
        *,
        schedule: Text | None = None,
        executor: Text | None = None,
        report: Text | None = None,
        guard: Text | None = None,
        guard_ignore: Text | None = None,
        strict: Flag = False,
        children: Flag = False,
        quiet: Flag = False,
        **kwargs: Any,
    ) -> None:
        """Take the options of `takt exec`, each a value or substitutions.

        Without `schedule` takt only watches. `report` names a file for the report, as JSON. `guard`
        is rt or all.
        Relative paths begin in the directory in which launch runs.
        """
        super().__init__(**kwargs)
        self._texts = {
            name: normalize_to_list_of_substitutions(
                os.fspath(value) if isinstance(value, os.PathLike) else value
            )
            for name, value in zip(
                _TEXTS, (schedule, executor, report, guard, guard_ignore), strict=True
            )
            if value is not None
        }
        self._flags = {
            name: normalize_typed_substitution(value, bool)
            for name, value in zip(_FLAGS, (strict, children, quiet), strict=True)
        }

    @classmethod
    def parse(cls, entity: Entity, parser: Parser) -> tuple[type[Takt], dict[str, Any]]:
        """Read the action from an XML or YAML launch file."""
        _, kwargs = super().parse(entity, parser)
        for name in _TEXTS:
            if (text := entity.get_attr(name, optional=True)) is not None:
                kwargs[name] = parser.parse_substitution(text)
        for name in _FLAGS:
            flag = entity.get_attr(name, data_type=bool, optional=True, can_be_str=True)
            if flag is not None:
                kwargs[name] = parser.parse_if_substitutions(flag)
        return cls, kwargs

    def execute(self, context: LaunchContext) -> None:
        """Set the environment; an error of takt ends the launch with takt's sentence."""
        try:
            self._begin(context)
        except TaktError as error:
            sentence = "; ".join(part for part in (error.message, error.hint) if part)
            # Launch logs these words, shuts down, and fails.
            raise RuntimeError(f"takt: {sentence.removeprefix('takt: ')}") from error

    def _begin(self, context: LaunchContext) -> None:
        texts = {name: perform_substitutions(context, text) for name, text in self._texts.items()}
        for name, text in texts.items():
            if not text:
                raise TaktError(f"{name} is empty; give it a value or omit it")
        flags = {
            name: perform_typed_substitution(context, flag, bool)
            for name, flag in self._flags.items()
        }
        report = texts.pop("report", None)
        watched = [f"--{name}={texts.pop(key)}" for name, key in _GUARD if key in texts]
        options = [word for name, text in texts.items() for word in (f"--{name}", text)]
        options += [*watched, *(f"--{name}" for name, given in flags.items() if given)]
        program = find_program("takt_exec", "takt_rclcpp")
        # Until this process ends: a process of the launch may end later than launch expects.
        prefix = "takt-launch-"
        folder = tempfile.mkdtemp(prefix=prefix, dir=memory_folder() if watched else None)
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        for name, value in run_json(program, ["--environment", *options, folder]).items():
            if value is None:
                context.environment.pop(name, None)
            else:
                context.environment[name] = value
        if any(word.startswith("--guard-ignore=") for word in watched):
            atexit.register(Judge(program, watched, folder).end)
        if report is not None:
            tell = ["--report", str(Path(report).absolute())]
        elif flags["quiet"]:
            return
        else:
            tell = []
        _Reports(program, folder, [*watched, *tell]).follow(context)


class _Reports:
    """Tells what ran, when launch has shut down and all processes of one scope have ended."""

    def __init__(self, program: Path, folder: str, options: Sequence[str]) -> None:
        self._folder = folder
        self._program = program
        self._options = options
        self._running: set[int] = set()
        self._shutting_down = False

    def follow(self, context: LaunchContext) -> None:
        for handler in (
            OnProcessStart(on_start=self._started),
            OnProcessExit(on_exit=self._exited),
            OnShutdown(on_shutdown=self._shut_down),
        ):
            context.register_event_handler(handler)

    def _started(self, event: ProcessStarted, _: LaunchContext) -> None:
        if (event.env or {}).get("TAKT_REPORT_DIR") == self._folder:
            self._running.add(event.pid)

    def _exited(self, event: ProcessExited, _: LaunchContext) -> None:
        if event.pid in self._running:
            self._running.remove(event.pid)
            self._tell_if_over()

    def _shut_down(self, _event: Shutdown, _: LaunchContext) -> None:
        self._shutting_down = True
        self._tell_if_over()

    def _tell_if_over(self) -> None:
        # A process that launch was just starting at shutdown makes this true twice: the second
        # report has all of the first.
        if not self._shutting_down or self._running:
            return
        logger = get_logger("takt")
        try:
            said = run_program(self._program, ["--join", *self._options, self._folder])
        except TaktError as error:  # not raised: other handlers of the event have to run
            logger.error(error.message)
            return
        if said.stderr:
            logger.info(f"what ran under takt:\n{said.stderr.rstrip()}")
