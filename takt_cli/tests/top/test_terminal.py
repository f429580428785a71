"""`takt top` on a terminal of its own."""

import signal

import pytest
from support.fake_statistics import camera, camera_later


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (200, 50)])
def test_keys_change_what_a_terminal_shows(terminal, columns, lines):
    shown = terminal(columns, lines)
    shown.until(lambda screen: "brake" in screen and len(screen.splitlines()) == lines)
    for key, words in (("b", "/camera:timer(33ms)"), ("t", "fifo 80"), ("c", "deadline")):
        shown.press(key)
        shown.until(lambda screen, words=words: words in screen)
    shown.press(" ")
    shown.until(lambda screen: "PAUSED" in screen)
    shown.press("q")
    assert shown.ended() == 0
    shown.until_restored()


def test_a_terminal_may_change_its_size(terminal):
    shown = terminal()
    shown.until(lambda screen: "brake" in screen)
    shown.resize(120, 30)
    shown.until(lambda screen: len(screen.splitlines()) == 30)
    shown.press("q")
    assert shown.ended() == 0


def test_processes_come_go_and_answer_garbage(terminal, start):
    shown = terminal(processes=False)
    shown.until(lambda screen: "no process runs under takt yet" in screen)
    one = start(camera(), camera_later(), pid=4710)
    shown.until(lambda screen: "1 callback" in screen)
    bad = start(b"garbage", pid=4711)
    shown.until(lambda screen: "process 4711 " in screen)
    bad.close()
    shown.until(lambda screen: "process 4711 " not in screen)
    one.close()
    shown.until(lambda screen: "has ended" in screen)
    shown.press("q")
    assert shown.ended() == 0


@pytest.mark.parametrize(
    ("how", "code"),
    [(signal.SIGINT, 0), ("\x03", 0), (signal.SIGTERM, 130), (signal.SIGHUP, 130)],
)
def test_the_terminal_is_as_it_was_after_every_way_out(terminal, how, code):
    shown = terminal()
    shown.until(lambda screen: "brake" in screen)
    assert not shown.restored()
    if isinstance(how, str):
        shown.press(how)
    else:
        shown.send(how)
    assert shown.ended() == code
    shown.until_restored()


def test_the_terminal_is_as_it_was_after_an_exception(terminal):
    shown = terminal(TAKT_TEST_BREAKS="takt_cli.verbs.top.interactive.picture")
    assert shown.ended() == 1
    shown.until_restored()
    assert "internal error: RuntimeError: broken by a test" in shown.said()


def test_ctrl_z_gives_the_terminal_back_for_a_while(terminal):
    shown = terminal()
    shown.until(lambda screen: "brake" in screen)
    shown.press("\x1a")
    shown.until_stopped()
    shown.until_restored()
    shown.send(signal.SIGCONT)
    shown.until(lambda screen: "brake" in screen)
    shown.press("q")
    assert shown.ended() == 0


def test_without_colour_there_is_none(terminal):
    shown = terminal(NO_COLOR="1")
    shown.until(lambda screen: "brake" in screen)
    shown.press("q")
    shown.ended()
    assert "\x1b[1;31m" not in shown.said()
    assert "\x1b[31m" not in shown.said()


def test_a_dumb_terminal_gets_tables_one_after_the_other(terminal):
    shown = terminal(TERM="dumb")
    shown.until(lambda screen: screen.count("Threads") >= 2)
    assert "\x1b" not in shown.said()
    shown.press("\x03")
    assert shown.ended() == 0
