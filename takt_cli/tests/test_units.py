import pytest
from takt_cli.errors import TaktError
from takt_cli.units import duration_flag, human, milliseconds, parse_duration


@pytest.mark.parametrize(
    ("text", "ns"),
    [("10", 10**10), ("10s", 10**10), ("2.5 ms", 2_500_000), ("1min", 6 * 10**10), ("7us", 7000)],
)
def test_durations_are_read_as_people_write_them(text, ns):
    assert parse_duration(text) == ns
    assert parse_duration(duration_flag(ns)) == ns


@pytest.mark.parametrize("text", ["", "ten", "-1s", "1h", "1e3s", "10s10"])
def test_what_is_no_duration_is_one_clear_error(text):
    with pytest.raises(TaktError, match="is not a duration"):
        parse_duration(text)


def test_times_are_shown_with_three_digits():
    assert human(12_345_678) == "12.3 ms"
    assert human(850) == "850 ns"
    assert human(None) == "–"
    assert milliseconds(1_234_567_890) == "1,235"
