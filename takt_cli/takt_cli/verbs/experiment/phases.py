"""The phases of the planner that collide with the hot path: computed from offsets and work.

A planner below the hot path in priority starts on time unless hot threads have every core when it
is due. The hot threads' times are computed, not measured: in each period the LiDAR callbacks are
followed by their transforms, and the later transform by fusion, filter, cluster detector and
collision estimator.
"""

from __future__ import annotations

from collections.abc import Mapping

from takt_cli.results.run_results import CallbackResult, Results

FRONT, REAR, PLANNER = "/FrontLidarDriver", "/RearLidarDriver", "/BehaviorPlanner"
TAIL = (
    "/PointCloudFusion",
    "/RayGroundFilter",
    "/EuclideanClusterDetector",
    "/ObjectCollisionEstimator",
)
# Between callbacks there is some time besides the work; so close to hot work counts as in it.
MARGIN_NS = 500_000


def collides(results: Results, cores: int) -> bool | None:
    """Tell whether hot threads have all `cores` when the planner is due; None: unknown."""
    timers = {one.node: one for one in results.callbacks if one.period_ns}
    work = {one.node: float(one.work.mean) for one in results.callbacks if one.work.count}
    needed = {"/PointsTransformerFront", "/PointsTransformerRear", *TAIL}
    if not {FRONT, REAR, PLANNER} <= timers.keys() or not needed <= work.keys():
        return None
    period = float(timers[PLANNER].period_ns)
    due = _offset(timers[PLANNER]) % period
    busy = hot_spans((_offset(timers[FRONT]), _offset(timers[REAR])), work, period)
    return sum(_within(due, span, period) for span in busy) >= cores


def hot_spans(
    offsets: tuple[float, float], work: Mapping[str, float], period: float
) -> list[tuple[float, float]]:
    """Spans (begin, length) in which hot work is done, on one thread each, within one period."""
    front, rear = (offset % period for offset in offsets)
    first, second = work["/PointsTransformerFront"], work["/PointsTransformerRear"]
    tail = sum(work[node] for node in TAIL)
    # The tail begins with the later input of the fusion; the next period's transforms may meet it.
    begin = max(front + first, rear + second)
    return [(front, first), (rear, second), (begin % period, tail)]


def _offset(timer: CallbackResult) -> float:
    return float(timer.offset_ns or 0)


def _within(moment: float, span: tuple[float, float], period: float) -> bool:
    begin, length = span
    return (moment - begin + MARGIN_NS) % period <= length + 2 * MARGIN_NS
