"""`takt experiment pipeline`: its options, and the study that it makes."""

from __future__ import annotations

from takt_cli.base.console import note
from takt_cli.base.units import NS_PER_S
from takt_cli.running.other_programs import OtherPrograms
from takt_cli.verbs.experiment import pipeline
from takt_cli.verbs.experiment.asked import Asked, experiment, others_used

_EXPLANATIONS = (
    "50 nodes in ten lanes of five stages. A timer of 30 Hz begins each lane; each later node "
    "works when the message of the stage before it has come. A node's other input is that of the "
    "next lane, whose newest message it stores. Each node works 50 µs of CPU time and publishes; "
    "messages have 64 B to 4 MiB, a quarter of the size from stage to stage.",
    "All nodes are those of takt_rcl over Fast DDS, reliable, with a history of one message, and "
    "all threads run on one core: executors under SCHED_FIFO where the kernel grants it, threads "
    "of the middleware one priority above.",
    "A process for each node: the executors of takt, so that only processes and middleware differ "
    "from the other ways. rclcpp is not in this experiment.",
    "Bounds: one more run with sequences is traced, takt makes a system model of the trace and of "
    "the costs of a run on this machine (takt calibrate; without those of the middleware, which "
    "gets no message), and takt explain bounds the lanes under the schedule of the run. A lane "
    "waits for the others at worst, so all lanes have one bound, and only the last one comes near "
    "it. The files are in the folder bounds.",
)


@experiment("pipeline", without=("samples",))
def run_pipeline(
    asked: Asked,
) -> None:
    """Run 50 nodes 30 times a second on one core, from processes to sequences (3 minutes)."""
    setting = asked.setting
    length = setting.duration_ns or (1 if setting.quick else 10) * NS_PER_S
    note(f"{setting.host.describe()}; six runs of {length / NS_PER_S:g} s.")
    others = OtherPrograms(setting.cores)
    found = pipeline.measure(setting, length, note)
    note("bounds: a traced run, a model, takt explain ...")
    bounds = pipeline.bound(setting, length)
    used = others.cores()
    asked.show(
        asked.study(
            {},
            [],
            title="A perception pipeline on one core, from processes to sequences",
            sentences=others_used(used) + pipeline.sentences(found, bounds),
            tables=pipeline.tables(found, bounds),
            explanations=list(_EXPLANATIONS),
        )
    )
    asked.must_hold(claim.holds for claim in pipeline.judge(found, bounds))
