"""Stand-ins for the C++ programs, in an install prefix of their own.

They take the flags of the real ones and answer at once with made-up results, so that whole commands
can be tested where nothing is built.
"""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

_RUN = """#!{python}
import argparse, json, os, sys, time
sys.path.insert(0, {tests!r})
from support.synthetic import results
import yaml
parser = argparse.ArgumentParser()
parser.add_argument("graph")
for flag in ("schedule", "executor", "order", "duration", "warmup", "phases", "output", "label",
             "records", "cores", "match-timeout", "split-map", "restart", "witness"):
    parser.add_argument("--" + flag)
for flag in ("threads", "split", "seed", "domain", "reference-timer"):
    parser.add_argument("--" + flag, type=int)
parser.add_argument("--work-scale", type=float, default=1.0)
parser.add_argument("--json-progress", action="store_true")
parser.add_argument("--quiet", action="store_true")
args = parser.parse_args()
graph = yaml.safe_load(open(args.graph))
if graph["name"] == "broken":
    print("graph.yaml:3:1: node without a name", file=sys.stderr)
    sys.exit(2)
units = dict(ns=1e-9, us=1e-6, ms=1e-3, s=1)
unit = next(u for u in units if args.duration.endswith(u) and args.duration[:-len(u)].isdigit())
duration = int(args.duration.removesuffix(unit)) * units[unit]
print(json.dumps(dict(elapsed_s=0.5, of_s=1.0)), flush=True)
early = graph["name"] in ("patient", "slow", "warming", "hanging")
if early or graph["name"] == "endless":
    open(args.graph + ".pid", "w").write(str(os.getpid()))
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        if not early:
            raise
        if graph["name"] == "slow":
            open(args.graph + ".writing", "w").close()
            while not os.path.exists(args.graph + ".go"):
                time.sleep(0.02)
if graph["name"] == "failing":
    print("takt_run: it went wrong", file=sys.stderr)
    sys.exit(1)
schedule = args.schedule or ""
takt = "takt" in schedule.rsplit("/", 1)[-1]
spread = 0.05 if takt else 4.0 if "single" in schedule else 0.6
chains = [
    dict(name=c["name"], base_ms=30, period_ms=100, deadline_ms=100, priority=c.get("priority", 0))
    for c in graph.get("chains", ())
]
data = results(
    graph=graph["name"], chains=chains, duration_s=duration, spread=spread,
    threads=args.threads or 2,
    policy="fifo" if takt else "other", work_scale=args.work_scale, order=args.order or "fifo",
    phases=args.phases or "fixed", seed=sum(map(ord, schedule)), stale=0 if takt else 7,
)
data["arguments"] = " ".join(sys.argv[1:])
if early:
    data["warnings"].append("ended early")
    data["measured_from_ns"] = data["epoch_ns"]
    data["measured_to_ns"] = data["epoch_ns"] + (0 if graph["name"] == "warming" else 10**6)
if graph["name"] == "crashing":
    data["warnings"].append("incomplete: part 2 of 3 died")
if graph["name"] == "hanging":
    data["incomplete"] = ["part 1 of 2 (/b) did not end when it was told to, and was killed"]
if schedule:
    data["schedule"] = dict(file=schedule, name="main")
json.dump(data, open(args.output, "w"))
if args.records:
    json.dump(dict(version=1, graph=graph["name"], runs=[]), open(args.records, "w"))
if graph["name"] == "crashing":
    print("takt_run: part 2 of 3 was ended by signal 11", file=sys.stderr)
    sys.exit(1)
if graph["name"] == "hanging":
    print("takt_run: part 1 of 2 (/b) did not end when it was told to, and was killed",
          file=sys.stderr)
    sys.exit(1)
"""

