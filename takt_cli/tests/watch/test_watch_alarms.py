"""Alarms and boosts of a compiled rclcpp program that knows nothing of takt."""

import pytest
from support.watched import HEAD, ONE_THREAD, WATCHED, Watched, rules, starting, wait_for
from takt_cli.control.frames import Message

pytestmark = [*WATCHED, pytest.mark.alone]
NUMBERS = "/watched:sub(/numbers)"
OTHERS = "/watched:sub(/others)"
TOPICS = [
    f"{kind} {topic} {rest}"
    for topic in ("/numbers", "/others")
    for kind, rest in (("pub", "1 1000 reliable"), ("sub", "100 reliable"))
]
PERIOD = "watch: {period: 20ms}\n"


@pytest.fixture
def watched(tmp_path):
    """Start the program under a schedule; it must end well."""
    with starting() as start:
        yield lambda schedule, *lines, threads=2: start(Watched(tmp_path, schedule, threads, lines))


def rule(words, name=NUMBERS):
    """Give a schedule with one rule, for one callback."""
    return ONE_THREAD + rules(f'match: "{name}", {words}') + PERIOD


def stop_and_fill(program, messages, topic="/numbers"):
    """Let one run of a callback wait, and so many messages behind it."""
    before = program.callback(f"sub({topic})")["starts"]
    program.tell(f"sleep {topic}")
    program.tell(f"burst {topic} 1")
    wait_for(lambda: program.callback(f"sub({topic})")["starts"] > before)
    program.tell(f"burst {topic} {messages}")


def causes(program, begin, end, wanted):
    """Raise the alarm, a few times if the machine is busy, until its cause is as wanted."""
    seen = []
    for _ in range(5):
        # The usual rates are known from some time on.
        before = program.wait_until_quiet("sub(/numbers)")["starts"]
        program.tell("pace /numbers 50")
        wait_for(lambda before=before: program.callback("sub(/numbers)")["starts"] > before + 100)
        known = program.alarms.ended("backlog")
        begin()
        alarm = program.alarms.wait("backlog", after=known)
        end()
        program.alarms.wait("backlog", "cleared", after=known)
        program.tell("pace /numbers 0")
        seen.append(alarm)
        if alarm["cause"]["kind"] == wanted:
            return alarm
    raise AssertionError(seen)


def test_a_publisher_that_is_twice_as_fast_as_the_callback_is_named_as_the_cause(watched):
    program = watched(rule("backlog: {messages: 50, rate: 1.5}"), *TOPICS)
    # Of 1,000 messages in a second the callback can take 500 at most. A busy machine delays the
    # publisher, too; it publishes later what was delayed, else it would be as slow as the callback.
    program.tell("work /numbers 2000")
    alarm = causes(
        program,
        lambda: program.tell("keep /numbers 1000"),
        lambda: program.tell("pace /numbers 20"),
        "publisher_faster",
    )
    assert (alarm["callback"], alarm["unit"], alarm["limit"]) == (NUMBERS, "messages", 50)
    assert alarm["value"] >= 50
    cause = alarm["cause"]
    assert cause["arrival_rate_hz"] > 1.25 * cause["usual_rate_hz"] > 0
    assert alarm["actions"] == [{"log": True}]
    assert program.alarms.wait("rate")["unit"] == "ratio"
    program.alarms.wait("rate", "cleared")


def test_a_callback_that_starves_another_one_of_its_thread_is_named_as_the_cause(watched):
    program = watched(rule("backlog: 50"), *TOPICS)

    def begin():
        program.tell("hold /others")
        program.tell("burst /others 1")

    alarm = causes(
        program, begin, lambda: program.tell("free /others"), "too_little_processor_time"
    )
    assert alarm["callback"] == NUMBERS
    first = alarm["cause"]["who"][0]
    assert first["name"] == OTHERS
    assert first["share"] > 0.5
    assert alarm["cause"]["demand"] < 0.5


def test_a_callback_whose_runs_take_longer_is_the_cause_itself(watched):
    program = watched(rule("backlog: 20"), *TOPICS)
    program.tell("work /numbers 2000")
    alarm = causes(
        program,
        lambda: program.tell("work /numbers 60000"),
        lambda: program.tell("work /numbers 2000"),
        "runs_longer",
    )
    cause = alarm["cause"]
    assert cause["running_ns"] or cause["run_ns"] > 1.25 * cause["usual_run_ns"]
    assert "its run" in alarm["text"]


