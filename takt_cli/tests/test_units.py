import re
from pathlib import Path

import pytest
from takt_cli.base.cores import cores_are, cores_words
from takt_cli.base.errors import TaktError
from takt_cli.base.units import (
    duration_flag,
    exactly,
    human,
    milliseconds,
    parse_duration,
    parse_number,
    parse_whole,
    significant,
)

TABLE = Path(__file__).resolve().parents[2] / "takt_rt/test/durations.txt"


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("10s", 10**10),
        ("2.5ms", 2_500_000),
        ("1min", 6 * 10**10),
        ("1m", 6 * 10**10),
        ("7us", 7000),
    ],
)
def test_durations_are_read_as_people_write_them(text, ns):
    assert parse_duration(text) == ns
    assert parse_duration(duration_flag(ns)) == ns


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ten",
        "-1s",
        "1e3s",
        "10s10",
        "10 s",
        " 10s",
        "10s ",
        "１０s",
        "١٠s",
        "1_0s",
        "10s\n",
    ],
)
def test_what_is_no_duration_is_one_clear_error(text):
    with pytest.raises(TaktError, match="is not a duration"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("10", "'10' has no unit; write 10s (units are ns, us, ms, s and min)"),
        ("0", "'0' has no unit; write 0s"),
        ("1h", "'1h' has the unknown unit 'h'; write 60min (units are ns, us, ms, s and min)"),
        ("1.5h", "'1.5h' has the unknown unit 'h'; units are ns, us, ms, s and min"),
        ("10S", "'10S' has the unknown unit 'S'; units are"),
    ],
)
def test_a_duration_without_a_known_unit_says_what_to_write(text, words):
    with pytest.raises(TaktError, match=re.escape(words)):
        parse_duration(text)


def test_a_duration_that_nothing_can_hold_is_one_clear_error():
    for text in ("9" * 400 + "s", "9223372037s", "1" * 30 + "min"):
        with pytest.raises(TaktError, match="is longer than 292 years"):
            parse_duration(text)
    assert parse_duration("9223372036s") == 9223372036 * 10**9


def test_numbers_are_of_ascii_digits_and_nothing_else():
    assert parse_whole("007") == 7
    assert parse_whole("-3") == -3
    assert parse_number("1.5e-3") == 0.0015
    assert parse_number(".5") == 0.5
    for text in (
        "",
        "１０",
        "١٠",
        "1_0",
        " 1",
        "1 ",
        "1\n",
        "+1",
        "²",
        "0x1",
        "nan",
        "inf",
        "9" * 5000,
    ):
        assert parse_whole(text) is None
        assert text in {"9" * 5000} or parse_number(text) is None


def test_times_are_shown_with_three_digits():
    assert human(12_345_678) == "12.3 ms"
    assert human(850) == "850 ns"
    assert human(None) == "–"
    assert milliseconds(1_234_567_890) == "1,235"


def test_programs_in_c_and_python_have_one_spelling_of_durations():
    lines = [
        line.split("\t")
        for line in TABLE.read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    ]
    write = {
        "human": lambda number: human(float(number)),
        "exactly": lambda number: exactly(int(number)),
        "significant": lambda number: significant(float(number)),
    }
    assert {name for name, _, _ in lines} == set(write)
    for name, number, text in lines:
        assert write[name](number) == text, (name, number)


@pytest.mark.parametrize(
    ("ns", "words"),
    [(0, "0 ns"), (999, "999 ns"), (1_500, "1.5 µs"), (20_000_000, "20 ms"), (10**10, "10 s"),
     (1_234_567_891, "1.234567891 s"), (60 * 10**9, "60 s"), (10**13, "10,000 s")],
)  # fmt: skip
def test_an_exact_duration_has_the_spelling_of_all_tables(ns, words):
    assert exactly(ns) == words


def test_one_core_and_several_are_spelled_alike_everywhere():
    assert cores_words([3]) == cores_words((3, 3)) == "core 3"
    assert cores_words([5, 0, 1, 2]) == "cores 0-2,5"
    assert (cores_are([3]), cores_are([0, 1])) == ("core 3 is", "cores 0-1 are")
