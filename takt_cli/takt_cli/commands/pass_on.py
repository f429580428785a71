"""What a program of the installation says, passed on as it is, with its exit code."""

from __future__ import annotations

import json
import sys
from typing import NoReturn

import typer

from takt_cli.console import err, out
from takt_cli.programs import Finished, program_failed


def pass_on(name: str, done: Finished, json_output: bool, codes: tuple[int, ...]) -> NoReturn:
    """End as the program did; with another code than one of `codes` it has gone wrong."""
    if done.code not in codes:
        raise program_failed(name, done.code, done.stderr)
    if json_output and _is_json(done.stdout):
        sys.stdout.write(done.stdout)
    else:
        # Its words are not touched: editors and people find the place by them.
        out().print(done.stdout, end="", markup=False, soft_wrap=True)
    err().print(done.stderr, end="", markup=False, soft_wrap=True)
    raise typer.Exit(done.code)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except json.JSONDecodeError:
        return False
    return True
