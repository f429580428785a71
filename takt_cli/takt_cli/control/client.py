"""Asks one process over its control socket.

It trusts no answer: all reads are limited in bytes and in time.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from takt_cli.control.frames import (
    HEADER,
    MOST_MESSAGE,
    Incoming,
    Message,
    NoAnswer,
    parsed,
    spelled,
)
from takt_cli.control.told import result_of

# sun_path of sockaddr_un, with the final zero.
_LONGEST_PATH = 107
_READ = 1 << 16
_CREDENTIALS = struct.Struct("3i")


class Gone(Exception):
    """No process listens at the socket."""


@dataclass(frozen=True)
class Peer:
    """The process at the other end, as the kernel names it; number 0: not visible from here."""

    pid: int
    uid: int


def ask(
    path: Path, kind: Message, request: Mapping[str, Any], timeout_s: float
) -> tuple[Peer, dict[str, Any]]:
    """Send one request and return the answer; all of it takes at most `timeout_s`.

    Raises Gone, NoAnswer or Refused.
    """
    data = b"".join(spelled(kind, request))
    line = Line(time.monotonic() + timeout_s, timeout_s)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        try:
            line.connect(connection, path)
            peer = peer_of(connection)
            line.send(connection, data)
            answered, answer = line.receive(connection)
        except TimeoutError:
            raise NoAnswer(f"does not answer within {timeout_s:g} s") from None
        except OSError as error:
            raise NoAnswer(f"cannot be asked: {error.strerror or error}") from error
    if answered not in (Message.error, Message.result):
        raise NoAnswer(f"answered with a message of type {answered}, which takt does not know")
    return peer, result_of(answered, parsed(answer))


def peer_of(connection: socket.socket) -> Peer:
    """Ask the kernel for the process that listens at a socket."""
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    pid, uid, _ = _CREDENTIALS.unpack(raw)
    return Peer(pid, uid)


def connect(connection: socket.socket, path: Path) -> None:
    """Connect to a process; raises Gone if no process listens."""
    try:
        with _address(path) as address:
            connection.connect(address)
    except (ConnectionRefusedError, FileNotFoundError) as error:
        raise Gone from error


class Line:
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
        """Connect; raises Gone."""
        self._wait(connection)
        try:
            connect(connection, path)
        except BlockingIOError:  # its queue of clients is full
            raise TimeoutError from None

    def send(self, connection: socket.socket, data: bytes) -> None:
        """Send all bytes."""
        self._wait(connection)
        # A process that refuses a message may close before it has read all of it; its answer says
        # why.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(data)

    def receive(self, connection: socket.socket) -> tuple[int, bytes]:
        """Give the type of the next message and its payload without the frames."""
        message = Incoming("answered with", MOST_MESSAGE)
        while True:
            length = message.take_header(self._exactly(connection, HEADER.size))
            if message.take_payload(self._exactly(connection, length)):
                return message.kind, bytes(message.payload)

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
