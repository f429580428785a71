"""Keys, and the pictures that `takt top` draws."""

from pathlib import Path

from support.fake_statistics import (
    callback,
    camera,
    camera_later,
    fusion,
    fusion_later,
    statistics,
    thread,
)
from support.looks import drawn, pair, pressed, view
from takt_cli.control.processes import Silent
from takt_cli.tables.table import Cell
from takt_cli.verbs.top.keys import names
from takt_cli.verbs.top.layout import Size, cut, spelled
from takt_cli.verbs.top.state import State, ordered
from takt_cli.verbs.top.tables import KINDS, thread_words


def test_bytes_of_a_terminal_become_keys():
    assert list(names("q\x1b[A\x1bOB\x1b[6~\x1b\r\x7f\x1b[1;5Cµ\x00\x1b[99~")) == [
        *("q", "up", "down", "page down", "escape", "enter", "backspace", "right", "µ"),
    ]


def test_the_footer_names_the_keys_and_fits_80_columns():
    for size in (Size(80, 24), Size(200, 50)):
        footer = drawn(view(), State(), size)[-1]
        for words in ("c:chains", "b:callbacks", "t:threads", "q:quit", "/:filter", "space:pause"):
            assert words in footer


def test_the_help_fits_80_columns():
    told = statistics("/p", unknown=["lost: no sequence numbers"])
    lines = drawn(view(pair(None, told)), State(help=True), Size(80, 24))
    wide = drawn(view(pair(None, told)), State(help=True), Size(200, 24))
    assert lines == wide
    assert "p (pid 4711): lost: no sequence numbers" in lines
    assert lines[-1].startswith("c:chains")
    long = Silent(Path("/r/7.sock"), 7, f"answered with damaged data: {'executors ' * 9}is wrong")
    text = " ".join(drawn(view(silent=[long]), State(help=True), Size(80, 24)))
    assert "is wrong (/r/7.sock)" in text


def test_columns_that_do_not_fit_are_reached_with_the_arrow_keys():
    found = view(pair(fusion(), fusion_later()))
    state = State()
    pressed(state, "b")
    seen = set()
    for _ in KINDS["b"].make(found.pairs).columns:
        lines = drawn(found, state, Size(80, 24))
        seen |= {title for title in KINDS["b"].make(found.pairs).columns if title in lines[2]}
        pressed(state, "\x1b[C")
    assert seen == set(KINDS["b"].make(found.pairs).columns)
    assert lines[3].startswith("/fusion:sub(/points)")
    wide = drawn(found, State(shown="b"), Size(200, 50))
    assert all(title in wide[2] for title in KINDS["b"].make(found.pairs).columns)


def test_the_column_of_the_order_is_always_shown():
    found = view(pair(fusion(), fusion_later()))
    for shown in KINDS:
        state = State(shown=shown)
        for title in KINDS[shown].make(found.pairs).columns:
            state.sorted_by[shown], state.follow = title, True
            assert f"{title}v" in drawn(found, state, Size(80, 24))[2]


def test_rows_are_ordered_by_a_column_and_back():
    rows = [[Cell(name), Cell(str(value), value=value)] for name, value in (("b", 2), ("A", 30))]
    rows.append([Cell("c"), Cell("–")])

    def order(*arguments):
        return [row[0].text for row in ordered(rows, *arguments)]

    assert order(0, True, False) == ["A", "b", "c"]
    assert order(0, True, True) == ["c", "b", "A"]
    assert order(1, False, False) == ["A", "b", "c"]
    assert order(1, False, True) == ["b", "A", "c"]  # missing ones stay last


def test_keys_sort_reverse_filter_and_switch():
    found = view(pair(camera(), camera_later(), 4710), pair(fusion(), fusion_later()))
    state = State(shown="b")

    def ids():
        return [row[0].text for row in state.chosen(KINDS["b"].make(found.pairs))]

    assert ids() == ["/fusion:sub(/points)", "/camera:timer(33ms)", "/fusion:timer(1s)"]
    pressed(state, "r")
    assert ids()[0] == "/fusion:timer(1s)"
    pressed(state, "r<<")
    columns = KINDS["b"].make(found.pairs).columns
    assert state.sort(columns) == "rate/s"
    pressed(state, "s")
    assert state.sort(columns) == "arrive/s"
    pressed(state, "/FUSX\x7f")
    assert (state.typing, state.filter, len(ids())) == (True, "FUS", 2)
    pressed(state, "qt\x15camera\r")
    assert (state.typing, state.ended, ids()) == (False, False, ["/camera:timer(33ms)"])
    assert "filter: camera" in drawn(found, state, Size(80, 24))[1]
    pressed(state, "\x1b")
    assert len(ids()) == 3
    pressed(state, " \t\t")
    assert (state.paused, state.shown) == (True, "c")
    assert "PAUSED" in drawn(found, state, Size(80, 24))[0]
    pressed(state, "h")
    assert any(
        "show chains, callbacks, threads" in one for one in drawn(found, state, Size(80, 24))
    )
    pressed(state, "xq")
    assert state.ended


