"""Reads the streams of a trace."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ctf_reader.metadata import Metadata, parse
from ctf_reader.types import Bytes, CtfError, Integer, Scope, Struct

MAGIC = 0xC1FC1FC1


@dataclass(frozen=True)
class Packet:
    """A part of a stream."""

    stream: str  # the name of its file
    begin: int
    end: int
    sequence: int
    discarded: int  # events of the stream, up to the packet's end
    core: int
    events: int


@dataclass(frozen=True)
class Event:
    """One event; `time` as its clock has it."""

    name: str
    time: int
    context: Scope
    fields: Scope
    stream: str
    core: int


@dataclass
class Trace:
    """A folder with metadata."""

    metadata: Metadata
    packets: list[Packet] = field(default_factory=list)
    streams: dict[str, list[Event]] = field(default_factory=dict)

    @property
    def offset_ns(self) -> int:
        """What to add to a time for the time of day."""
        (clock,) = self.metadata.clocks.values()
        return int(clock["offset"]) + 10**9 * int(clock.get("offset_s", 0))

    def events(self) -> list[Event]:
        """Give all events by time; at one time the events of a stream keep their order."""
        every = [event for events in self.streams.values() for event in events]
        return sorted(every, key=lambda event: event.time)


def read_traces(folder: Path) -> dict[str, Trace]:
    """Read all traces below a folder, by the names of their folders."""
    return {path.parent.name: read_trace(path.parent) for path in folder.rglob("metadata")}


def read_trace(folder: Path) -> Trace:
    """Read one trace."""
    trace = Trace(parse((folder / "metadata").read_text()))
    if trace.metadata.trace.get("byte_order") != "le":
        raise CtfError("only little endian is read")
    for path in sorted(folder.iterdir()):
        if path.name != "metadata":
            trace.streams[path.name] = list(_stream(trace, path.name, path.read_bytes()))
    return trace


def _stream(trace: Trace, name: str, data: bytes) -> Iterator[Event]:
    at = 0
    before: Packet | None = None
    while at < len(data):
        packet, events, size = _packet(trace, name, data, at)
        if before is not None:
            if packet.sequence != before.sequence + 1:
                raise CtfError(f"{name}: packet {packet.sequence} comes after {before.sequence}")
            if packet.begin < before.end or packet.discarded < before.discarded:
                raise CtfError(f"{name}: packet {packet.sequence} goes back")
        trace.packets.append(packet)
        yield from events
        before = packet
        at += size


def _packet(trace: Trace, name: str, data: bytes, at: int) -> tuple[Packet, list[Event], int]:
    header_type = trace.metadata.trace["packet.header"]
    whole = Bytes(data[at:])
    header = header_type.read(whole, {})
    if header["magic"] != MAGIC:
        raise CtfError(f"{name}: the packet at {at} begins with {header['magic']:#x}")
    if uuid.UUID(bytes=bytes(header["uuid"])) != uuid.UUID(trace.metadata.trace["uuid"]):
        raise CtfError(f"{name}: the packet at {at} is of another trace")
    stream = trace.metadata.streams[header["stream_id"]]
    context = stream["packet.context"].read(whole, {})
    size, content = context["packet_size"] // 8, context["content_size"] // 8
    if not whole.at <= content <= size or at + size > len(data):
        raise CtfError(f"{name}: the packet at {at} has {size} bytes with {content} of content")
    body = Bytes(data[at : at + content])
    body.at = whole.at
    events = []
    now = context["timestamp_begin"]
    while body.at < content:
        event = _event(trace, header["stream_id"], name, body, now, context["cpu_id"])
        if not now <= event.time <= context["timestamp_end"]:
            raise CtfError(f"{name}: {event.name} at {event.time} is not in the packet's time")
        now = event.time
        events.append(event)
    packet = Packet(
        name,
        context["timestamp_begin"],
        context["timestamp_end"],
        context["packet_seq_num"],
        context["events_discarded"],
        context["cpu_id"],
        len(events),
    )
    return packet, events, size


def _event(trace: Trace, number: int, name: str, body: Bytes, now: int, core: int) -> Event:
    stream = trace.metadata.streams[number]
    header_type = stream["event.header"]
    header = header_type.read(body, {})
    values = header | header["v"] if isinstance(header.get("v"), dict) else header
    event = trace.metadata.events[number, values["id"]]
    size = _size_of_time(header_type, header)
    time = values["timestamp"]
    if size < 64:  # the lowest bits of the time
        time += now >> size << size
        time += 1 << size if time < now else 0
    context = stream["event.context"].read(body, {})
    fields: dict[str, Any] = event["fields"].read(body, {})
    return Event(event["name"], time, context, fields, name, core)


def _size_of_time(kind: Struct, header: Scope) -> int:
    variant = kind.fields.get("v")
    fields = kind.fields if variant is None else variant.options[header["id"]].fields
    time = fields["timestamp"]
    if not isinstance(time, Integer) or time.clock is None:
        raise CtfError("the times of events are of no clock")
    return time.size
