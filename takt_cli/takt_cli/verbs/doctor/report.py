"""The reports of `takt doctor --fix` and `--undo`."""

from __future__ import annotations

from takt_cli.base.console import out, print_json
from takt_cli.verbs.doctor.finding import SCHEMA
from takt_cli.verbs.doctor.fix import Outcome
from takt_cli.verbs.doctor.plan import Skipped
from takt_cli.verbs.doctor.tables import sentence


class Report:
    """Tells outcomes as they come, or all of them as one document at the end."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._outcomes: list[Outcome] = []

    def tell(self, outcome: Outcome) -> None:
        """Report the outcome of one action."""
        self._outcomes.append(outcome)
        if not self._as_json:
            style = "red" if outcome.result == "failed" else ""
            out().print(sentence(outcome), style=style, markup=False, soft_wrap=True)

    def finish(self, what: str, dry_run: bool, undo_file: str, skipped: list[Skipped]) -> None:
        """Report the remaining outcomes."""
        if self._as_json:
            print_json(
                {
                    "schema": SCHEMA,
                    "what": what,
                    "dry_run": dry_run,
                    "undo_file": undo_file,
                    "actions": [outcome.as_json() for outcome in self._outcomes],
                    "skipped": [
                        {"finding": one.finding, "why": one.why, "fault": one.fault}
                        for one in skipped
                    ],
                }
            )
            return
        for one in skipped:
            style = "red" if one.fault else ""
            words = f"{one.finding}: nothing was changed: {one.why}"
            out().print(words, style=style, markup=False, soft_wrap=True)
