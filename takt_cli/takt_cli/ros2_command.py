"""`ros2 takt`: the takt command as an extension of the command ros2.

This module alone needs the package `ros2cli`, which loads it by its entry point in setup.py.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import NoReturn

from ros2cli.command import CommandExtension


class TaktCommand(CommandExtension):
    """Real-time execution: run programs under a schedule, plan schedules, check them."""

    def add_arguments(
        self, parser: argparse.ArgumentParser, cli_name: str, *, argv: list[str] | None = None
    ) -> None:
        """Leave every word to takt's own parser, also `--help`."""
        # Without prefixes no word looks like an option.
        parser.prefix_chars = ""
        parser.add_argument("arguments", nargs=argparse.REMAINDER)

    def main(self, *, parser: argparse.ArgumentParser, args: argparse.Namespace) -> NoReturn:
        """Become the takt command."""
        os.execv(sys.executable, [sys.executable, "-m", "takt_cli", *args.arguments])
