"""Messages of the control socket as bytes. The module does no input or output.

A frame is "takt", the version and the type of the message (16 bits each), the length of the payload
(32 bits), all little endian, and the payload, which is JSON in UTF-8. takt_control/frame.hpp has
the same in C++. A message that is longer than one frame consists of frames of type `part` and a
last frame of its own type.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import Any

MAGIC = b"takt"
VERSION = 1
HEADER = struct.Struct("<4sHHI")
MOST_PAYLOAD = 64 << 10
MOST_MESSAGE = 16 << 20


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


class NoAnswer(Exception):
    """A process did not answer, or sent something else; the text describes what it did."""


class Refused(Exception):
    """A process answered with faults."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


def frames(kind: Message, payload: bytes) -> Iterator[bytes]:
    """Give the frames of a message, one after the other."""
    last = max(0, (len(payload) - 1) // MOST_PAYLOAD * MOST_PAYLOAD)
    for start in range(0, last, MOST_PAYLOAD):
        yield frame(Message.part, payload[start : start + MOST_PAYLOAD])
    yield frame(kind, payload[last:])


def frame(kind: int, payload: bytes) -> bytes:
    """Give one frame."""
    return HEADER.pack(MAGIC, VERSION, kind, len(payload)) + payload


def spelled(kind: Message, request: Mapping[str, Any]) -> Iterator[bytes]:
    """Give the frames of a request; raises NoAnswer if it is too long."""
    payload = json.dumps(request, ensure_ascii=False).encode("utf-8", "backslashreplace")
    if len(payload) > MOST_MESSAGE:
        raise NoAnswer(f"cannot be asked: the message is longer than {MOST_MESSAGE >> 20} MiB")
    yield from frames(kind, payload)


class Incoming:
    """A message that arrives frame by frame, each as its header and its payload.

    It does not read from the socket. A frame that breaks a rule raises NoAnswer.
    """

    def __init__(self, did: str, most: int) -> None:
        """`did`: what the process did, for a sentence: 'sent'; `most`: bytes of the payload."""
        self.kind = 0
        self.payload = bytearray()
        self._did = did
        self._most = most
        self._length = 0

    def take_header(self, header: bytes) -> int:
        """Take HEADER.size bytes; returns the length of the payload after them."""
        magic, version, self.kind, self._length = HEADER.unpack(header)
        if magic != MAGIC:
            raise NoAnswer(f"{self._did} bytes that are no message of takt")
        if version != VERSION:
            raise NoAnswer(
                f"speaks version {version} of takt's messages, and this command version "
                f"{VERSION}; use the takt command that belongs to its libraries"
            )
        if self._length > MOST_PAYLOAD:
            raise NoAnswer(f"{self._did} a frame of {self._length} bytes, more than {MOST_PAYLOAD}")
        if len(self.payload) + self._length > self._most:
            raise NoAnswer(f"{self._did} a message of more than {self._most >> 20} MiB")
        return self._length

    def take_payload(self, payload: bytes) -> bool:
        """Take the payload of a frame; returns whether the message is complete."""
        self.payload += payload
        if self.kind == Message.part and self._length == 0:
            raise NoAnswer(f"{self._did} an empty part of a message")
        return self.kind != Message.part


def parsed(payload: bytes) -> dict[str, Any]:
    """Read the JSON object of a message; raises NoAnswer."""
    try:
        data = json.loads(payload.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise NoAnswer("answered with a message that is not JSON") from error
    if not isinstance(data, dict):
        raise NoAnswer("answered with JSON that is not an object")
    return data
