from support.synthetic import results
from takt_cli.results.configuration import Configuration
from takt_cli.results.results_file import parse_results
from takt_cli.verbs.demo.verdict import demo_sentences, granted_sentence


def made(name, **options):
    return Configuration(name, parse_results(results(**options)))


def say(takt, pool):
    return " ".join(demo_sentences(takt, pool, made("single", spread=4), load=1.7))


def test_a_win_is_told_with_its_size_and_its_price():
    text = say(made("takt", spread=0.01, stale=0), made("pool", spread=1, stale=9))
    assert "× as long" in text
    assert "(0 against 9)" in text
    assert "overloaded by design" in text


def test_a_defeat_is_told_as_one():
    text = say(made("takt", spread=1, stale=9), made("pool", spread=0.01, stale=0))
    assert "takt did not win this run" in text
    assert "more planner cycles without fresh obstacles (9 against 0)" in text


def test_a_draw_is_told_as_one():
    assert "about the same" in say(made("takt"), made("pool"))


def test_a_busy_machine_is_the_first_thing_said():
    raw = {**results(spread=1), "other_programs_cores": 0.9}
    text = say(made("takt", spread=0.01), Configuration("pool", parse_results(raw)))
    assert text.startswith("Not a fair comparison: other programs used up to 0.90 cores")
    assert "fair comparison" not in say(made("takt"), made("pool"))


def test_a_busy_machine_is_also_told_of_where_samples_are_too_few():
    raw = {**results(), "other_programs_cores": 0.9}
    raw["kpis"]["hot_path"] |= {"latency_ns": [], "at_ns": [], "stalled": []}
    busy = Configuration("takt", parse_results(raw))
    unfair, too_few = demo_sentences(busy, made("pool"), made("single"), load=1.7)
    assert unfair.startswith("Not a fair comparison: other programs used up to 0.90 cores")
    assert "too rarely" in too_few


def test_a_host_stall_decides_nothing():
    raw = results(spread=0.01)
    raw["kpis"]["hot_path"]["latency_ns"][0] = 10**10  # the stalled one
    stalled = Configuration("takt", parse_results(raw))
    assert "× as long" in say(stalled, made("pool", spread=1))


def test_all_sentences_speak_of_the_same_samples_and_of_no_single_one():
    raw = results(spread=0.01, stalls=20)
    values = raw["kpis"]["hot_path"]["latency_ns"]
    slow = made("pool", spread=1)
    text = say(Configuration("takt", parse_results(raw)), slow)
    p90 = sorted(values)[89] / 1e6
    assert f"90 % of the hot path's runs took at most {p90:.1f} ms (p90)" in text
    assert "touched up to 20 % of the samples and are counted here" in text
    # One slow run changes nothing.
    values[values.index(max(values))] = 10**11
    raw["kpis"]["hot_path"]["stalled"] = [0] * len(values)
    assert f"{p90:.1f} ms (p90)" in say(Configuration("takt", parse_results(raw)), slow)


def test_what_takt_loses_beside_the_hot_path_is_told():
    runs = []
    for late_ms, due_ms, drops in ((9, 48, 3), (6, 42, 1)):
        raw = results(spread=0.01)
        raw["kpis"]["planner"]["start_lateness_ns"] = [late_ms * 10**6] * 120
        raw["kpis"]["hot_path"] |= {"from_due_ns": [due_ms * 10**6] * 100, "drops": drops}
        runs.append(Configuration("a", parse_results(raw)))
    late = "Under takt the planner's lateness was longer than under the pool: 9.00 ms against 6.00"
    due = "Under takt the hot path from its due time was longer than under the pool: 48.0 ms"
    text = say(*runs)
    for words in (
        f"{late} ms (p75).",
        f"{due} against 42.0 ms (p50).",
        "hot path drops (3 against",
    ):
        assert words in text
    better = say(*reversed(runs))
    assert "the planner's lateness was shorter than under the pool: 6.00 ms against" in better
    assert "longer" not in better
    assert "the planner's lateness" not in say(runs[0], runs[0])


def test_a_hot_path_that_never_completes_is_no_number():
    raw = results()
    raw["kpis"]["hot_path"] |= {"latency_ns": [], "at_ns": [], "stalled": []}
    assert "too rarely" in say(Configuration("takt", parse_results(raw)), made("pool"))


def granted(autogroup, *words):
    raw = results(threads=len(words))
    raw["host"]["autogroup"] = autogroup
    for thread, text in zip(raw["threads"], words, strict=False):
        thread["granted"] = text
    return granted_sentence(parse_results(raw))


def test_what_was_granted_is_said_and_not_what_was_asked():
    assert "granted: takt's threads ran as fifo 60, fifo 50." in granted(
        True, "fifo 60, core 0", "fifo 60, cores 1-2", "fifo 50"
    )
    assert "to some threads only" in granted(False, "fifo 60", "other nice 15")
    nice = granted(True, "other", "other nice 5", "other nice 15")
    assert "not granted: takt's threads ran at nice levels (other, other nice 5" in nice
    assert "autogroup" in nice
    assert "autogroup" not in granted(False, "other", "other nice 5")
    assert "Neither" in granted(True, "other", "other")
