"""Once around on a real system: trace, model, plan and run again, as docs/loop.md says."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from support.built import PLAN, WORKLOAD, need
from support.private import private

PAGE = Path(__file__).resolve().parents[3] / "docs" / "loop.md"
BLOCK = re.compile(r"<!-- test: loop -->\n```sh\n(.*?)```", re.DOTALL)

pytestmark = pytest.mark.skipif(not PAGE.is_file(), reason="docs/ is not in this checkout")


# `takt trace` finds processes that have begun; a reader of the page types the next line later.
WAIT = """
for i in $(seq 600); do
  [ "$(takt status --json 2>/dev/null | python3 -c '
import json, sys
print(len(json.load(sys.stdin)["processes"]))' 2>/dev/null)" = 3 ] && break
  sleep 0.1
done
"""


def shorter(script):
    """Seconds instead of tens of seconds, and a tenth of the work.

    The first run goes on until it is traced, however long that takes on a busy machine.
    """
    for word, other in (
        ("40s", "600s"),
        ("--duration 10s", "--duration 3s"),
        ("20s", "4s"),
        ("takt calibrate", "takt calibrate --duration 2s"),
        ("takt plan", "takt plan --time 3s"),
        ("sleep 5    # until it runs\n", WAIT),
        ("\nwait\n", "\nkill -TERM $!\nwait $! || test $? = 130\n"),
    ):
        assert word in script
        script = script.replace(word, other)
    # It says with 1 that it does not promise all chains.
    script = re.sub(r"^(takt plan .*)$", r"\1 || test $? = 1", script, flags=re.M)
    return re.sub(r"(takt run [^\n&]*?)(\s*&?)$", r"\1 --work-scale 0.1\2", script, flags=re.M)


# The plan knows one system on these cores: real-time threads of another test would make it late.
@pytest.mark.alone
@need(*WORKLOAD, *PLAN, ("takt_trace", "takt_trace"))
def test_a_plan_made_of_a_trace_keeps_its_promises(tmp_path):
    script = "set -e\n" + shorter(BLOCK.search(PAGE.read_text(encoding="utf-8")).group(1))
    # A reader who goes around again has these.
    for name in (
        "costs.yaml",
        "before",
        "trace.takttrace",
        "system.yaml",
        "schedule.yaml",
        "after",
    ):
        (tmp_path / name).write_text("of the round before")
    environment = private(tmp_path)
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]

    costs = yaml.safe_load((tmp_path / "costs.yaml").read_text())
    model = yaml.safe_load((tmp_path / "system.yaml").read_text())
    (host,) = model["hosts"].values()
    assert host["overheads"] == costs["overheads"]

    schedule = yaml.safe_load((tmp_path / "schedule.yaml").read_text())
    assert len(schedule["executors"]) == 3
    # Messages between processes need the middleware's threads.
    for executor in schedule["executors"].values():
        most = max(thread["priority"] for thread in executor["threads"].values())
        assert executor["process_threads"][0]["priority"] > most

    promised = {
        words[1]
        for line in (tmp_path / "schedule.yaml").read_text().splitlines()
        if (words := line.split())
        and words[0] == "#"
        and len(words) >= 6
        and not line.endswith("too late")
        and words[2].isdigit()
    }
    results = json.loads((tmp_path / "after").read_text())
    chains = {chain["name"]: chain for chain in results["chains"]}
    assert promised <= set(chains)
    assert len(promised) >= 8
    for name in promised:
        chain = chains[name]
        assert chain["completed"] > 0, name
        # A host that takes the processor away is no fault of the plan, and neither is what waits
        # behind such a stall.
        late = [
            response
            for response, stalled, waits in zip(
                chain["responses_ns"], chain["stalled"], chain["catching_up"], strict=True
            )
            if response > chain["deadline_ns"] and not stalled and not waits
        ]
        assert not late, name