def test_a_callback_that_does_not_return_is_the_cause_itself(watched):
    program = watched(rule("backlog: 20"), *TOPICS)
    alarm = causes(
        program,
        lambda: program.tell("sleep /numbers"),
        lambda: program.tell("free /numbers"),
        "runs_longer",
    )
    assert alarm["cause"]["running_ns"] > 2 * alarm["cause"]["usual_run_ns"]
    assert "its run has not returned for " in alarm["text"]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("sub(/numbers)", ["sub /numbers 1000 reliable"]),
        ("waitable(/numbers)", ["intra", "sub /numbers 1000 reliable"]),
    ],
)
def test_the_age_of_the_oldest_of_many_messages_is_watched(watched, name, lines):
    schedule = rule("backlog: {age: 300ms}, on_alarm: [publish, {priority: 100}]")
    program = watched(schedule, *lines, "pub /numbers 1 1000 reliable")
    program.tell("burst /numbers 1")
    wait_for(lambda: program.runs("/numbers") == 1, "it is not matched")
    program.tell("sleep /numbers")
    program.tell("burst /numbers 101")  # the first of them is no longer waiting
    alarm = program.alarms.wait("age")
    assert (alarm["callback"], alarm["state"]) == (f"/watched:{name}", "raised")
    assert alarm["value"] >= alarm["limit"] == 300e6
    assert alarm["actions"] == [{"publish": True}, {"priority": 100}]
    # Messages that come later do not make the oldest one younger.
    before = program.callback(name)["oldest_age_ns"]
    program.tell("burst /numbers 500")
    seen = program.callback(name)
    assert seen["waiting"] == 600
    assert seen["oldest_age_ns"] > before
    program.tell("free /numbers")
    program.alarms.wait("age", "cleared")
    assert program.wait_until_quiet(name)["arrivals"] == 602


def test_missed_deadlines_of_a_callback_and_of_a_chain_are_counted_and_raise_alarms(watched):
    schedule = (
        f"{HEAD}\n    threads: {{only: {{}}, other: {{}}}}\n    default: only\n"
        + rules(
            f'match: "{NUMBERS}", deadline: 500ms, misses: {{most: 1, of: 5}}',
            'match: "/watched:timer(20ms)", threads: other',
        )
        + f"{PERIOD}chains:\n"
        "  numbers:\n"
        f'    path: ["/watched:timer(20ms)", "{NUMBERS}"]\n'
        "    deadline: 500ms\n"
        "    misses: {most: 2, of: 200}\n"
        "    fail_safe: [log, {run: [/bin/true]}]\n"
    )
    program = watched(schedule, *TOPICS, "timer 20")

    def oldest():
        return program.callback("sub(/numbers)")["oldest_age_ns"] or 0

    stop_and_fill(program, 5)
    wait_for(lambda: oldest() > 500e6)
    program.tell("free /numbers")

    def alarm_of(what, name):
        raised = program.alarms.of("deadline")
        return next((one for one in raised if one[what] == name), None)

    alarm = wait_for(lambda: alarm_of("callback", NUMBERS), lambda: program.alarms.all)
    assert (alarm["chain"], alarm["limit"]) == (None, 1)
    assert alarm["value"] >= 2
    seen = program.wait_until_quiet("sub(/numbers)")
    assert (seen["deadline_ns"], seen["misses"]) == (500_000_000, 6)
    assert seen["largest_consecutive_misses"] == 6
    assert seen["misses_in_window"] == [5, 5]
    program.tell("pace /numbers 50")
    program.alarms.wait("deadline", "cleared")
    program.tell("pace /numbers 0")
    # From here on the messages are those of the timer, so they carry the chain. (Until here none
    # has; where that took longer than a start-up, the chain was overdue.)
    (chain,) = program.executor()["chains"]
    assert chain["response"]["count"] == 0
    assert chain["activations"] == chain["misses"] == chain["overdue"]
    program.tell("on timer /numbers")
    wait_for(lambda: program.executor()["chains"][0]["response"]["count"] > 10)
    stop_and_fill(program, 0)
    wait_for(lambda: program.callback("sub(/numbers)")["waiting"] > 10)
    filled = program.ask(Message.statistics)["time_ns"]
    wait_for(lambda: program.ask(Message.statistics)["time_ns"] - filled > 500e6)
    alarm = wait_for(lambda: alarm_of("chain", "numbers"), lambda: program.alarms.all)
    assert program.callback("sub(/numbers)")["waiting"] > 10, "nothing has ended yet"
    program.tell("free /numbers")
    assert (alarm["chain"], alarm["fail_safe"]) == ("numbers", True)
    assert alarm["actions"] == [{"log": True}, {"run": ["/bin/true"]}]
    wait_for(lambda: program.executor()["chains"][0]["misses"] > 10)
    wait_for(lambda: program.executor()["chains"][0]["response"]["max_ns"] > 500_000_000)


