import json
import os

from takt_cli.running import other_programs
from takt_cli.running.other_programs import busy_s
from takt_cli.running.runner import _note_others

STAT = """cpu  9 9 9 9 9 9 9 9 9 9
cpu0 100 10 30 5000 70 5 5 999 0 0
cpu1 200 0 0 5000 0 0 0 0 0 0
cpu10 50 0 0 0 0 0 0 0 0 0
intr 12345 6
"""


def test_idle_waiting_and_stolen_time_and_other_cores_do_not_count():
    tick = os.sysconf("SC_CLK_TCK")
    assert busy_s(STAT, frozenset({0})) == 150 / tick
    assert busy_s(STAT, frozenset({1, 10})) == 250 / tick


def test_our_own_work_is_not_others(monkeypatch):
    tick = os.sysconf("SC_CLK_TCK")
    # In 4 s core 0 was busy for 3 s, and 2 s of that were ours.
    stats = iter([f"cpu0 {user} 0 0 0 0 0 0 0 0 0" for user in (7 * tick, 10 * tick)])
    own = iter([1.0, 3.0])
    moments = iter([100.0, 104.0])
    monkeypatch.setattr(other_programs, "_stat", lambda: next(stats))
    monkeypatch.setattr(other_programs, "_own_s", lambda: next(own))
    monkeypatch.setattr(other_programs.time, "monotonic", lambda: next(moments))
    assert other_programs.OtherPrograms([0]).cores() == 0.25


def test_the_load_of_other_programs_becomes_the_last_value_of_the_results(tmp_path):
    file = tmp_path / "results.json"
    for text in ('{"a": 1}\n', '{"a": {"b": [1]}}', '{"a": [{}]}  \n\n'):
        file.write_text(text, encoding="utf-8")
        _note_others(file, 0.12345)
        found = json.loads(file.read_text(encoding="utf-8"))
        assert found == json.loads(text) | {"other_programs_cores": 0.123}
    for text in ("", '{"a": 1'):  # not whole, which their reader says
        file.write_text(text, encoding="utf-8")
        _note_others(file, 0.5)
        assert file.read_text(encoding="utf-8") == text
