"""The system of the experiment: a control loop and three ROS nodes, from a trace to a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.units import NS_PER_S, duration_flag
from takt_cli.documents.document import Document
from takt_cli.files.outputs import write_text
from takt_cli.results.results_file import parse_results
from takt_cli.results.run_results import Results
from takt_cli.running.busy_cores import hogs
from takt_cli.running.without_rights import Programs

LOOP_ID = "/controller:timer(control)"
GRAPH = """\
version: 1
name: control_loop
defaults: {depth: 1}
nodes:
  - {name: Camera, kind: sensor, period: 20ms, work: 1ms}
  - {name: Detector, kind: transform, input: Camera, work: 3ms}
  - {name: Planner, kind: transform, input: Detector, work: 1ms}
chains:
  - {name: perception, path: [Camera, Detector, Planner], priority: 40, deadline: 20ms}
"""
CHAINS = f"""\
chains:
  control: {{path: ["{LOOP_ID}"], priority: 90, deadline: 1ms}}
  perception:
    path: ["/Camera:timer(20ms)", "/Detector:sub(/Camera)", "/Planner:sub(/Detector)"]
    priority: 40
    deadline: 20ms
"""
# Before there is a plan, each program has threads that run everything.
OBSERVED = f"""\
version: 1
epoch: host
executors:
  controller:
    threads: {{loop: {{policy: fifo, priority: 80}}}}
    missing_rights: report
    default: loop
  nodes:
    threads: {{nodes: {{count: 2, policy: fifo, priority: 40}}}}
    missing_rights: report
    default: nodes
{CHAINS}"""
_STARTS_S = 3.0  # of the loop, with its warm-up
_ENDS_S = 90.0
_TRACES = 3  # at most, until a plan is proven


class Loop(Document, at="control_loop"):
    """What the control loop noted."""


class HostStalls(Document, at="host_stalls"):
    """What the witness of one core saw."""


@dataclass(frozen=True)
class Measured:
    """One run under the plan."""

    loop: Loop
    stalls: HostStalls
    nodes: Results
    threads: tuple[tuple[str, str, str, str], ...]  # executor, name, attributes, state
    granted: int  # threads that the daemon gave their attributes, in both runs
    loop_core: int


def plan(
    programs: Programs, folder: Path, cores: Sequence[int], seconds: int, say: Callable[[str], None]
) -> Path:
    """Trace both programs, make a model of the trace, and plan it.

    A stall of the host counts as CPU time of the run that it meets. One such run, longer than the
    loop's period, makes every plan late. So after a late plan both programs are traced again.
    """
    system, schedule = folder / "system.yaml", folder / "schedule.yaml"
    for left in range(_TRACES - 1, -1, -1):
        _model(programs, folder, system, seconds, say)
        try:
            programs.run_takt("plan", str(system), "-o", str(schedule), "--force", *_cpus(cores))
            break
        except TaktError as error:
            if error.code != EXIT_FAILED or left == 0:
                raise
            say(
                "the plan is late, perhaps because the trace has a stall of the host; once more ..."
            )
    return schedule


def _model(
    programs: Programs, folder: Path, system: Path, seconds: int, say: Callable[[str], None]
) -> None:
    graph, observed = folder / "graph.yaml", folder / "observed.yaml"
    write_text(graph, GRAPH)
    write_text(observed, OBSERVED)
    length = duration_flag((seconds + 600) * NS_PER_S)
    say(f"both programs, traced for {seconds} s ...")
    programs.start_nodes("observed_nodes", graph, observed, length)
    programs.start_loop("observed_loop", observed, length)
    trace = folder / "trace.takttrace"
    duration = f"{seconds}s"
    programs.run_takt(
        "trace", "record", "--duration", duration, "--cpu", "-o", str(trace), "--force"
    )
    for name in ("observed_loop", "observed_nodes"):
        programs.end(name)
    say("a model of the trace, and a plan of the model ...")
    programs.run_takt("model", str(trace), "-o", str(system), "--force")


def _cpus(cores: Sequence[int]) -> list[str]:
    return ["--cpus", ",".join(map(str, cores))]


def run(
    programs: Programs, folder: Path, cores: Sequence[int], schedule: Path, length_ns: int
) -> Measured:
    """Run both programs under the plan, with a busy process on each core."""
    core, offset = place_of_the_loop(schedule)
    seconds = length_ns / NS_PER_S
    longer = duration_flag(length_ns + round((_STARTS_S + _ENDS_S) * NS_PER_S))
    with hogs(cores):
        programs.start_witness("witness", core, offset)
        programs.start_nodes("nodes", folder / "graph.yaml", schedule, longer)
        # It stays: on a busy machine `takt status` may take longer than the measurement.
        programs.start_loop("loop", schedule, duration_flag(length_ns), stays=True)
        programs.pause("loop", seconds / 2)
        status = programs.status_of(["loop", "nodes"])
        loop = Loop.read(programs.stop("loop", seconds + _STARTS_S))
        stalls = HostStalls.read(programs.stop("witness"))
        nodes = parse_results(programs.stop("nodes"))
    return Measured(loop, stalls, nodes, tuple(_threads(status)), programs.granted(), core)


def place_of_the_loop(schedule: Path) -> tuple[int, str]:
    """Find core and offset that the plan gives the loop; the witness goes by them."""
    for executor in yaml.safe_load(schedule.read_text(encoding="utf-8"))["executors"].values():
        threads = executor["threads"]
        for rule in executor.get("callbacks", ()):
            if rule["match"] == LOOP_ID:
                name = rule.get("threads", executor["default"])
                return int(threads[name]["cores"][0]), str(rule.get("offset", "0s"))
    raise TaktError(f"{schedule} has no rule for the control loop", code=EXIT_FAILED)


def _threads(status: Any) -> Iterator[tuple[str, str, str, str]]:
    for process in status["processes"]:
        for executor in process["executors"]:
            for thread in executor["threads"]:
                yield executor["name"], thread["name"], _words(thread["now"]), thread["state"]


def _words(attributes: Any) -> str:
    cores = ",".join(map(str, attributes["cores"]))
    return f"{attributes['policy']} {attributes['priority']}, cores {cores}"