def test_a_run_that_is_longer_than_its_budget_is_an_overrun(watched):
    program = watched(rule("budget: 300ms"), *TOPICS)
    program.tell("burst /numbers 3")
    wait_for(lambda: program.runs("/numbers") == 3)
    program.tell("sleep /numbers")
    program.tell("burst /numbers 1")

    def runs_for_long():
        answer = program.ask(Message.statistics)
        running = answer["executors"][0]["threads"][0]["running"]
        return running and answer["time_ns"] - running["since_ns"] > 300_000_000

    wait_for(runs_for_long)
    program.tell("free /numbers")
    alarm = program.alarms.wait("overrun")
    assert (alarm["callback"], alarm["limit"], alarm["unit"]) == (NUMBERS, 300e6, "ns")
    assert alarm["value"] > 300e6
    assert program.callback("sub(/numbers)")["overruns"] == 1
    program.alarms.wait("overrun", "cleared")


def test_the_stack_of_a_callback_that_stalls_names_the_function_that_is_busy(watched):
    program = watched(rule("stall: 100ms"), *TOPICS)
    for number in range(10):  # the stack is unknown if the thread has no core just then
        program.tell("hold /numbers")
        program.tell("burst /numbers 1")
        alarm = program.alarms.wait("stall", after=number)
        assert (alarm["callback"], alarm["thread"], alarm["level"]) == (NUMBERS, "only", "error")
        assert program.runs("/numbers") == number, "it is told while the callback runs"
        program.tell("free /numbers")
        program.alarms.wait("stall", "cleared", after=number)
        if any("busy_until_it_is_free" in frame for frame in alarm["stack"] or []):
            return
    pytest.fail(str(program.alarms.all))


def test_a_callback_that_sleeps_is_told_with_its_system_call(watched):
    program = watched(rule("stall: 100ms"), *TOPICS)
    program.tell("sleep /numbers")
    program.tell("burst /numbers 1")
    stack = program.alarms.wait("stall")["stack"]
    program.tell("free /numbers")
    assert any("futex" in words for words in stack), stack
    program.alarms.wait("stall", "cleared")


def test_messages_that_were_overwritten_raise_an_alarm(watched):
    program = watched(
        rule("backlog: 1000"), "pub /numbers 1 1000 reliable", "sub /numbers 10 reliable"
    )
    program.tell("burst /numbers 1")
    wait_for(lambda: program.runs("/numbers") == 1, "it is not matched")
    stop_and_fill(program, 30)
    program.tell("free /numbers")
    alarm = program.alarms.wait("lost")
    assert (alarm["callback"], alarm["level"]) == (NUMBERS, "error")
    seen = program.wait_until_quiet("sub(/numbers)")
    assert (seen["overwritten"], seen["starts"]) == (20, 12)
    assert sum(one["value"] for one in program.alarms.of("lost")) <= 20
    program.alarms.wait("lost", "cleared")


def test_requests_that_wait_for_a_service_raise_an_alarm(watched):
    program = watched(rule("backlog: 3", "/watched:service(/ask)"), "service")
    program.tell("sleep service")
    program.tell("call 5")
    alarm = program.alarms.wait("backlog")
    assert alarm["callback"] == "/watched:service(/ask)"
    program.tell("free service")
    program.alarms.wait("backlog", "cleared")
    wait_for(lambda: program.runs("client") == 5)


@pytest.mark.parametrize("boosted", [True, False])
def test_a_backlogged_callback_with_a_boost_is_no_longer_starved(watched, boosted):
    """The other callback has always messages: each of its runs publishes the next one."""
    boost = ", boost: {per: 0.25, levels: 60, max: 200}" if boosted else ""
    schedule = ONE_THREAD + rules(
        f'match: "{OTHERS}", priority: 100', f'match: "{NUMBERS}", priority: 10{boost}'
    )
    program = watched(schedule, *TOPICS)
    name = "sub(/numbers)"
    program.ask(Message.statistics)
    program.tell("work /others 200")
    program.tell("on /others /others")
    program.tell("burst /others 3")
    wait_for(lambda: program.runs("/others") > 20)
    before = program.callback(name)["starts"]
    program.tell("burst /numbers 100")
    others = program.runs("/others")
    if boosted:
        # It is more urgent than the other one from half of its history on.
        wait_for(lambda: program.callback(name)["waiting"] < 50)
        seen = wait_for(lambda: (one := program.callback(name))["waiting"] <= 25 and one)
        assert seen["starts"] - before >= 75
        assert seen["effective_priority"] <= 10 + 60
        wait_for(lambda: program.runs("/others") > others + 100)
    else:
        wait_for(lambda: program.runs("/others") > others + 500)
        seen = program.callback(name)
        assert (seen["starts"] - before, seen["waiting"]) == (0, 100)
        assert seen["effective_priority"] == seen["priority"] == 10
    assert seen["overwritten"] == 0
