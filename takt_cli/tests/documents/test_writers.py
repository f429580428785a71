"""What programs in C++ write, held against the schemas.

Of other documents the tests that have a running program do the same: support/running_graph.py and
support/watched.py check each status, statistics, summary of a trace and alarm that they get,
tracing/test_trace_programs.py the report of a trace, test_exec_report.py that of takt exec, and
test_real_programs.py results.
"""

import json
import subprocess

from support.built import LATENCY, need
from support.schemas import faults
from takt_cli.base.programs import find_program


@need(*LATENCY)
def test_latencies(tmp_path):
    file = tmp_path / "latency.json"
    program = find_program("takt_latency", "takt_bench")
    subprocess.run([program, "--duration", "200ms", "--output", file], check=True, timeout=60)
    assert faults("latency", json.loads(file.read_text(encoding="utf-8"))) == []
