"""Raw traces as `takt_trace` reads them, and traces by chance."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

RUN_START, RUN_END, EMPTY_TAKE, EXCEPTION, TAKE, PUBLISH, CHAIN_END = range(1, 8)
SPAN_BEGIN, SPAN_END, INSTANT, COUNTER, SLICE, KERNEL_WAIT = range(8, 14)
CALLBACK_STATE, PARKED, HOST_STALL = range(14, 17)


@dataclass(frozen=True)
class Record:
    time: int
    kind: int
    id: int = 0
    a: int = 0
    b: int = 0
    c: int = 0


@dataclass
class Thread:
    tid: int
    name: str = "worker"
    executor: str = "main"
    dropped: int = 0
    records: list[Record] = field(default_factory=list)


@dataclass
class Process:
    pid: int = 100
    program: str = "/opt/robot/lib/pipeline"
    host: str = "here"
    to_realtime: int = 1_700_000_000 * 10**9
    began: int = 0
    ended: int = 0
    witnessed: bool = False
    callbacks: list[tuple[str, str, str, bool]] = field(default_factory=list)  # id, kind, group, …
    chains: list[tuple[str, int]] = field(default_factory=list)  # name, deadline
    topics: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)

    def facts(self):
        return {
            "pid": self.pid,
            "program": self.program,
            "host": self.host,
            "to_realtime": self.to_realtime,
            "to_boottime": 0,
            "began": self.began,
            "ended": self.ended,
            "witnessed": self.witnessed,
            "callbacks": [
                {"id": id, "kind": kind, "group": group, "executor": "main", "exclusive": exclusive}
                for id, kind, group, exclusive in self.callbacks
            ],
            "chains": [
                {"name": name, "priority": 1, "deadline": deadline, "path": []}
                for name, deadline in self.chains
            ],
            "topics": self.topics,
            "names": self.names,
            "threads": [
                {"tid": one.tid, "name": one.name, "executor": one.executor} for one in self.threads
            ],
        }


def encode(processes: Sequence[Process]) -> bytes:
    def chunk(kind: int, content: bytes = b"") -> bytes:
        return struct.pack("<II", kind, len(content)) + content

    data = b"TAKTTRC2"
    for number, process in enumerate(processes):
        data += chunk(3) if number else b""
        data += chunk(1, json.dumps(process.facts()).encode())
        for index, thread in enumerate(process.threads):
            records = b"".join(
                struct.pack("<qIIqqq", one.time, one.id, one.kind, one.a, one.b, one.c)
                for one in thread.records
            )
            data += chunk(2, struct.pack("<IIQ", index, 0, thread.dropped) + records)
    return data


def start_facts(skipped: int, core: int) -> int:
    return (core + 1) << 32 | skipped


class Pipeline:
    """A process by chance that records as programs do: a timer publishes what others take."""

    def __init__(self, seed: int, pid: int = 100, host: str = "here") -> None:
        self.random = random.Random(seed)
        self.process = Process(
            pid=pid,
            host=host,
            to_realtime=1_700_000_000 * 10**9 + self.random.randrange(10**9),
            began=1000,
            callbacks=[
                ("/lidar:timer(100ms)", "timer", "/lidar:group(0)", True),
                ("/ns/filter:sub(/points)", "subscription", "/ns/filter:group(0)", False),
                ("/brake:sub(stop)", "subscription", "/brake:group(0)", True),
                ("/brake:service(/reset)", "service", "/brake:group(0)", True),
                ("/brake:client(/arm)", "client", "/brake:group(0)", True),
                ("/brake:waitable(guard)", "waitable", "/brake:group(0)", True),
            ],
            chains=[("see", 0), ("brake", 10**7)],
            topics=["/points", "/obstacles"],
            names=["load", "level"],
        )
        self.sequence = 0
        self.activation = 0
        self.lost = 0

    def thread(self, tid: int, runs: int) -> Thread:
        """Record so many runs; threads overlap, so that reentrant runs do, too."""
        self._thread = Thread(tid, f"worker{tid}", dropped=0)
        self._now = 1000 + self.random.randrange(50)
        for _ in range(runs):
            self._run()
        self.process.threads.append(self._thread)
        return self._thread

    def _add(self, kind: int, id: int = 0, a: int = 0, b: int = 0, c: int = 0) -> int:
        self._now += 1 + self.random.randrange(20)
        self._thread.records.append(Record(self._now, kind, id, a, b, c))
        return self._now

    def _publish(self) -> None:
        topic = self.random.randrange(2)
        self.sequence += 1
        source = 0 if self.random.random() < 0.3 else self.process.to_realtime + self._now
        self._add(PUBLISH, topic, 7 + topic, self.sequence, source)
        self.last = (topic, self.sequence, source)

    def _run(self) -> None:
        callback = self.random.randrange(6)
        picked = self._now
        if callback in (1, 2) and hasattr(self, "last") and self.random.random() < 0.8:
            topic, sequence, source = self.last
            if topic == callback - 1:
                self._add(TAKE, callback, 7 + topic, sequence, source)
        elif callback == 1 and self.random.random() < 0.3:
            self._add(EMPTY_TAKE, callback)
            return
        if self.random.random() < 0.1:
            self.lost += self.random.randrange(3)
            self._add(CALLBACK_STATE, callback, self.random.randrange(3), 90, self.lost)
        core = self.random.choice((-1, 0, 0, 1))
        skipped = self.random.randrange(3)
        start = self._add(RUN_START, callback, picked - 3, 0, start_facts(skipped, core))
        self._inside()
        self.activation += 1
        self._add(CHAIN_END, self.random.randrange(2), self.activation)
        cpu = self.random.choice((0, 5))
        if self.random.random() < 0.2:
            self._add(KERNEL_WAIT, callback, self.random.randrange(-1, 9), 3, 2 << 32 | 1)
        self._add(RUN_END, callback, self.random.choice((picked, start)), cpu)

    def _inside(self) -> None:
        for _ in range(self.random.randrange(4)):
            match self.random.randrange(8):
                case 0:
                    self._publish()
                case 1:
                    self._add(SPAN_BEGIN, 0)
                    self._add(SPAN_END)
                case 2:
                    self._add(INSTANT, 1)
                case 3:
                    self._add(COUNTER, 1, struct.unpack("<q", struct.pack("<d", 0.5))[0])
                case 4:
                    self._add(SLICE, 0, self._now - 5, self._now)
                case 5:
                    self._add(EXCEPTION, 0)
                case 6:
                    self._add(PARKED, self.random.randrange(6))
                case 7:
                    self._add(HOST_STALL, 1, self._now - 5, self._now, self.random.randrange(2))


def any_process(seed: int) -> Process:
    """Records of which nothing fits together but by chance."""
    chance = random.Random(seed)
    process = Pipeline(seed).process
    process.pid = chance.choice((0, 1, 2, 7_000_000))
    process.host = chance.choice(("here", "there", "", "../up", "a b", 'q"\\'))
    process.names[0] = 'so"rt\\\n\x01ü'
    process.ended = chance.choice((0, 50, -1))
    extremes = (-(2**63), -1, 0, 2**63 - 1)

    def number() -> int:
        return chance.choice(extremes) if chance.random() < 0.05 else chance.randrange(200)

    for tid in range(chance.randrange(4)):
        thread = Thread(chance.choice((0, 1, tid)), chance.choice(("", "w", "ä" * 20)))
        thread.dropped = chance.randrange(3)
        for _ in range(chance.randrange(60)):
            id = chance.choice((0, 1, 2, 3, 4, 5, 6, 2**32 - 2))
            kind = chance.randrange(1, HOST_STALL + 1)
            thread.records.append(Record(number(), kind, id, number(), number(), number()))
        process.threads.append(thread)
    return process
