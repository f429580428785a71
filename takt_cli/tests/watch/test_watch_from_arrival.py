"""A chain whose root is in another process than its last callback, which a rclcpp program has."""

import pytest
from support.watched import ONE_THREAD, WATCHED, Watched, rules, starting, wait_for

pytestmark = WATCHED
NUMBERS = "/watched:sub(/numbers)"
TOPICS = ["pub /numbers 1 1000 reliable", "sub /numbers 100 reliable"]


@pytest.fixture
def watched(tmp_path):
    """Start the program under a schedule; it must end well."""
    with starting() as start:
        yield lambda schedule: start(Watched(tmp_path, schedule, 2, TOPICS))


def test_its_misses_and_its_fail_safe_count_from_the_arrival_of_the_message(watched):
    program = watched(
        ONE_THREAD
        + rules(f'match: "{NUMBERS}"')
        + "watch: {period: 20ms}\nchains:\n  brake:\n"
        + f'    path: ["/wheel:timer(20ms)", "{NUMBERS}"]\n    deadline: 20ms\n'
        + "    misses: {most: 2, of: 5}\n    fail_safe: [log, {run: [stop_robot]}]\n"
    )
    program.tell("work /numbers 30000")
    program.tell("burst /numbers 2")
    wait_for(lambda: program.runs("/numbers") >= 2)
    assert not program.alarms.of("deadline")
    program.tell("burst /numbers 1")
    alarm = program.alarms.wait("deadline")
    assert (alarm["chain"], alarm["callback"], alarm["value"]) == ("brake", None, 3)
    assert alarm["fail_safe"]
    assert alarm["actions"] == [{"log": True}, {"run": ["stop_robot"]}]
    assert alarm["text"].startswith(
        "chain brake: 3 responses missed the deadline (limit 2), from the arrival in this process"
    )
    (chain,) = program.executor()["chains"]
    assert chain["from_arrival"]
    assert (chain["activations"], chain["misses"], chain["overdue"]) == (3, 3, 0)
    assert chain["response"]["min_ns"] >= 30e6
    program.tell("work /numbers 0")
    program.tell("burst /numbers 20")
    program.alarms.wait("deadline", "cleared")
