"""The report of `takt apply`: lines, or one document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from takt_cli.base.console import out, pass_through_errors, print_json
from takt_cli.base.errors import EXIT_FAILED, EXIT_USAGE
from takt_cli.control.answer import left_out, refusal, taken_back, trouble
from takt_cli.control.changes import (
    OUTCOMES,
    ScheduleAnswer,
    counts,
    unmatched_rules,
)
from takt_cli.control.status import Part
from takt_cli.verbs.entries import count_words, entry_lines

SCHEMA = 1
_MOST_NAMED = 10


def _parts(answer: ScheduleAnswer) -> Iterator[Part]:
    return (part for change in answer.parts for part in change.parts)


class Report:
    """Reports the results of the schedule, in lines or as one document."""

    def __init__(self, file: Path, dry_run: bool, verbose: bool, as_json: bool) -> None:
        self.absent: list[str] = []
        self._file = file
        self._dry_run = dry_run
        self._verbose = verbose
        self._as_json = as_json
        self._failures: list[str] = []
        self._faults: list[str] = []
        self._answers: Sequence[ScheduleAnswer] = ()
        self._resets: Sequence[ScheduleAnswer] = ()
        self._refused = False
        self._unmatched = False
        self._agreed: list[str] = []  # others refused

    def failed(self, words: str) -> None:
        """Note a failure, which makes the exit code 1."""
        self._failures.append(words)

    def refuse(self, answers: Sequence[ScheduleAnswer]) -> None:
        """Note that nothing was changed anywhere, and why."""
        self._answers = answers
        self._faults, failures = refusal(answers)
        self._refused = bool(self._faults)
        self._failures += failures
        self._agreed = [str(one.process.status.pid) for one in answers if one.good]

    def leave_out(self, users: Sequence[Sequence[ScheduleAnswer]]) -> None:
        """Note the users whose processes stay unchanged while those of others change, and why."""
        for those in users:
            why = [str(one) for one in those if not one.good] or unmatched_rules(those)
            self.failed(left_out(those, why))

    def refuse_unmatched(self, rules: list[str]) -> None:
        """Note that nothing was changed: callbacks of these rules would get the default threads."""
        self._faults = rules
        self._refused = self._unmatched = True

    def show(
        self, answers: Sequence[ScheduleAnswer], resets: Sequence[ScheduleAnswer] = ()
    ) -> None:
        """Note the result for each entry."""
        self._answers, self._resets = answers, resets
        for one in answers:
            self._faults += one.faults
            why = trouble(one, "the schedule", "; takt status tells whether it has changed")
            if why:
                self.failed(why)
        for one in resets:
            now = "has the attributes from before this takt apply again"
            kept = [part for part in _parts(one) if part.outcome == "failed"]
            if kept:
                now += f", but for {'; '.join(f'{part.what}: {part.why}' for part in kept)}"
            self.failed(taken_back(one, now, "the schedule"))

    def finish(self) -> int:
        """Print it, and give the exit code."""
        number = counts(self._kept())
        code = 0
        if self._failures or number["failed"] or number["skipped"]:
            code = EXIT_FAILED
        if self._refused:
            code = EXIT_USAGE
        if self._as_json:
            print_json(self._document(code))
        else:
            self._print(number)
        return code

    def _kept(self) -> list[ScheduleAnswer]:
        """Give the answers of processes that did not undo the change."""
        back = {one.process.socket for one in self._resets if one.good}
        return [one for one in self._answers if one.process.socket not in back]

    def _print(self, number: Any) -> None:
        pass_through_errors("".join(f"{line}\n" for line in self._faults))
        kept = self._kept()
        if not self._refused and any(one.parts for one in kept):
            for line, bad in entry_lines(kept, self._dry_run, self._verbose):
                out().print(line, style="red" if bad else "", markup=False, soft_wrap=True)
            words = count_words(number, self._dry_run)
            out().print(f"{self._file}: {words}", markup=False, soft_wrap=True)
        if self.absent and not self._refused:
            names = ", ".join(self.absent)
            out().print(
                f"executors of {self._file} that no running process has: {names}",
                markup=False,
                soft_wrap=True,
            )
        pass_through_errors("".join(f"{line}\n" for line in self._failures))
        if self._unmatched:
            pass_through_errors(
                "takt: no process was changed, because these rules match nothing that runs; "
                "correct them, or apply the schedule with --allow-unmatched\n"
            )
        elif self._refused:
            only = f"; to change only those that agree, add {' '.join(self._agreed[:_MOST_NAMED])}"
            if not self._agreed or len(self._agreed) > _MOST_NAMED:
                only = ""
            pass_through_errors(f"takt: the schedule was refused; no process was changed{only}\n")

    def _document(self, code: int) -> dict[str, Any]:
        number = counts(self._kept())
        return {
            "schema": SCHEMA,
            "file": str(self._file),
            "dry_run": self._dry_run,
            "ok": code == 0,
            "refused": self._refused,
            "faults": self._faults,
            "failures": self._failures,
            "counts": {outcome: number[outcome] for outcome in OUTCOMES},
            "processes": [one.as_json("executors") for one in self._answers],
            "reset": [one.as_json("executors") for one in self._resets],
            "executors_not_running": self.absent,
        }
