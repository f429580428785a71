"""The picture of a hyperperiod: windows of jobs and runs over time, a row for each callback."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from takt_cli.base.callback_ids import without_namespace
from takt_cli.base.units import human
from takt_cli.pages.scale import Scale
from takt_cli.results.explanation import Hyperperiod, Job, Row

_LABELS = 280  # width of the names
_EDGE = 10  # left of them, in a picture alone
_CHART = 842  # width of the hyperperiod, if its jobs are not many
_WIDEST = 20_000
_JOB = 9  # the least width for each job of the row with the most jobs
_TOP, _HEAD, _ROW, _SIDE = 26, 25, 21, 10
_LETTERS = 37
_THINNEST = 1.2
_NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'


class Drawing:
    """Draws names of callbacks, and beside them the times of their jobs."""

    def __init__(self, hyperperiod: Hyperperiod, colours: Mapping[str, str]) -> None:
        """Lay out the rows; `colours`: of each chain, the most important one first."""
        self._length: int = hyperperiod.length_ns
        self._rows: Sequence[Row] = hyperperiod.rows
        self._colours = colours
        self._numbers = {name: index for index, name in enumerate(colours)}
        most = max((len(row.jobs) for row in self._rows), default=0)
        self._width = min(max(_CHART, most * _JOB), _WIDEST)
        self._x = Scale(0, self._length, _SIDE, self._width - _SIDE)
        self._height = _TOP
        self._several = len({row.executor for row in self._rows}) > 1
        self._names: list[str] = []
        self._times: list[str] = []
        self._draw()

    def for_page(self) -> str:
        """Give two pictures: names stay in view where the hyperperiod is wider than the page."""
        return (
            f'<div class="sides">{self._svg(_LABELS, "Callbacks")}{"".join(self._names)}</svg>'
            f'<div class="scroll times">{self._svg(self._width, self._title())}'
            f"{''.join(self._times)}</svg></div></div>"
        )

    def alone(self, style: str) -> str:
        """Give one picture for a separate file; `style`: of its elements."""
        width = _EDGE + _LABELS + self._width
        return (
            f"{self._svg(width, self._title(), _NAMESPACE)}<style>{style}</style>"
            f'<rect class="ground" width="100%" height="100%"/>'
            f'<g transform="translate({_EDGE} 0)">{"".join(self._names)}</g>'
            f'<g transform="translate({_EDGE + _LABELS} 0)">{"".join(self._times)}</g></svg>\n'
        )

    def _title(self) -> str:
        return f"One hyperperiod of {human(self._length)}"

    def _draw(self) -> None:
        names, times = self._names, self._times
        place: tuple[str, ...] = ()
        for row in self._rows:
            if (now := row.place) != place:
                place = now
                names += self._thread(row)
                times.append(
                    f'<path class="grid" d="M0 {self._height + _HEAD - 3}H{self._width}"/>'
                )
                self._height += _HEAD
            group = self._group(row)
            names += [group, *self._name(row), "</g>"]
            times += [group, *self._jobs(row), *self._runs(row), "</g>"]
            self._height += _ROW
        self._height += 6
        times[:0] = self._axis()

    def _svg(self, width: int, words: str, more: str = "") -> str:
        return (
            f'<svg class="plot-svg"{more} width="{width}" height="{self._height}" '
            f'viewBox="0 0 {width} {self._height}" '
            f'role="img" aria-label="{escape(words)}">'
        )

    def _axis(self) -> Iterator[str]:
        for value, text in self._x.ticks(max(6, self._width // 110)):
            at = self._x.at(value)
            yield f'<path class="grid" d="M{at} {_TOP - 8}V{self._height - 6}"/>'
            anchor = "start" if value == 0 else "end" if value == self._length else "middle"
            yield f'<text class="tick" text-anchor="{anchor}" x="{at}" y="12">{text}</text>'

    def _thread(self, row: Row) -> Iterator[str]:
        cores = ", ".join(str(core) for core in row.cores)
        threads = " or ".join(row.threads)
        where = f"core{'' if len(row.cores) == 1 else 's'} {cores} of {row.host}"
        words = f"{threads} (OS priority {row.os_priority}) of {row.executor}, {where}"
        more = f" of {row.executor}" if self._several else ""
        more += f", core {cores}, priority {row.os_priority}"
        yield (
            f'<text class="thread" x="0" y="{self._height + 17}">{escape(_cut(threads, 16))}'
            f'<tspan class="weaker">{escape(more)}</tspan><title>{escape(words)}</title></text>'
            f'<path class="grid" d="M0 {self._height + _HEAD - 3}H{_LABELS}"/>'
        )

    def _group(self, row: Row) -> str:
        numbers = [self._numbers[name] for name in row.chains if name in self._numbers]
        first = min(numbers, default=None)
        colour = "--muted" if first is None else list(self._colours.values())[first]
        chains = " ".join(str(number) for number in numbers)
        return (
            f'<g class="row" data-id="{escape(row.id)}" data-chains="{chains}" '
            f'data-colour="{colour}" style="--c: var({colour})">'
        )

    def _name(self, row: Row) -> Iterator[str]:
        words = [*row.ids, f"at most {human(row.time_ns)}"]
        if row.period_ns:
            offset = row.offset_ns
            at = "no known offset" if offset is None else f"offset {human(offset)}"
            words.append(f"every {human(row.period_ns)}, {at}")
        words.append(f"chains: {', '.join(row.chains) or 'none'}")
        yield (
            f'<rect class="key-rect" x="0" y="{self._height + 6}" width="6" height="9" rx="2"/>'
            f'<text class="name" x="12" y="{self._height + 14.5}">'
            f"{escape(_cut(without_namespace(row.id), _LETTERS))}"
            f"<title>{escape(chr(10).join(words))}</title></text>"
        )

    def _jobs(self, row: Row) -> Iterator[str]:
        top = self._height
        for job in row.jobs:
            # Draw also the part beyond the end: it belongs to the hyperperiod before.
            begin, end = job.earliest_release_ns, job.latest_end_ns
            title = f"<title>{escape(_words(row, job))}</title>"
            kind = f"job {job.set}"
            high = 5 if job.set == "keeps" else 15
            for shift in range(0, -(end // self._length) - 1, -1):
                at = shift * self._length
                if at + end <= 0 and not (at == 0 and end == begin):
                    continue
                yield f'<g class="{kind}" data-turn="{shift}">{title}'
                latest = job.latest_release_ns
                yield self._bar("release", at + begin, at + latest, top + 18 - high, high)
                yield self._bar("finish", at + latest, at + end, top + 18 - high, high)
                if row.timer and 0 <= at + begin < self._length:
                    where = self._x.at(at + begin)
                    yield f'<path class="release-tick" d="M{where} {top + 1.5}v17.5"/>'
                yield "</g>"

    def _runs(self, row: Row) -> Iterator[str]:
        for run in row.runs:
            words = (
                f"{row.id}, simulated: released at {human(run.release_ns)}, ended at "
                f"{human(run.end_ns)}, ran {human(run.spent_ns)}"
            )
            bars = [
                self._bar("piece", begin, to, self._height + 6.5, 8) for begin, to in run.pieces_ns
            ]
            if any(bars):
                yield f'<g class="run"><title>{escape(words)}</title>{"".join(bars)}</g>'

    def _bar(self, kind: str, begin: int, end: int, top: float, height: float) -> str:
        """One rectangle, or none where all of it is outside of the hyperperiod."""
        if end <= begin or end <= 0 or begin >= self._length:
            return ""
        left = self._x.at(begin)
        width = max(self._x.at(end) - left, _THINNEST)
        return f'<rect class="{kind}" x="{left}" y="{top}" width="{width:.1f}" height="{height}"/>'


def _words(row: Row, job: Job) -> str:
    earliest, latest = job.earliest_release_ns, job.latest_release_ns
    when = human(earliest) if earliest == latest else f"{human(earliest)} to {human(latest)}"
    what = {
        "keeps": ", keeps a message for its set",
        "works": ", works on a complete set",
    }.get(job.set, "")
    missing = "\nmay not come: its set may drop the message before it" if job.may_miss else ""
    end = human(job.latest_end_ns)
    return f"{row.id}{what}\nreleased at {when}, has ended by {end}{missing}"


def _cut(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: max(letters - 1, 1)]}…"