def test_a_column_that_is_gone_gives_way_to_the_first_order():
    both = (pair(camera(), camera_later(), 4710), pair(fusion(), fusion_later()))
    state = State(shown="t", sorted_by={"t": "process"})
    rows = [state.chosen(KINDS["t"].make(pairs)) for pairs in (both, both[1:])]
    assert [[row[0].text for row in some] for some in rows] == [
        ["rest", "hot", "rest"],
        ["hot", "rest"],
    ]
    assert "CPU %v" in drawn(view(both[1]), state, Size(80, 24))[2]


def test_rows_scroll_and_end_at_the_last_one():
    callbacks = [callback(f"/n:timer({n}ms)", starts=n) for n in range(100, 200)]
    found = view(pair(None, statistics("/p", callbacks=callbacks)))
    state = State(shown="b", sorted_by={"b": "callback"})
    lines = drawn(found, state, Size(80, 24))
    assert lines[3].startswith("/n:timer(100ms)")
    assert "rows 1-18 of 100" in lines[-3]
    for keys, first in (("\x1b[6~", 118), ("\x1b[B", 119), ("\x1b[F", 182), ("\x1b[H", 100)):
        pressed(state, keys)
        assert drawn(found, state, Size(80, 24))[3].startswith(f"/n:timer({first}ms)")


def test_idle_callbacks_of_nodes_are_one_line_until_the_key(once, start):
    services = [f"/n:service(/n/{name})" for name in ("get_parameters", "set_parameters")]
    ids = [
        "/n:timer(1s)",
        "/n:service(/n/reset)",
        "/n:sub(/parameter_events)",
        "/n:waitable(event)",
    ]
    events = [f"/n:waitable(event)#{number}" for number in range(2, 30)]
    told = statistics("/p", callbacks=[callback(one) for one in (*ids, *services, *events)])
    busy = callback("/m:service(/m/get_parameters)", kind="service", waiting=1)
    told["executors"][0]["callbacks"].append(busy)
    found = view(pair(None, told))
    state = State(shown="b")
    lines = drawn(found, state, Size(80, 24))
    assert "31 idle callbacks: press i to show" in lines
    text = "\n".join(lines)
    assert all(one in text for one in (*ids[:3], busy["id"]))
    assert not any(one in text for one in services)
    assert "rows" not in lines[-2]
    pressed(state, "i")
    assert "rows 1-18 of 35" in drawn(found, state, Size(80, 24))[-3]
    pressed(state, "i/set_par\r")
    assert services[1] in "\n".join(drawn(found, state, Size(80, 24)))
    start(told)
    assert once().out.count("waitable(event)") == 29


def test_periods_that_a_timer_skipped_are_shown(once):
    callbacks = [callback("/n:timer(1s)", kind="timer", skipped_periods=7)]
    callbacks.append(callback("/n:sub(/x)", kind="subscription"))
    before, now = (statistics("/p", callbacks=callbacks) for _ in range(2))
    before["executors"][0]["callbacks"] = [callbacks[0] | {"skipped_periods": 5}, callbacks[1]]
    table = KINDS["b"].make((pair(before, now),))
    timer, subscription = (row[table.columns.index("skipped*")] for row in table.rows)
    assert (timer.text, timer.mood, subscription.text) == ("7", "bad", "–")


def test_the_headline_cuts_no_word():
    told = fusion_later()
    told["program"] = f"/opt/{'perception_' * 3}node"
    for width in range(70, 120):
        line = drawn(
            view(pair(fusion() | {"program": told["program"]}, told)), State(), Size(width, 24)
        )[0]
        assert line.endswith(("(pid 4711)", "1 alarm active", "chains", "callbacks", "threads"))


def test_names_cannot_steer_the_terminal_or_shift_columns():
    ids = ["/a\x1b[31m:timer(1s)", "/" + "x" * 5000, "/感知" * 40, "/e\u0301\u202e:t"]
    threads = [thread("a\x1b]0;x\x07\n", 1, running={"callback": ids[0], "since_ns": 1})]
    told = statistics("/p/\x1b[2J", threads, map(callback, ids), unknown=["\x1b[1m"])
    found = view(pair(None, told))
    for size in (Size(80, 24), Size(40, 10, "ascii"), Size(13, 7), Size(3, 3), Size(1, 1)):
        for state in (State(shown="b"), State(shown="t"), State(help=True), State()):
            assert "\x1b" not in "".join(drawn(found, state, size))
    text = "".join(drawn(found, State(shown="b"), Size(80, 24, "ascii")))
    assert text.isascii()
    assert "\\x1b[31m" in text


def test_thread_sets_are_short():
    assert thread_words(["rest.0", "rest.1", "rest.3", "hot"]) == "rest.0-1,3 hot"
    assert thread_words(["a.b", "c.", ".5", "d.²"]) == "a.b c. .5 d.²"
    assert thread_words([]) == ""


def test_a_long_name_keeps_its_begin_and_its_end():
    assert cut("/perception/lidar:sub(/points)", 14) == "/perce…points)"
    assert cut("/short", 14) == "/short"
    assert cut("/perception", 5, "ascii") == "/p~on"
    assert spelled("12 µs – 感", "ascii") == "12 us - \\u611f"