_GRAPH = """#!{python}
import json, sys
import yaml
command, path = sys.argv[1:3]
graph = yaml.safe_load(open(path))
if graph["name"] == "broken":
    print(path.rpartition("/")[2] + ":3:1: node without a name", file=sys.stderr)
    sys.exit(2)
if command == "check":
    sys.exit(0)
callbacks, chains = [], []
for chain in graph.get("chains", ()):
    ids = []
    for i, node in enumerate(chain["path"]):
        id_ = "/" + node + (":timer(100ms)" if i == 0 else ":sub(/" + chain["path"][i - 1] + ")")
        ids.append(id_)
        if id_ not in [c["id"] for c in callbacks]:
            kind = "subscription" if i else "timer"
            load = dict(rate_hz=10, utilisation=0.05, group=id_)
            callbacks.append(dict(load, id=id_, kind=kind))
    chains.append(dict(name=chain["name"], path=ids, priority=chain.get("priority", 0),
                       deadline_ns=100000000))
if command == "ids":
    print(json.dumps(dict(callbacks=callbacks)))
else:
    print(json.dumps(dict(graph=graph["name"], callbacks=callbacks, chains=chains,
                          total_utilisation=0.05 * len(callbacks),
                          groups=dict((c["id"], 0.05) for c in callbacks))))
"""

_HOST = """#!{python}
print('{"wake_up_same_core_ns": {"p50": 52000, "p99": null, "max": 410000}, "cores": [0, 1]}')
"""

_CHECK = """#!{python}
import json, sys
bad = "bad" in sys.argv[1]
if bad:
    print(sys.argv[1] + ":4:5: unknown key 'oder'; did you mean 'order'?", file=sys.stderr)
elif "--json" in sys.argv:
    print(json.dumps(dict(ok=True, ids=json.load(open(sys.argv[sys.argv.index("--ids") + 1]))
                                      if "--ids" in sys.argv else None)))
else:
    print(sys.argv[1] + ": good")
sys.exit(2 if bad else 0)
"""

_EXPLAIN = """#!{python}
import json, sys
if "bad" in sys.argv[1]:
    print(sys.argv[1] + ":4:5: unknown key 'oder'; did you mean 'order'?", file=sys.stderr)
    sys.exit(2)
print(json.dumps(dict(arguments=sys.argv[1:])) if "--json" in sys.argv else "obstacles [late]")
sys.exit(-9 if "broken" in sys.argv[1] else 1)
"""

# What a command that is interrupted or killed must not leave behind.
_ENDLESS = """
import os, signal, time
def endless(path):
    def interrupted(*_):
        os.write(2, b"takt_plan: interrupted: s.yaml has the best plan until then\\n")
        os._exit(130)
    signal.signal(signal.SIGINT, interrupted if "keeping" in path else signal.SIG_DFL)
    os.write(2, b"10 of 400 callbacks\\n")  # at once: an interrupt may come
    open(path + ".pid", "w").write(str(os.getpid()))
    time.sleep(60)
"""

_PLAN = """#!{python}
import json, sys
{endless}
if "endless" in sys.argv[1]:
    endless(sys.argv[1])
if "bad" in sys.argv[1]:
    print(sys.argv[1] + ":2:1: no hosts", file=sys.stderr)
    sys.exit(2)
print(json.dumps(dict(arguments=sys.argv[1:])) if "--json" in sys.argv else "version: 1")
print("brake is 3ms too late", file=sys.stderr)
sys.exit(1)
"""

_BENCH = """#!{python}
import json, sys
{endless}
if "--benchmark_filter=endless" in sys.argv:
    endless("endless.yaml")
if "--benchmark_filter=nomatch" in sys.argv:
    print("Failed to match any benchmarks against regex: nomatch", file=sys.stderr)
    print(json.dumps(dict(version=1, limits=[], growth=[])))
    sys.exit(3)
path = next(a for a in sys.argv if a.startswith("--benchmark_out=")).partition("=")[2]
runs = [dict(name="dispatch", run_name="dispatch", run_type="iteration", real_time=t, cpu_time=t,
             time_unit="ns", depth=10) for t in (90, 110)]
median = dict(runs[0], name="dispatch_median", run_type="aggregate", aggregate_name="median",
              real_time=100, cpu_time=100)
json.dump(dict(benchmarks=[*runs, median]), open(path, "w"))
if "--json" in sys.argv:
    limits = [dict(claim="dispatch, ready to start", value=21390525427.0, limit=1e10, unit="ns",
                   verdict="MISSED"),
              dict(claim="of a walk", value=1.25, limit=1.5, unit="x", verdict="met"),
              dict(claim="of nothing", value=-1, limit=1.5, unit="x", verdict="not measured")]
    if "--benchmark_filter=damaged" in sys.argv:
        limits[1]["value"] = "fast"
    print(json.dumps(dict(version=1, limits=limits, growth=[])))
else:
    print("dispatch, ready to start      162.81 ns (limit 100.00) MISSED")
sys.exit(1)
"""

