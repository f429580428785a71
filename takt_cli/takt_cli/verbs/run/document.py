"""The output of `takt run --json`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from takt_cli.results.run_results import Results
from takt_cli.results.samples import summarise


def run_summary(results: Results) -> dict[str, Any]:
    """Give the tables' content for programs; times in ns."""
    kpis = results.kpis
    return {
        "graph": results.graph,
        "schedule": results.schedule,
        "executors": list(results.executors),
        "order": results.order,
        "duration_ns": results.duration_ns,
        "ended_early": results.ended_early,
        "work_scale": results.work_scale,
        "chains": [
            {
                "name": chain.name,
                "released": chain.released,
                "completed": chain.completed,
                "superseded": chain.superseded,
                "lost": chain.lost,
                "unfinished": chain.unfinished,
                "skipped": chain.skipped,
                "missed_deadlines": chain.missed_deadlines,
                "deadline_ns": chain.deadline_ns,
                "response_ns": asdict(summarise(chain.responses.values)),
                "response_without_stalls_ns": asdict(summarise(chain.responses.clean())),
                "stalled_share": chain.responses.stalled_share,
            }
            for chain in results.chains
        ],
        "hot_path": {
            "floor_ns": kpis.hot_floor_ns,
            "latency_ns": asdict(summarise(kpis.hot_latency.values)),
            "latency_without_stalls_ns": asdict(summarise(kpis.hot_latency.clean())),
            "from_due_ns": asdict(summarise(kpis.hot_from_due)),
            "stalled_share": kpis.hot_latency.stalled_share,
            "drops": kpis.hot_drops,
        }
        if kpis.has_hot_path
        else None,
        "planner": {
            "start_lateness_ns": asdict(summarise(kpis.planner_lateness.values)),
            "cycles": kpis.planner_cycles,
            "stale_cycles": kpis.planner_stale_cycles,
        }
        if kpis.has_planner
        else None,
        "reference_timer": {"lateness_ns": asdict(summarise(kpis.reference_lateness))}
        if len(kpis.reference_lateness)
        else None,
        "skipped_periods": results.skipped_periods,
        "phases": {name: asdict(state) for name, state in results.phase_states.items()},
        "cpu_cores": results.cpu_share,
        "other_programs_cores": results.other_cores,
        "context_switches_per_s": results.switches_per_s,
        "host_stalls": {"count": len(results.held_up), "total_ns": results.stall_ns},
        "defaulted_callbacks": list(results.defaulted_callbacks),
        "warnings": list(results.warnings),
    }
