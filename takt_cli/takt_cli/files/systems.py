"""System models: names to files."""

from __future__ import annotations

from pathlib import Path

import yaml

from takt_cli.base.programs import share_directories
from takt_cli.files.inputs import missing, refuse_irregular
from takt_cli.files.shipped import is_bare, shipped_files, unknown
from takt_cli.files.standard_input import DASH, standard_input

PACKAGE = "takt_plan"
_KIND = "system model"


def available_systems() -> dict[str, Path]:
    """Shipped system models by name."""
    return shipped_files(PACKAGE, "models")


def shipped_models() -> list[str]:
    """Give the option with the folder of models that schedules name without a folder."""
    folders = share_directories(PACKAGE, "models")
    return ["--models", *map(str, folders)] if folders else []


def resolve_system(name: str) -> str:
    """Take a file as it is; a bare name is a shipped model.

    Faults name a file as the user did, so the name is not changed.
    """
    if name == DASH:
        return str(standard_input())
    if Path(name).is_file():
        return name
    shipped = available_systems()
    if name in shipped:
        return str(shipped[name])
    refuse_irregular(Path(name), _KIND)
    if is_bare(name):
        raise unknown(name, shipped, _KIND)
    raise missing(name)


def schedule_system(schedule: str, file: Path, system: str | None) -> list[str]:
    """Give the options with the model of the schedule in `file`, which the user calls `schedule`.

    `system`: the user's model; None: the programs take the model that the schedule names. They
    search in the folder of the schedule, and that of standard input is the current one.
    """
    if system is not None:
        return ["--system", resolve_system(system)]
    if schedule == DASH:
        named = _named_in(file)
        if named is not None and not is_bare(named) and Path(named).is_file():
            return ["--system", named]
    return shipped_models()


def _named_in(schedule: Path) -> str | None:
    """Give the model that a schedule names; None if it names none or has faults."""
    try:
        content = yaml.safe_load(schedule.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return None
    named = content.get("system") if isinstance(content, dict) else None
    return named if isinstance(named, str) else None
