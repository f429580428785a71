"""The server of a live demo's page: streams, slow and lost pages, controls, and other sites."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time

import pytest
from takt_cli.base.errors import TaktError
from takt_cli.verbs.demo.event_hub import EventHub
from takt_cli.verbs.demo.page_server import ADDRESS, PageServer

PATIENCE_S = 30.0


@pytest.fixture
def told():
    return []


@pytest.fixture
def hub():
    return EventHub()


@pytest.fixture
def server(hub, told):
    with PageServer("<p>the page</p>", hub, told.append, 0) as serving:
        yield serving


class Stream:
    """A page's stream of events."""

    def __init__(self, server, small=False):
        self.socket = socket.socket()
        if small:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(PATIENCE_S)
        self.socket.connect((ADDRESS, server.server_port))
        host = f"{ADDRESS}:{server.server_port}"
        self.socket.sendall(f"GET /events HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        self.file = self.socket.makefile("r", encoding="utf-8")
        assert "200" in self.file.readline()
        while self.file.readline().strip():
            pass

    def take(self):
        """Give the next event: its data, or the name of one that ends."""
        while line := self.file.readline().rstrip("\n"):
            if line.startswith("data: "):
                self.file.readline()
                return line.removeprefix("data: ")
            if line.startswith("event: "):
                return line
            if line.startswith(":"):
                self.file.readline()
        raise AssertionError("the stream has ended")

    def close(self):
        self.file.close()
        self.socket.close()


def wait_for(condition):
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def ask(server, method, path, body=None, **headers):
    connection = http.client.HTTPConnection(ADDRESS, server.server_port, timeout=PATIENCE_S)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, text


def test_the_page_and_nothing_else(server):
    assert ask(server, "GET", "/") == (200, b"<p>the page</p>")
    assert ask(server, "GET", "/else")[0] == 404
    assert ask(server, "POST", "/", b"{}")[0] == 404


def test_two_pages_get_all_lines_and_the_end(server, hub):
    hub.publish("begun", "first")
    one, two = Stream(server), Stream(server)
    wait_for(lambda: hub.listeners == 2)
    for number in range(50):
        hub.publish("frame", f"{number}")
    closing = threading.Thread(target=hub.close, args=(PATIENCE_S,))
    closing.start()
    for stream in (one, two):
        assert [stream.take() for _ in range(51)] == ["first", *map(str, range(50))]
        assert stream.take() == "event: end"
        stream.close()
    closing.join(PATIENCE_S)
    assert hub.listeners == 0


def test_a_page_that_comes_later_gets_what_is_kept(server, hub):
    hub.publish("begun", "first")
    for number in range(1000):
        hub.publish("frame", f"{number}")
    stream = Stream(server)
    wait_for(lambda: hub.listeners == 1)
    hub.publish("begun", "second")
    hub.publish("frame", "1000")
    assert [stream.take() for _ in range(3)] == ["first", "400", "401"]
    later = Stream(server)
    assert [later.take() for _ in range(602)][-3:] == ["999", "second", "1000"]
    later.close()
    stream.close()


def test_a_page_that_comes_later_is_not_told_what_others_were_refused(server, hub):
    hub.publish("begun", "first")
    there = Stream(server)
    wait_for(lambda: hub.listeners == 1)
    hub.publish("refused", "kp is too large")
    hub.publish("frame", "0")
    assert [there.take() for _ in range(3)] == ["first", "kp is too large", "0"]
    later = Stream(server)
    assert [later.take() for _ in range(2)] == ["first", "0"]
    later.close()
    there.close()


def test_a_page_that_goes_away_is_forgotten_and_the_others_go_on(server, hub):
    one, two = Stream(server), Stream(server)
    wait_for(lambda: hub.listeners == 2)
    one.close()

    def gone():
        hub.publish("frame", "x" * 1000)
        return hub.listeners == 1

    wait_for(gone)
    hub.publish("run", "the last")
    while two.take() != "the last":
        pass
    two.close()


def test_a_slow_page_loses_old_frames_only_and_holds_up_no_other(server, hub):
    slow = Stream(server, small=True)
    quick = Stream(server)
    wait_for(lambda: hub.listeners == 2)
    big = "x" * 10_000
    seen = []
    reading = threading.Thread(target=lambda: [seen.append(quick.take()) for _ in range(2001)])
    reading.start()
    for number in range(2000):  # 20 MB: more than the kernel keeps for the slow page
        hub.publish("frame", f"{number} {big}")
        wait_for(lambda sent=number: len(seen) > sent - 100)
    hub.publish("run", "the result")
    reading.join(PATIENCE_S)
    assert [line.split()[0] for line in seen[:-1]] == [str(number) for number in range(2000)]
    assert seen[-1] == "the result"
    got = []
    while (line := slow.take()) != "the result":
        got.append(int(line.split()[0]))
    assert got == sorted(got)
    assert len(got) < 2000
    assert got[-1] == 1999
    slow.close()
    quick.close()


def test_controls_reach_the_program(server, told):
    json_type = {"Content-Type": "application/json"}
    assert ask(server, "POST", "/set", json.dumps({"load": False, "kp": 3}), **json_type)[0] == 204
    assert told == [{"load": False, "kp": 3}]


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        ("{", {"Content-Type": "application/json"}, 400),
        ("[1]", {"Content-Type": "application/json"}, 400),
        ('{"a": {}}', {"Content-Type": "application/json"}, 400),
        ('{"a": null}', {"Content-Type": "application/json"}, 400),
        ("{}" + " " * 5000, {"Content-Type": "application/json"}, 400),
        # What a page of another site can send, or what a name that leads here would send.
        ('{"a": 1}', {"Content-Type": "text/plain"}, 415),
        ('{"a": 1}', {"Content-Type": "application/json", "Host": "evil.example"}, 403),
    ],
)
def test_other_requests_are_refused(server, told, body, headers, status):
    assert ask(server, "POST", "/set", body, **headers)[0] == status
    assert told == []


def test_other_names_of_this_machine_get_no_page(server):
    assert ask(server, "GET", "/", Host="evil.example")[0] == 403
    assert ask(server, "GET", "/events", Host="evil.example")[0] == 403
    assert ask(server, "GET", "/", Host="127.0.0.1.evil.example")[0] == 403
    assert ask(server, "GET", "/", Host=f"localhost:{server.server_port}")[0] == 200


@pytest.mark.parametrize("host", ["localhost:9000", "127.0.0.1:9000", "LOCALHOST", "127.0.0.1"])
def test_a_forwarded_port_may_have_another_number(server, host):
    assert ask(server, "GET", "/", Host=host)[0] == 200


def test_a_port_that_is_taken_is_one_message(hub):
    with socket.socket() as other:
        other.bind((ADDRESS, 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(TaktError) as refused:
            PageServer("", hub, print, port)
    assert refused.value.message == (
        f"port {port} of 127.0.0.1 is taken; name another with --port, or 0 for any free one"
    )


def test_the_server_ends_while_a_page_reads_nothing(hub):
    with PageServer("", hub, print, 0) as server:
        stream = Stream(server, small=True)
        wait_for(lambda: hub.listeners == 1)
        for _ in range(400):
            hub.publish("frame", "x" * 50_000)
    stream.close()
