"""The action `run`: programs of the user."""

import asyncio
import json
import os

import pytest
from support.fake_alarms import (
    alarm,
    wait_for,
)
from takt_cli.verbs.monitor import programs


def script(tmp_path, text):
    path = tmp_path / "act"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_a_program_gets_the_alarm_and_its_exit_code_is_told(start, monitor, tmp_path):
    one = start()
    watching = monitor()
    act = script(tmp_path, f'cat > "{tmp_path}/got"; echo "$1" > "{tmp_path}/word"; exit 3')
    one.push(alarm(1, actions=[{"run": [act, "a b; $(c)"]}]))
    watching.heard("WARN  fusion (pid 4000001): run act: exit code 3")
    got = json.loads((tmp_path / "got").read_text())
    assert got["chain"] == "hot_path"
    assert got["actions"] == [{"run": [act, "a b; $(c)"]}]
    assert (tmp_path / "word").read_text() == "a b; $(c)\n"
    one.push(alarm(2, kind="lost", actions=[{"run": ["/does/not/exist"]}]))
    watching.heard("run exist: cannot be started: No such file or directory")


def test_programs_are_bounded_in_number(start, monitor, tmp_path, monkeypatch):
    monkeypatch.setattr(programs, "MOST_WAITING", 2)
    one = start()
    watching = monitor(programs_at_once=2)
    ran, goes_on = tmp_path / "ran", tmp_path / "goes_on"
    act = script(tmp_path, f'echo x >> "{ran}"; until [ -e "{goes_on}" ]; do sleep 0.05; done')
    one.push(*[alarm(n, chain=f"c{n}", actions=[{"run": [act]}]) for n in range(1, 10)])
    watching.heard("run act: was not started: 2 programs wait already", 5)
    wait_for(lambda: ran.exists() and ran.read_text() == "x\n" * 2)
    goes_on.touch()
    watching.heard("run act: exit code 0", 4)
    assert ran.read_text() == "x\n" * 4


def test_programs_are_bounded_in_time(start, monitor, tmp_path, monkeypatch):
    monkeypatch.setattr(programs, "_PATIENCE_S", 0.2)
    one = start()
    watching = monitor(program_timeout_s=0.5)
    one.push(alarm(1, actions=[{"run": [script(tmp_path, 'trap "" TERM; sleep 60')]}]))
    watching.heard("run act: did not end within 0.5 s and was ended")


def test_programs_that_run_at_the_end_are_ended(start, monitor, tmp_path):
    one = start()
    watching = monitor()
    act = script(tmp_path, f'echo $$ > "{tmp_path}/pid"; exec sleep 60')
    one.push(alarm(1, actions=[{"run": [act]}]))
    pid = wait_for(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
    watching.end()
    assert "run act: was ended, because the monitor ends" in "".join(watching.said.words())
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


def told_when_closed_within(starting, monkeypatch):
    """Give what three programs tell: `starting` starts one, one waits, one comes at the end."""
    starts, goes_on, told = asyncio.Event(), asyncio.Event(), []

    async def create(*command, **more):
        try:
            return await starting(*command, **more)
        finally:
            starts.set()
            await goes_on.wait()

    async def run():
        running = programs.Programs(1, 30)
        for number in range(2):
            tell = lambda good, words, number=number: told.append((number, good, words))  # noqa: E731
            running.start(["sleep", "60"], {}, tell)
        await starts.wait()
        closing = asyncio.ensure_future(running.close())
        await asyncio.sleep(0)  # it has begun
        running.start(["sleep", "60"], {}, lambda good, words: told.append((2, good, words)))
        goes_on.set()
        await closing

    monkeypatch.setattr(asyncio, "create_subprocess_exec", create)
    asyncio.run(run())
    return sorted(told)


NOT_STARTED = [(n, False, "was not started, because the monitor ends") for n in (1, 2)]


def test_a_program_that_is_being_started_at_the_end_is_ended(monkeypatch):
    pids = []
    start = asyncio.create_subprocess_exec

    async def starting(*command, **more):
        process = await start(*command, **more)
        pids.append(process.pid)
        return process

    told = told_when_closed_within(starting, monkeypatch)
    assert told == [(0, False, "was ended, because the monitor ends"), *NOT_STARTED]
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_program_that_cannot_be_started_at_the_end_is_told(monkeypatch):
    async def starting(*_, **__):
        raise FileNotFoundError(2, "No such file or directory")

    told = told_when_closed_within(starting, monkeypatch)
    assert told == [(0, False, "cannot be started: No such file or directory"), *NOT_STARTED]


def test_a_program_of_another_user_is_not_run(start, monitor, tmp_path, monkeypatch):
    from takt_cli.control import client

    monkeypatch.setattr(client, "peer_of", lambda _: client.Peer(0, os.geteuid() + 1))
    one = start()
    watching = monitor()
    act = script(tmp_path, f'touch "{tmp_path}/ran"')
    one.push(alarm(1, actions=[{"run": [act]}]))
    watching.heard("run: not carried out, because the process belongs to another user")
    assert not (tmp_path / "ran").exists()
