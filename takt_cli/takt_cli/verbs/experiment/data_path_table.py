"""The figures of the experiment `data-path`, as tables and plots."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from takt_cli.base.units import how_many, human, significant
from takt_cli.pages.axes import Figure, layout, set_axis
from takt_cli.results.samples import percentile
from takt_cli.tables.table import Cell, Table, count_cell
from takt_cli.verbs.experiment.data_path import (
    DIRECT,
    FUTEX,
    KIB,
    LOANS,
    PLACE_WORDS,
    POOL,
    RCLCPP,
    STANDARD,
    UDP,
    WITHIN,
    Campaign,
    Found,
    size_words,
)
from takt_cli.verbs.experiment.data_path_program import Measured

COLOURS = {
    UDP: "--s2",
    STANDARD: "--s3",
    LOANS: "--s4",
    DIRECT: "--s1",
    RCLCPP: "--s5",
    POOL: "--s6",
}
_NAMES = {
    UDP: "UDP",
    STANDARD: "default",
    LOANS: "loans",
    RCLCPP: "rclcpp",
    POOL: "rclcpp pool",
    FUTEX: "wake-up alone",
}
NS_PER_US = 1000
# Threads with fewer switches and less time per message are summed up in a row of their own.
_FEW = 0.005
_LITTLE_NS = 50.0


def name(variant: str, place: str) -> str:
    """Name what a variant is at a place."""
    if variant == DIRECT:
        return "sequence by pointer" if place == WITHIN else "channel"
    return _NAMES[variant]


def tables(found: Found) -> list[Table]:
    """Latencies, limits, switches and CPU time; those of single threads come last."""
    return [
        *(_latencies(found, place) for place in found.places()),
        limits(found),
        *(_costs(found, place) for place in found.places()),
        *(_threads(found, place) for place in found.places()),
    ]


def shown(found: Found) -> int:
    """Give the number of tables for the terminal: without those of single threads."""
    return 2 * len(found.places()) + 1


def _latencies(found: Found, place: str) -> Table:
    variants = found.variants(place)
    table = Table(
        f"Latency of a message (µs): {PLACE_WORDS[place]}",
        ["size", *(f"{name(v, place)} {p}" for v in variants for p in ("p50", "p99", "max"))],
    )
    for size in found.sizes():
        cells = [found.cells.get((variant, place, size)) for variant in variants]
        table.add(_row(size), *(cell for one in cells for cell in _figures(one)))
    table.notes.append(
        "from right before the publish to the first look at the clock in the receiver, of messages "
        "that no host stall touched; – with fewer than ten samples beyond the percentile"
    )
    here = [one for (_, at, _), one in found.cells.items() if at == place]
    stalled = [float(ns) for one in here for ns in one.stalled]
    table.notes.append(
        f"{len(stalled)} messages with a host stall are left out"
        + (f", the longest of {human(max(stalled))}" if stalled else "")
        + f"; {sum(one.missed for one in here)} messages were lost or damaged"
    )
    if not all(one.stalls_seen for one in here):
        table.notes.append("without real-time rights, host stalls could not be told apart")
    return table


def _row(size: int) -> str:
    """Name a row by its size, in one line of a page."""
    return size_words(size).replace(" ", "\N{NO-BREAK SPACE}")


def _figures(one: Measured | None) -> list[Cell]:
    if one is None:
        return [Cell("–")] * 3
    samples = one.clean
    return [
        _us(percentile(samples, 50)),
        _us(percentile(samples, 99)),
        _us(float(samples.max()) if len(samples) else None),
    ]


def _us(ns: float | None) -> Cell:
    return (
        Cell("–")
        if ns is None
        else Cell(significant(ns / NS_PER_US), value=round(ns / NS_PER_US, 4))
    )


def _costs(found: Found, place: str) -> Table:
    variants = found.variants(place)
    table = Table(
        f"Switches and CPU time per message: {PLACE_WORDS[place]}",
        ["size", *(f"{name(v, place)} {p}" for v in variants for p in ("switches", "CPU µs"))],
    )
    for size in found.sizes():
        row: list[Cell] = []
        for variant in variants:
            one = found.cells.get((variant, place, size))
            if one is None:
                row += [Cell("–")] * 2
                continue
            row += [_number(one.switches()), _us(one.cpu_ns())]
        table.add(_row(size), *row)
    table.notes.append(
        "of all threads of all processes, both kinds of switches; one switch and some µs are the "
        "publisher's sleep between two messages"
    )
    return table


def _threads(found: Found, place: str) -> Table:
    table = Table(
        f"Switches and CPU time per message by thread: {PLACE_WORDS[place]}",
        [
            *("size", "variant", "process", "thread", "threads"),
            *("voluntary", "involuntary", "CPU µs"),
        ],
        words=4,
    )
    sizes = found.sizes()
    for size in dict.fromkeys((sizes[0], sizes[-1])):
        for variant in found.variants(place):
            one = found.cells.get((variant, place, size))
            for kind in one.kinds() if one else ():
                if kind.voluntary + kind.involuntary < _FEW and kind.cpu_ns < _LITTLE_NS:
                    continue
                table.add(
                    _row(size),
                    name(variant, place),
                    kind.process,
                    kind.name,
                    count_cell(kind.threads),
                    _number(kind.voluntary),
                    _number(kind.involuntary),
                    _us(kind.cpu_ns),
                )
    table.notes += [
        "threads of the middleware by the beginnings of their names; the raw results have each of "
        "them, and all sizes",
        f"threads with less than {_FEW:g} switches and {_LITTLE_NS:g} ns per message are left out",
    ]
    return table


def limits(found: Found) -> Table:
    """Show the physical limits."""
    table = Table("Physical limits, measured in the same run", ["limit", "p50", "p99"])
    for place in found.places():
        if (one := found.wake_up(place)) is not None:
            table.add(
                f"wake-up of a sleeping process by futex, {PLACE_WORDS[place].split(', ')[1]}",
                _human(percentile(one.clean, 50)),
                _human(percentile(one.clean, 99)),
            )
    table.add("call of a function", _human(found.floors.call_ns), "–")
    table.add("look at the clock (each latency has one)", _human(found.floors.clock_ns), "–")
    for copy in found.floors.copies:
        table.add(f"copy of {size_words(copy.size)}", _human(copy.ns), "–")
    return table


def _human(ns: float | None) -> Cell:
    if ns is not None and ns < NS_PER_US:
        return Cell(f"{significant(ns, 2)} ns", value=ns)
    return Cell(human(ns), value=ns)


def _number(value: float) -> Cell:
    return Cell(significant(value, 2), value=round(value, 4))


def figures(found: Found) -> list[tuple[str, Figure]]:
    """Plot latency, and then CPU time, over size for each place."""
    return [
        *(
            (f"Latency, {PLACE_WORDS[place]}", _plot(found, place, "median latency (µs)", _p50))
            for place in found.places()
        ),
        *(
            (
                f"CPU time per message, {PLACE_WORDS[place]}",
                _plot(found, place, "CPU time per message (µs)", _cpu),
            )
            for place in found.places()
        ),
    ]


def _p50(one: Measured) -> float | None:
    return percentile(one.clean, 50)


def _cpu(one: Measured) -> float | None:
    return one.cpu_ns()


def _plot(
    found: Found, place: str, title: str, value: Callable[[Measured], float | None]
) -> Figure:
    data = []
    for variant in found.variants(place):
        points = {
            size: value(one)
            for size in found.sizes()
            if (one := found.cells.get((variant, place, size))) is not None
        }
        data.append(_line(name(variant, place), points, COLOURS[variant], variant == DIRECT))
    if value is _p50:
        # Copies that take less than any message would only stretch the axis.
        least = min((y for one in data for y in one["y"]), default=0.0) * NS_PER_US
        copies = {copy.size: copy.ns for copy in found.floors.copies if copy.ns >= least / 2}
        data.append(_line("limit: copy", copies, "--muted", False, dash="dot"))
        if (limit := found.wake_up(place)) is not None:
            p50 = percentile(limit.clean, 50)
            data.append(
                _line("limit: wake-up", dict.fromkeys(found.sizes(), p50), "--good", False, "dot")
            )
    frame = layout("message size (KiB)", title)
    sizes = found.sizes()
    set_axis(frame["xaxis"], [size / KIB for size in sizes], True)
    # Words of the largest sizes, which are nearer to each other, would overlap.
    marked = [one for one, next_ in zip(sizes, [*sizes[1:], 0], strict=True) if next_ != 2 * one]
    frame["xaxis"].update(
        tickvals=[size / KIB for size in marked], ticktext=[size_words(size) for size in marked]
    )
    set_axis(frame["yaxis"], [y for one in data for y in one["y"]], True)
    frame["showlegend"] = True
    frame["height"] = 380
    return {"data": data, "layout": frame}


def _line(
    title: str, points: dict[int, float | None], colour: str, accent: bool, dash: str = "solid"
) -> Figure:
    known = {size: ns for size, ns in points.items() if ns}
    return {
        "type": "scatter",
        "mode": "lines" if dash != "solid" else "lines+markers",
        "name": title,
        "x": [size / KIB for size in known],
        "y": [round(ns / NS_PER_US, 5) for ns in known.values()],
        "line": {"color": colour, "width": 3 if accent else 2, "dash": dash},
        "marker": {"color": colour, "size": 6},
        "hovertemplate": f"%{{y:.4g}} µs, {title}<extra></extra>",
    }


def explanations(found: Found, campaign: Campaign, cores: Sequence[int]) -> list[str]:
    """Explain the measurement and its limits."""
    priorities = {
        f"{thread.role}: {thread.policy} {thread.priority}"
        for one in found.cells.values()
        for thread in one.threads()
        if thread.role in ("publisher", "receiver", "both")
    }
    return [
        f"{campaign.messages:,} messages of each size in {how_many(campaign.rounds, 'round')} over "
        "all sizes and variants, one each ms; the next one waits until the one before "
        f"has arrived. Cores {', '.join(map(str, cores[:2]))}. "
        f"Policies and priorities: {'; '.join(sorted(priorities))}. Threads of the middleware are "
        "one priority above the thread that they serve.",
        "Publisher and receiver touch 24 bytes of a message, whatever its size: the latency is "
        "that of the transport. A message that is copied may still be in the caches.",
        "UDP: takt_rcl over Fast DDS without shared memory and without delivery within the "
        "process, std_msgs/UInt8MultiArray. default: the same with this environment's settings.",
        "loans: messages that Fast DDS lends, through rcl itself, because takt_rcl lends messages "
        "of its own pools only; the receiver waits on a wait set of rcl. Between processes with "
        "data sharing: a thread of the middleware puts each message into the receiver's history. "
        "In one thread Fast DDS gives the reader the publisher's memory within the publish.",
        "channel: a publisher and a subscriber of takt_channel, used directly; the thread that "
        "waits for the message is the one that takes it. sequence by pointer: a timer's callback "
        "and a subscription's callback of takt_rcl as a sequence of the schedule.",
        *_of_rclcpp(found),
        *(f"Not measured: {why}." for why in dict.fromkeys(found.missing.values())),
    ]


def _of_rclcpp(found: Found) -> Iterator[str]:
    if RCLCPP in found.variants(WITHIN):
        yield (
            "rclcpp: its own intra-process messages, unique pointers, under its single-threaded "
            "executor: a timer's callback and a subscription's callback of two nodes. The "
            "publisher makes each message anew, before the latency begins; the CPU time has that, "
            "too. rclcpp pool: the same under its multi-threaded executor with two threads on "
            "that core, so publisher and receiver may be two threads. The pool's threads run under "
            "SCHED_OTHER: under SCHED_FIFO on one core its measurement does not end in time."
        )
