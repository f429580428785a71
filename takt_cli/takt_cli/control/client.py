"""Asks one process over its control socket.

A frame is "takt", the version and the type of the message (16 bits each), the length of the
payload (32 bits), all little endian, and the payload, which is JSON in UTF-8;
takt_control/frame.hpp has the same in C++. A message that is longer than one frame comes as frames
of type `part` and then one of its own type. No answer is trusted: all reads are bounded in bytes
and in time.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import struct
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

from takt_cli.importing.not_carried_over import printable
from takt_cli.units import short

MAGIC = b"takt"
VERSION = 1
HEADER = struct.Struct("<4sHHI")
MOST_PAYLOAD = 64 << 10
MOST_MESSAGE = 16 << 20
# sun_path of sockaddr_un, with the zero at its end.
_LONGEST_PATH = 107
_READ = 1 << 16
_CREDENTIALS = struct.Struct("3i")
_MOST_FAULTS = 500


class Message(IntEnum):
    """Types of messages."""

    status = 10
    apply = 11
    reset = 12
    trace_start = 13
    trace_stop = 14
    trace_snapshot = 15
    set = 16
    statistics = 17
    subscribe = 18
    part = 20
    error = 101
    result = 110
    alarm = 111


class Gone(Exception):
    """Nobody listens at the socket."""


class NoAnswer(Exception):
    """A process did not answer, or answered something else; the text says what it did."""


class Refused(Exception):
    """A process answered with faults."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


@dataclass(frozen=True)
class Peer:
    """The process at the other end, as the kernel names it; number 0: not visible from here."""

    pid: int
    uid: int


def frames(kind: Message, payload: bytes) -> Iterator[bytes]:
    """Give the frames of a message, one after the other."""
    last = max(0, (len(payload) - 1) // MOST_PAYLOAD * MOST_PAYLOAD)
    for start in range(0, last, MOST_PAYLOAD):
        yield frame(Message.part, payload[start : start + MOST_PAYLOAD])
    yield frame(kind, payload[last:])


def frame(kind: int, payload: bytes) -> bytes:
    """Give one frame."""
    return HEADER.pack(MAGIC, VERSION, kind, len(payload)) + payload


def ask(
    path: Path, kind: Message, request: Mapping[str, Any], timeout_s: float
) -> tuple[Peer, dict[str, Any]]:
    """Ask once and give the answer; all of it takes at most `timeout_s`.

    Raises Gone, NoAnswer or Refused.
    """
    payload = json.dumps(request, ensure_ascii=False).encode("utf-8", "backslashreplace")
    if len(payload) > MOST_MESSAGE:
        raise NoAnswer(f"cannot be asked: the message is longer than {MOST_MESSAGE >> 20} MiB")
    line = _Line(time.monotonic() + timeout_s, timeout_s)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        try:
            line.connect(connection, path)
            peer = peer_of(connection)
            line.send(connection, b"".join(frames(kind, payload)))
            answered, answer = line.receive(connection)
        except TimeoutError:
            raise NoAnswer(f"does not answer within {timeout_s:g} s") from None
        except OSError as error:
            raise NoAnswer(f"cannot be asked: {error.strerror or error}") from error
    data = _parsed(answer)
    if answered == Message.error:
        raise Refused(_faults(data))
    if answered != Message.result:
        raise NoAnswer(f"answered with a message of type {answered}, which takt does not know")
    return peer, data


def peer_of(connection: socket.socket) -> Peer:
    """Ask the kernel for the process that listens at a socket."""
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    pid, uid, _ = _CREDENTIALS.unpack(raw)
    return Peer(pid, uid)


class _Line:
    """Sends and receives until a point in time."""

    def __init__(self, until: float, timeout_s: float) -> None:
        self._until = until
        self._timeout_s = timeout_s
        self._got = bytearray()

    def _wait(self, connection: socket.socket) -> None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        connection.settimeout(left)

    def connect(self, connection: socket.socket, path: Path) -> None:
        self._wait(connection)
        try:
            with _address(path) as address:
                connection.connect(address)
        except (ConnectionRefusedError, FileNotFoundError) as error:
            raise Gone from error
        except BlockingIOError:  # its queue of clients is full
            raise TimeoutError from None

    def send(self, connection: socket.socket, data: bytes) -> None:
        self._wait(connection)
        # A process that refuses a message may close before it has read all; its answer says why.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(data)

    def receive(self, connection: socket.socket) -> tuple[int, bytes]:
        """Give the type of the next message and its payload without the frames."""
        message = bytearray()
        while True:
            head = self._exactly(connection, HEADER.size)
            magic, version, kind, length = HEADER.unpack(head)
            if magic != MAGIC:
                raise NoAnswer("answered with bytes that are no message of takt")
            if version != VERSION:
                raise NoAnswer(
                    f"speaks version {version} of takt's messages, and this command version "
                    f"{VERSION}; use the takt command that belongs to its libraries"
                )
            if length > MOST_PAYLOAD:
                raise NoAnswer(f"answered with a frame of {length} bytes, more than {MOST_PAYLOAD}")
            if len(message) + length > MOST_MESSAGE:
                raise NoAnswer(f"answered with more than {MOST_MESSAGE >> 20} MiB")
            message += self._exactly(connection, length)
            if kind != Message.part:
                return kind, bytes(message)
            if length == 0:
                raise NoAnswer("answered with an empty part of a message")

    def _exactly(self, connection: socket.socket, count: int) -> bytes:
        while len(self._got) < count:
            self._wait(connection)
            try:
                data = connection.recv(_READ)
            except ConnectionResetError:
                data = b""
            if not data:
                half = " in the middle of its answer" if self._got or count != HEADER.size else ""
                raise NoAnswer(f"closed the connection{half or ' without an answer'}")
            self._got += data
        taken = bytes(self._got[:count])
        del self._got[:count]
        return taken


@contextlib.contextmanager
def _address(path: Path) -> Iterator[str]:
    """Spell a path so that it fits into the kernel's address of a socket."""
    if len(os.fsencode(path)) <= _LONGEST_PATH:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def _parsed(payload: bytes) -> dict[str, Any]:
    try:
        data = json.loads(payload.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise NoAnswer("answered with a message that is not JSON") from error
    if not isinstance(data, dict):
        raise NoAnswer("answered with JSON that is not an object")
    return data


def _faults(data: Mapping[str, Any]) -> tuple[str, ...]:
    faults = data.get("faults")
    if not isinstance(faults, list) or not faults:
        raise NoAnswer("refused the message without saying why")
    return tuple(
        printable(one) if isinstance(one, str) else short(printable(repr(one)))
        for one in faults[:_MOST_FAULTS]
    )
