"""Traces that the program refuses in a sentence: too many names for memory, or impossible times."""

import resource
import subprocess

import pytest
from support.built import need
from support.takttrace import RUN_END, RUN_START, Pipeline, Process, Record, Thread, encode
from takt_cli.base.programs import find_program_or_none

PROGRAM = ("takt_trace", "takt_trace")


def takt_trace(*arguments, **more):
    """Run the program, which must end by itself."""
    command = [str(find_program_or_none(*PROGRAM)), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A trace with 40 MB of names, which must be in memory. Its records need not."""
    pipeline = Pipeline(1)
    pipeline.thread(1, 100)
    pipeline.process.names += [f"{number:01000}" for number in range(40_000)]
    trace = tmp_path_factory.mktemp("large") / "large.takttrace"
    trace.write_bytes(encode([pipeline.process]))
    return trace


@need(PROGRAM)
@pytest.mark.parametrize("what", ["perfetto", "chrome", "ctf", "report", "model"])
def test_memory_that_the_system_refuses_is_a_sentence(tmp_path, large, what):
    trace = large

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (60 << 20, 60 << 20))

    if what == "report":
        arguments = ["report", trace]
    elif what == "model":
        arguments = ["model", trace, "-o", tmp_path / "out"]
    else:
        arguments = ["convert", trace, "-o", tmp_path / "out", "--format", what]
    said = takt_trace(*arguments, preexec_fn=limit)
    assert said.returncode == 2, said.stderr
    assert len(said.stderr.splitlines()) == 1, said.stderr
    assert "the system refused the memory that this takes" in said.stderr


@need(PROGRAM)
@pytest.mark.parametrize("time", [-(2**63), 2**63 - 1, 2**62])
def test_a_model_of_impossible_times_is_refused(tmp_path, time):
    ms = 1_000_000
    process = Process(callbacks=[("/a:sub(/x)", "subscription", "/a:group(0)", True)])
    releases = [100 * ms, 200 * ms, time, 300 * ms]
    process.threads.append(Thread(1))
    for number, release in enumerate(releases):
        start = (number + 1) * 100 * ms
        process.threads[0].records += [
            Record(start, RUN_START, 0, release),
            Record(start + ms, RUN_END, 0, start),
        ]
    trace = tmp_path / "crafted.takttrace"
    trace.write_bytes(encode([process]))
    said = takt_trace("model", trace, "-o", tmp_path / "out")
    assert said.returncode == 2, said.stderr
    assert "more than ten years" in said.stderr
    assert not (tmp_path / "out").exists()
