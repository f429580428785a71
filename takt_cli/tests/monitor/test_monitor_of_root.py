"""`takt monitor` of root while another user attacks it, and while its disk is full."""

import contextlib
import json
import os
import resource
import subprocess

import pytest
from support.fake_alarms import RAISE, STATISTICS, STATUS, SUBSCRIBE, FakeWatched, alarm, wait_for
from support.fake_control import RESULT, TRACE_SNAPSHOT, executor, message, process, thread
from support.fake_statistics import statistics
from support.fake_statistics import thread as times
from support.strangers import PYTHON, STRANGER, Root, RootsMonitor

ALARM = 111
MUTE = 1000

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="only root watches other users, and may be one"),
    pytest.mark.skipif(PYTHON is None, reason="the other user needs a Python below /usr or /bin"),
]


@pytest.fixture
def root():
    with contextlib.closing(Root()) as one:
        yield one


@pytest.fixture
def monitor(root, tmp_path):
    """Start a monitor; its output is in the folder `out`."""
    with contextlib.ExitStack() as stack:
        yield lambda *more: stack.enter_context(
            contextlib.closing(RootsMonitor(root, "--output", tmp_path / "out", *more))
        )


@pytest.fixture
def own(root):
    """Start a process of root."""
    with contextlib.ExitStack() as stack:
        yield lambda number, name: stack.enter_context(
            contextlib.closing(FakeWatched(root.own, number, name))
        )


def test_a_thousand_mute_sockets_of_another_user_keep_root_from_nothing(
    root, monitor, own, tmp_path
):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < MUTE + 50:
        pytest.skip(f"a process may have {hard} files only, and {MUTE} sockets are needed")
    early = own(4_000_001, "early")
    root.mute(MUTE)
    watching = monitor()
    watching.heard(f"early (pid {os.getpid()}) is watched")
    watching.heard(f"more than 100 processes of user {STRANGER}; the rest is not watched")
    for number in range(4_000_002, 4_000_005):
        late = own(number, f"late{number}")
        watching.heard(f"late{number} (pid {os.getpid()}) is watched")
        act = tmp_path / f"ran{number}"
        actions = [*RAISE, {"run": ["/usr/bin/touch", str(act)]}]
        late.push(alarm(1, fail_safe=True, actions=actions))
        wait_for(lambda late=late: late.value() == 200)
        wait_for(act.exists)
        watching.heard("FAIL-SAFE", number - 4_000_001)
    # The one that was there is still asked, again and again.
    asked = early.counts[STATISTICS]
    wait_for(lambda: early.counts[STATISTICS] > asked + 1)
    early.push(alarm(1, chain="early"))
    watching.heard("deadline of chain early")


def test_traces_of_another_user_that_are_holes_fill_no_disk(root, monitor, own, tmp_path):
    number, size = 30, 1 << 40
    status = process("/opt/strange", executor("main", [thread("hot")]))
    alarms = b"".join(
        message(ALARM, alarm(sequence, chain=f"c{sequence}", actions=[{"snapshot": True}]))
        for sequence in range(1, 4)
    )
    answers = json.dumps(
        {
            STATUS: message(RESULT, status).hex(),
            STATISTICS: message(RESULT, statistics("/opt/strange", [times("hot")])).hex(),
            SUBSCRIBE: (message(RESULT, {"alarms": 1, "active": []}) + alarms).hex(),
        }
    )
    for one in range(number):
        root.sparse(5_000_000 + one, size, answers)
    watching = monitor("--snapshots", 20)
    watching.heard("strange (pid ", number)
    watching.heard("snapshot is in ", 20)
    watching.heard("20 files were written; --snapshots allows more", 10)
    late = own(4_000_001, "late")
    late.push(alarm(1, fail_safe=True, actions=[*RAISE, {"snapshot": True}]))
    wait_for(lambda: late.value() == 200)
    (line,) = watching.heard(f"late.{os.getpid()}.deadline")
    assert "snapshot is in" in line
    files = [*(tmp_path / "out").iterdir()]
    assert len(files) == 21
    assert sum(one.stat().st_blocks for one in files) * 512 < 1 << 20
    assert all(one.stat().st_size < 1 << 20 for one in files)
    assert not [*root.strange.glob("*.takttrace")]


@pytest.fixture
def small(tmp_path):
    """Mount a file system of 1 MB at the folder `out`."""
    place = tmp_path / "out"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "takt-test", place],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if mounted.returncode != 0:
        pytest.skip(f"mount is refused: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", place], check=True)


class Tracer(FakeWatched):
    """Each of its traces has 300 kB."""

    def _answer(self, kind, request):
        answer = super()._answer(kind, request)
        if kind == TRACE_SNAPSHOT:
            self.path.with_name(f"{self.path.stem}.{self.snapshots}.trace").write_bytes(
                os.urandom(300_000)
            )
        return answer


def test_a_full_disk_leaves_no_part_of_a_snapshot_and_they_go_on_with_room(root, small, monitor):
    filling = small / "filling"
    filling.write_bytes(os.urandom(900_000))
    watching = monitor("--snapshots", 2)
    with contextlib.ExitStack() as stack:

        def take(number):
            """Let a new process raise an alarm: each writes one snapshot in 10 s at most."""
            name = f"p{number}"
            one = stack.enter_context(contextlib.closing(Tracer(root.own, number, name)))
            one.push(alarm(1, actions=[{"snapshot": True}]))
            return watching.heard(f"{small}/p{number}.{os.getpid()}.deadline.")[0]

        # More alarms than --snapshots allows. A snapshot that fails does not count as written.
        for number in range(4_000_001, 4_000_005):
            line = take(number)
            assert "snapshot was not moved" in line
            assert ".takttrace: No space left on device" in line
            assert [*small.iterdir()] == [filling]
            assert not [*root.own.glob("*.trace")]
        filling.unlink()
        for number in (4_000_005, 4_000_006):
            assert "snapshot is in" in take(number)
        assert {one.stat().st_size for one in small.iterdir()} == {300_000}
        assert len([*small.iterdir()]) == 2
        last = stack.enter_context(contextlib.closing(Tracer(root.own, 4_000_007, "last")))
        last.push(alarm(1, actions=[{"snapshot": True}]))
        watching.heard("2 files were written; --snapshots allows more")
