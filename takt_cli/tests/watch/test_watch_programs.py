"""Statistics of a compiled rclcpp program that knows nothing of takt."""

import itertools

import pytest
from support.built import adopted_program
from support.watched import (
    ONE_THREAD,
    WATCHED,
    Program,
    Watched,
    holds_within,
    starting,
    wait_for,
)
from takt_cli.control.frames import Message

pytestmark = WATCHED
NUMBERS = itertools.count(1)


@pytest.fixture
def watched(tmp_path):
    """Start the program under a schedule; it must end well."""
    with starting() as start:
        yield lambda schedule, *lines, threads=2: start(Watched(tmp_path, schedule, threads, lines))


@pytest.fixture
def publisher(tmp_path):
    """Start the program without takt, with publishers only."""

    def started(*lines):
        program = start(Program([adopted_program(), "watched"], tmp_path, "publisher"))
        program.declare(*lines, "spin 0")
        return program

    with starting() as start:
        yield started


def mark(sender, taker, count):
    """Let the last message of each publisher be one that is taken."""
    for publisher in range(count):

        def taken(publisher=publisher):
            number = next(NUMBERS)
            sender.tell(f"mark /numbers {publisher} {number}")
            # Another one, if this is lost.
            return holds_within(1, lambda: number in taker.state()["markers"]["/numbers"])

        wait_for(taken, "a publisher is not heard")


@pytest.mark.parametrize(
    ("depth", "reliability", "publishers", "place"),
    [
        (1, "reliable", 1, "same process"),
        (1, "reliable", 3, "other process"),
        (1, "best_effort", 3, "same process"),
        (10, "reliable", 3, "same process"),
        (10, "reliable", 1, "other process"),
        (10, "best_effort", 3, "other process"),
        (1000, "reliable", 3, "same process"),
        (1000, "reliable", 3, "other process"),
        (1000, "best_effort", 1, "other process"),
    ],
)
def test_every_published_message_is_taken_or_overwritten_or_lost(
    watched, publisher, depth, reliability, publishers, place
):
    declared = f"pub /numbers {publishers} 5000 {reliability}"
    subscription = f"sub /numbers {depth} {reliability}"
    if place == "same process":
        program = sender = watched(ONE_THREAD, declared, subscription)
    else:
        program = watched(ONE_THREAD, subscription)
        sender = publisher(declared)

    def counts():
        callback = program.callback("sub(/numbers)")
        runs = program.runs("/numbers")
        return {
            "published": sender.state()["published"]["/numbers"], "runs": runs,
            "overwritten": callback["overwritten"], "lost": callback["lost"],
            "waiting": callback["waiting"],
        }  # fmt: skip

    program.ask(Message.statistics)
    mark(sender, program, publishers)

    def quiet():
        now = counts()
        return now if now["waiting"] == 0 and counts() == now else None

    before = wait_for(quiet, lambda: counts())
    program.tell("work /numbers 30")  # slower than the publishers
    sender.tell(f"burst /numbers {3000 // publishers}")
    program.tell("work /numbers 0")
    mark(sender, program, publishers)

    def grown():
        now = counts()
        return {name: now[name] - before[name] for name in now}

    def accounted():
        now = grown()
        known = now["runs"] + now["overwritten"] + now["lost"]
        return now if known == now["published"] and now["waiting"] == 0 else None

    now = wait_for(accounted, lambda: f"not accounted for: {grown()}")
    assert now["published"] >= 3000
    if reliability == "reliable":
        assert now["lost"] == 0
    if depth == 1:
        assert now["overwritten"] > 0, "meant to be too fast"


@pytest.mark.parametrize("depth", [1, 10, 1000])
def test_messages_that_wait_are_counted(watched, depth):
    program = watched(ONE_THREAD, "pub /numbers 1 5000 reliable", f"sub /numbers {depth} reliable")
    program.ask(Message.statistics)
    mark(program, program, 1)
    before = program.wait_until_quiet("sub(/numbers)")
    program.tell("sleep /numbers")
    program.tell("burst /numbers 1")
    wait_for(lambda: program.callback("sub(/numbers)")["starts"] > before["starts"])
    program.tell("burst /numbers 600")
    most = min(depth, 600)
    seen = wait_for(lambda: (one := program.callback("sub(/numbers)"))["waiting"] == most and one)
    assert (seen["depth"], seen["largest_waiting"]) == (depth, most)
    assert seen["arrivals"] - before["arrivals"] == 601
    older = program.callback("sub(/numbers)")["oldest_age_ns"]
    assert older > seen["oldest_age_ns"] > 0
    program.tell("free /numbers")
    after = program.wait_until_quiet("sub(/numbers)")
    assert after["starts"] - before["starts"] == 1 + most
    assert after["overwritten"] - before["overwritten"] == 600 - most
    assert after["arrivals"] - before["arrivals"] == 601
    assert after["oldest_age_ns"] is None
    assert after["execution"]["count"] >= 1 + most


@pytest.mark.parametrize("depth", [1, 10, 1000])
def test_messages_that_stay_within_the_process_are_counted_too(watched, depth):
    program = watched(
        ONE_THREAD, "intra", "pub /numbers 1 1000 reliable", f"sub /numbers {depth} reliable"
    )
    name = "waitable(/numbers)"
    before = program.wait_until_quiet(name)
    program.tell("sleep /numbers")
    program.tell("burst /numbers 1")
    wait_for(lambda: program.callback(name)["starts"] > before["starts"])
    program.tell("burst /numbers 600")
    most = min(depth, 600)
    seen = program.callback(name)
    assert (seen["depth"], seen["waiting"], seen["largest_waiting"]) == (depth, most, most)
    assert seen["overwritten"] - before["overwritten"] == 600 - most
    program.tell("free /numbers")
    after = program.wait_until_quiet(name)
    assert after["starts"] - before["starts"] == 1 + most
    assert after["overwritten"] - before["overwritten"] == 600 - most
    assert after["arrivals"] - before["arrivals"] == 601


def test_requests_and_responses_are_counted(watched):
    program = watched(ONE_THREAD, "service")
    service, client = "service(/ask)", "client(/ask)"
    program.ask(Message.statistics)
    program.tell("call 1")
    wait_for(lambda: program.runs("client") == 1)
    before = program.wait_until_quiet(service)
    program.tell("sleep service")
    program.tell("call 6")
    seen = wait_for(lambda: (one := program.callback(service))["waiting"] == 5 and one)
    assert seen["depth"] == 10
    assert seen["starts"] - before["starts"] == 1
    assert seen["lost"] is None
    assert program.callback(client)["waiting"] == 0
    program.tell("free service")
    wait_for(lambda: program.runs("client") == 7)
    after = program.wait_until_quiet(service)
    assert (after["kind"], after["arrivals"] - before["arrivals"]) == ("service", 6)
    assert after["starts"] - before["starts"] == 6
    assert after["overwritten"] == before["overwritten"]
    assert after["largest_waiting"] >= 5
    answers = program.wait_until_quiet(client)
    assert (answers["kind"], answers["arrivals"], answers["starts"]) == ("client", 7, 7)
