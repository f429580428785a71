"""Programs that plan, analyse and simulate generated systems, and print a list of results."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.processes import program_failed, run_program
from takt_cli.base.programs import find_program
from takt_cli.documents.document import DamagedError

# A thousand systems of one shape take almost a minute; much slower machines get there, too.
_PATIENCE_S = 24 * 3600
T = TypeVar("T")


def measure(
    program_name: str,
    numbers: Mapping[str, int],
    read: Callable[[dict[str, Any]], T],
    *more: str,
) -> list[T]:
    """Run the program with these options, for minutes; `read` takes one item.

    `more`: further arguments.
    """
    program = find_program(program_name, "takt_bench")
    arguments = [word for name, number in numbers.items() for word in (f"--{name}", str(number))]
    arguments += more
    done = run_program(program, arguments, timeout_s=_PATIENCE_S, check=False)
    if done.code not in (0, EXIT_FAILED):
        raise program_failed(program.name, done.code, done.stderr)
    try:
        return [read(item) for item in json.loads(done.stdout)]
    except (json.JSONDecodeError, DamagedError, KeyError, TypeError) as error:
        raise TaktError(f"{program.name} said something unexpected: {error}") from error
