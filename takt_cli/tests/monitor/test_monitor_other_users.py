"""A monitor that root runs, and the attacks of another user on it."""

import contextlib
import os
import socket

import pytest
from support.fake_alarms import alarm, wait_for
from takt_cli.control.tracing import RawTrace
from takt_cli.verbs.monitor import monitor as looped
from takt_cli.verbs.monitor import places, snapshots, sparse

STRANGER = 4242

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root sees other users' folders")


@pytest.fixture
def strange(tmp_path, folder, monkeypatch):
    """A folder of another user, who has more sockets than are watched, beside the own one."""
    place = tmp_path / "stranger"
    place.mkdir()
    monkeypatch.setattr(looped, "MOST_OF_OTHERS", 5)
    with contextlib.ExitStack() as stack:
        for number in range(20):
            one = stack.enter_context(socket.socket(socket.AF_UNIX))
            one.bind(str(place / f"{5_000_000 + number}.sock"))
            one.listen(8)
        os.chown(place, STRANGER, STRANGER)
        monkeypatch.setattr(places, "folders", lambda environ, uid: [place, folder])
        yield place


@pytest.mark.usefixtures("strange")
def test_silent_sockets_of_another_user_keep_no_process_of_root_from_being_watched(
    start, monitor, monkeypatch
):
    monkeypatch.setattr(looped, "MOST_PROCESSES", 6)
    watching = monitor()
    watching.heard(f"more than 5 processes of user {STRANGER}; the rest is not watched")
    late = start("late")
    watching.heard("late (pid 4000001) is watched")
    late.push(alarm(1))
    watching.heard("deadline of chain")
    assert len([words for words in watching.end() if "rest is not watched" in words]) == 1


def make_trace(path, size, data=b"records"):
    """Make a file with data at its beginning and 10 MiB later, and a hole up to `size`."""
    with path.open("wb") as file:
        file.write(data)
        file.seek(10 << 20)
        file.write(data)
        file.truncate(size)
    os.chown(path, STRANGER, STRANGER)


def test_holes_stay_holes(tmp_path):
    make_trace(tmp_path / "raw", 1 << 30)
    raw = RawTrace(tmp_path / "raw", STRANGER)
    file, copied = snapshots._move(raw, tmp_path / "moved", "a.1.deadline", 1 << 20)
    assert not raw.path.exists()
    about = file.stat()
    assert about.st_size < (11 << 20)
    assert about.st_blocks * 512 <= 64 << 10
    assert copied <= 64 << 10
    content = file.read_bytes()
    assert content.rstrip(b"\0") == b"records" + bytes((10 << 20) - 7) + b"records"


def test_a_file_of_another_user_has_a_bound_in_blocks(tmp_path):
    make_trace(tmp_path / "raw", 1 << 20, os.urandom(300_000))
    raw = RawTrace(tmp_path / "raw", STRANGER)
    with pytest.raises(OSError, match="it has more than 100,000 bytes"):
        snapshots._move(raw, tmp_path / "moved", "a.1.deadline", 100_000)
    # The file may have grown after it was looked at.
    with (
        (tmp_path / "raw").open("rb") as file,
        (tmp_path / "copy").open("wb") as copy,
        pytest.raises(OSError, match="it has more than 100,000 bytes"),
    ):
        sparse.copy_data(file.fileno(), copy.fileno(), 1 << 20, 100_000)


def test_the_files_of_each_user_are_counted_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(snapshots, "_MOST_BYTES_OF_USER", 8192)
    taking = snapshots.Snapshots(tmp_path / "moved", 100)
    for number, uid in enumerate((STRANGER, STRANGER, STRANGER, STRANGER + 1, os.geteuid())):
        path = tmp_path / f"raw{number}"
        path.write_bytes(os.urandom(4096))
        os.chown(path, uid, uid)
        full = pytest.raises(OSError, match="more than 0 bytes")
        with full if number == 2 else contextlib.nullcontext():
            taking._move(RawTrace(path, uid), "a.1.deadline")
        assert not path.exists()
    assert len(list((tmp_path / "moved").iterdir())) == 4


def test_a_full_disk_leaves_no_file_and_a_pause(start, monitor, folder, tmp_path, monkeypatch):
    def full(source, copy, size, most):
        os.write(copy, b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(snapshots, "copy_data", full)
    one = start()
    watching = monitor(most_snapshots=1)
    one.push(alarm(1, actions=[{"snapshot": True}]))
    (line,) = watching.heard("snapshot was not moved")
    assert f"{tmp_path / 'snapshots'}/fusion.4000001.deadline." in line
    assert ".takttrace: No space left on device" in line
    assert not list((tmp_path / "snapshots").iterdir())
    assert not list(folder.glob("*.trace"))
    one.push(alarm(2, kind="lost", actions=[{"snapshot": True}]))
    watching.heard("snapshot is left out: the last one, 10 s ago at most, failed")
    assert one.counts[15] == 1
    monkeypatch.undo()
    wait_for(lambda: True)
