"""An experiment as it was asked for: the options of all experiments, and the end of each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from takt_cli.base.command_line import command_line
from takt_cli.base.errors import EXIT_FAILED
from takt_cli.base.units import significant
from takt_cli.files.output_directory import output_directory
from takt_cli.pages.finish import finish
from takt_cli.pages.study import Study
from takt_cli.results.configuration import Configuration
from takt_cli.running.other_programs import NOTABLE_CORES
from takt_cli.verbs.experiment.setting import Setting, make_setting
from takt_cli.verbs.options import Cores, Json, OutputDirectory, choose_cores, duration_ns, whole
from takt_cli.verbs.renamed import cores_option


class Asked:
    """An experiment as it was asked for: its setting, and how to repeat it."""

    def __init__(
        self,
        name: str,
        *,
        duration: str | None = None,
        samples: int | None = None,
        quick: bool,
        output: Path | None,
        cores: str | None,
        json_output: bool,
    ) -> None:
        self._name = name
        self._options: dict[str, Any] = {
            "duration": duration,
            "samples": samples,
            "quick": quick,
            "cores": cores,
        }
        self._output = output
        self._as_json = json_output

    @cached_property
    def setting(self) -> Setting:
        """The setting. The first look makes the directory of the results."""
        duration, cores = self._options["duration"], self._options["cores"]
        length = duration_ns(duration, "--duration") if duration else None
        used = choose_cores(cores)
        directory = output_directory(self._output, self._name)
        return make_setting(
            directory, used, self._options["quick"], length, self._options["samples"]
        )

    def repeated(self, **own: object) -> str:
        """Spell the command that repeats it; `own`: options of this experiment alone."""
        return repeated(self._name, **own, **self._options)

    def study(
        self, own: Mapping[str, object], configurations: list[Configuration], **parts: Any
    ) -> Study:
        """Make the page's content; `own`: options of this experiment alone."""
        return Study(
            kind=f"experiment {self._name}",
            command=self.repeated(**own),
            host=self.setting.host,
            configurations=configurations,
            **parts,
        )

    def show(self, study: Study, tables_shown: int | None = None) -> None:
        """Write the page, and print the (first) tables."""
        finish(study, self.setting.directory, self._as_json, tables_shown)

    def must_hold(self, claims: Iterable[bool]) -> None:
        """End with exit code 1 unless all claims hold; one that was not judged was not shown.

        A quick run is there to look around, and fails no claim.
        """
        if not all(claims) and not self.setting.quick:
            raise typer.Exit(EXIT_FAILED)


def _options(
    duration: Annotated[
        str | None, typer.Option(help="Measured time of each run.", show_default=False)
    ] = None,
    samples: Annotated[
        int | None,
        whole("--samples", 20, help="Samples per chain, instead.", show_default=False),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A few seconds per run; to look around.")
    ] = False,
    output: OutputDirectory = None,
    cores: Cores = None,
    json_output: Json = False,
) -> None:
    """Declare the options of experiments."""


def experiment(
    name: str, *, without: Collection[str] = (), before: Callable[[], None] = lambda: None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make the command of a function, which gets an Asked, and options of its own.

    `without`: options that the experiment lacks. `before`: looks whether it can run at all.
    """

    def declare(study: Callable[..., None]) -> Callable[..., None]:
        _, *own = _parameters(study)
        shared = [one for one in _parameters(_options) if one.name not in without]

        def command(**given: Any) -> None:
            before()
            asked = Asked(name, **{one.name: given.pop(one.name) for one in shared})
            study(asked, **given)

        command.__doc__ = study.__doc__
        command.__signature__ = Signature([*own, *shared])  # type: ignore[attr-defined]
        command.__annotations__ = {one.name: one.annotation for one in (*own, *shared)}
        return command

    return declare


def _parameters(function: Callable[..., None]) -> list[Parameter]:
    hints = get_type_hints(function, include_extras=True)
    return [
        one.replace(annotation=hints[one.name], kind=Parameter.KEYWORD_ONLY)
        for one in signature(function).parameters.values()
    ]


def others_used(most: float) -> list[str]:
    """Say that other programs used so many cores, if that is notable."""
    if most < NOTABLE_CORES:
        return []
    return [
        f"Other programs used up to {significant(most, 2)} cores meanwhile, which makes times "
        "longer. Repeat the experiment on an idle machine."
    ]


def repeated(name: str, **options: object) -> str:
    """Spell the command that repeats an experiment with these options."""
    words = ["experiment", name]
    for key, value in options.items():
        if key == "cores":
            words += cores_option(None if value is None else str(value))
        elif value is True:
            words.append(f"--{key}")
        elif value not in (None, False):
            words += [f"--{key}", str(value)]
    return command_line(*words)
