"""Which of the real programs are built; tests that need others are skipped."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from takt_cli.base.programs import find_program_or_none

WORKLOAD = [(name, "takt_workload") for name in ("takt_run", "takt_graph", "takt_measure_host")]
LIVE = [("takt_live", "takt_workload"), ("takt_plan", "takt_plan")]
CHECK = [("takt_check", "takt_schedule")]
AUDIT = [("takt_audit", "takt_schedule")]
SIMULATE = [("takt_simulate", "takt_plan")]
PLAN = [(f"takt_{name}", "takt_plan") for name in ("explain", "plan")]
PLAN.append(("takt_acceptance", "takt_bench"))
TIGHTNESS = [("takt_tightness", "takt_bench")]
LATENCY = [("takt_latency", "takt_bench")]
BENCHMARKS = [(f"{name}_benchmark", "takt_bench") for name in ("dispatch", "planning")]
DATA_PATH = [("takt_data_path", "takt_bench")]
CONTROL_LOOP = [("takt_control_loop", "takt_bench")]
PIPELINE = [("takt_pipeline", "takt_bench")]
TRACE = [("takt_trace", "takt_trace")]
WORKSHOP = [("takt_workshop", "takt_bench"), ("takt_plan", "takt_plan")]
ISOLATION = [("takt_isolation", "takt_bench"), ("takt_plan", "takt_plan")]


def need(*programs: tuple[str, str]) -> pytest.MarkDecorator:
    """Skip a test unless all of (program, package) are built."""
    missing = [name for name, package in programs if find_program_or_none(name, package) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not built: {', '.join(missing)}")


def adopted_program() -> Path | None:
    """Give the program of rclcpp that takt_rclcpp's tests adopt; None where it is not built."""
    built = os.environ.get("TAKT_BUILD", "/nowhere")
    program = Path(built, "build/takt_rclcpp/test/programs/adopted_program")
    return program if program.is_file() else None
