"""An independent oracle for ROS 2 executor schedules: exact time, zero overhead."""

from .engine import Engine
from .model import Callback, Executor, Scenario, ScenarioError
from .report import Report, make_report
from .steady import Analysis, analyse
from .timeline import ChainRun, Start, Timeline

__all__ = [
    "Analysis",
    "Callback",
    "ChainRun",
    "Engine",
    "Executor",
    "Report",
    "Scenario",
    "ScenarioError",
    "Start",
    "Timeline",
    "analyse",
    "make_report",
    "simulate",
]


def simulate(scenario: Scenario) -> Timeline:
    """All that happens before the scenario's horizon."""
    return Engine(scenario).run(scenario.horizon_ns)