_SIMULATE = """#!{python}
import json, sys
{endless}
system = sys.argv[1]
if "endless" in system:
    endless(system)
if system == "bad.yaml":
    print("bad.yaml:2:8: unknown key 'core'", file=sys.stderr)
    sys.exit(2)
if system == "full.yaml":
    print("takt_simulate: t.json cannot be written: No space left on device", file=sys.stderr)
    sys.exit(1)
print("warning: something", file=sys.stderr)
print(json.dumps(sys.argv[1:]))
"""

# 20,000 cycles a thread, of which one was held up; the latencies under fair are ten times as long.
_LATENCY = """#!{python}
import argparse, json, os, sys, time
parser = argparse.ArgumentParser()
for flag in ("policy", "priority", "runtime", "deadline", "period", "interval", "duration", "cores",
             "output"):
    parser.add_argument("--" + flag)
for flag in ("load", "strict", "progress"):
    parser.add_argument("--" + flag, action="store_true")
args = parser.parse_args()
early = False
if args.priority == "13":
    print("takt_latency: the kernel refuses it", file=sys.stderr)
    sys.exit(1)
if args.priority == "14":
    print(json.dumps(dict(elapsed_s=0.1, of_s=60.0, cycles=5, worst_ns=9, overruns=0)),
          file=sys.stderr, flush=True)
    open("running.pid", "w").write(str(os.getpid()))
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        early = True
times = 10 if args.policy == "other" else 1
def words(policy):
    return "SCHED_OTHER nice 0" if policy == "other" else "SCHED_FIFO priority 80"
granted = "other" if args.priority == "7" else args.policy
ordinary = dict(count=19999, min_ns=5000 * times, max_ns=90000 * times,
                sum_ns=19999 * 10000 * times, overruns=2 if times > 1 else 0,
                buckets=[[5000 * times, 5039 * times, 19000], [20000 * times, 20159 * times, 990],
                         [89600 * times, 90000 * times, 9]])
held_up = dict(count=1, min_ns=1500000, max_ns=1500000, sum_ns=1500000, overruns=1,
               buckets=[[1490944, 1500000, 1]])
refused = ["no right to it; do this"] if args.priority == "7" else []
threads = [dict(core=None if args.policy == "deadline" else int(core),
                asked=dict(words=words(args.policy)), granted=dict(words=words(granted)),
                at_end=dict(words=words(granted)), accounted=True, minor_faults=0, major_faults=0,
                refused=refused, ordinary=ordinary, held_up=held_up)
           for core in args.cores.split(",")]
json.dump(dict(version=1, policy=args.policy, measured_ns=10**10, ended_early=early,
               memory_locked=not refused, refused=refused, threads=threads,
               arguments=sys.argv[1:]), open(args.output, "w"))
"""

# Raw traces are the figures of one process each (fake_control.FakeTracer); `how` makes it fail.
_TRACE = """#!{python}
import argparse, json, sys
parser = argparse.ArgumentParser()
parser.add_argument("command", choices=["convert", "model"])
parser.add_argument("raws", nargs="+")
parser.add_argument("-o", required=True)
parser.add_argument("--format", choices=["perfetto", "chrome", "takt"])
parser.add_argument("--json", action="store_true")
parser.add_argument("--chains")
parser.add_argument("--costs")
parser.add_argument("--percentile", type=float)
args = parser.parse_args()
if args.command == "model":
    if args.chains == "bad":
        print("bad:1:1: wrong", file=sys.stderr)
        sys.exit(2)
    open(args.o, "w").write("version: 1\\n")
    given = f"chains {args.chains}, costs {args.costs}, percentile {args.percentile}"
    print(f"note: {given}; 2 callbacks are in {args.o}", file=sys.stderr)
    sys.exit(0)
figures = [json.load(open(raw)) for raw in args.raws]
how = figures[0].get("how", "")
if how == "full":
    open(args.o, "w").write("half a tr")
    print(f"takt_trace: {args.o} cannot be written: No space left on device", file=sys.stderr)
    sys.exit(1)
if how == "usage":
    print("takt_trace: unknown option", file=sys.stderr)
    sys.exit(2)
if how != "nothing":
    json.dump(dict(format=args.format, of=[one["pid"] for one in figures]), open(args.o, "w"))
if how == "words":
    print("good")
    sys.exit(0)
document = dict(
    schema=1,
    processes=[dict(pid=one["pid"], program=one["program"], threads=one.get("threads", 1),
                    runs=one.get("runs", 10), dropped=one.get("dropped", 0),
                    overwritten=one.get("overwritten", 0)) for one in figures],
    messages=dict(published=30, taken=20, joined=10),
    chains=[dict(chain, process=one["pid"]) for one in figures for chain in one.get("chains", ())],
    began_ns=10**9, ended_ns=6 * 10**9)
document.update(figures[0].get("document", dict()))
print(json.dumps(document))
"""

_SCHEDULE = {
    "version": 1,
    "executors": {
        "main": {
            "order": "priority",
            "missing_rights": "report",
            "threads": {"hot": {"policy": "fifo", "priority": 80, "cores": [0]}, "rest": {}},
            "default": "rest",
        }
    },
}


def _graph(name: str, chains: int, length: int) -> dict[str, object]:
    nodes, paths = [], []
    for chain in range(chains):
        path = [f"callback_{chain * length + i + 1}" for i in range(length)]
        nodes += [
            {"name": path[i], "kind": "transform", "input": path[i - 1]}
            if i
            else {"name": path[0], "kind": "sensor", "period": "100ms", "work": "10ms"}
            for i in range(length)
        ]
        paths.append({"name": f"chain_{chain + 1}", "path": path, "priority": chains - chain})
    return {"version": 1, "name": name, "nodes": nodes, "chains": paths}


def install(prefix: Path) -> Path:
    """Fill a prefix; put it on AMENT_PREFIX_PATH to use it."""
    tests = str(Path(__file__).resolve().parents[1])
    programs = {
        "takt_workload/takt_run": _RUN,
        "takt_workload/takt_graph": _GRAPH,
        "takt_workload/takt_measure_host": _HOST,
        "takt_schedule/takt_check": _CHECK,
        "takt_plan/takt_simulate": _SIMULATE,
        "takt_plan/takt_explain": _EXPLAIN,
        "takt_plan/takt_plan": _PLAN,
        "takt_bench/dispatch_benchmark": _BENCH,
        "takt_bench/takt_latency": _LATENCY,
        "takt_trace/takt_trace": _TRACE,
    }
    for name, text in programs.items():
        path = prefix / "lib" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = text.replace("{endless}", _ENDLESS)
        path.write_text(text.replace("{python}", sys.executable).replace("{tests!r}", repr(tests)))
        path.chmod(0o755)
    share = prefix / "share/takt_workload"
    shapes = {"autoware_reference": (3, 4), "three_chains": (3, 3), "four_chains": (4, 3)}
    for name, (chains, length) in shapes.items():
        _write(share / f"graphs/{name}.yaml", _graph(name, chains, length))
    for name in ("autoware_stock_single", "autoware_stock_pool", "autoware_takt"):
        _write(share / f"schedules/{name}.yaml", _SCHEDULE)
    return prefix


def _write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(content, sort_keys=False))
