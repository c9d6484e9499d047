"""Runs an import: one reader, and one session a stream that writes what the reader deals out.

    records -> lines, dealt by user -> a piece of up to PIECE lines a stream -> import_requests, one transaction

Each transaction moves the stream's place in the file, so that whatever ends the process, the next run goes on behind it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import msgspec

from gnomon.database.pool import Pool, open_pool
from gnomon.imports import calls
from gnomon.imports.read import Fault, Line, lines_of
from gnomon.imports.source import STREAMS, Source

PIECE: Final = 5_000
"""Lines of one transaction: half a second, for which others wait who want the same keys."""

_BREATH: Final = 500
"""Lines read before the sessions have their turn."""

Tell = Callable[["Counts"], None]


class Counts(msgspec.Struct, kw_only=True):
    """What became of the lines. earlier: of those that an earlier run had done."""

    accepted: int = 0
    repeated: int = 0
    rejected: int = 0
    earlier: int = 0

    @property
    def lines(self) -> int:
        """All of them."""
        return self.accepted + self.repeated + self.rejected

    def be(self, places: Sequence[calls.Place]) -> None:
        """Count what these places say."""
        self.accepted = sum(place.accepted_count for place in places)
        self.repeated = sum(place.repeated_count for place in places)
        self.rejected = sum(place.refused_count for place in places)


@dataclass
class _Piece:
    lines: list[int] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    refused: list[Fault] = field(default_factory=list)
    until_line: int = 0

    def take(self, found: Line | Fault) -> int:
        self.until_line = found.line
        if isinstance(found, Fault):
            self.refused.append(found)
        else:
            self.lines.append(found.line)
            self.requests.append(found.request)
        return len(self.lines) + len(self.refused)

    def array(self) -> str:
        return f"[{','.join(self.requests)}]"


_Queue: TypeAlias = "asyncio.Queue[_Piece | None]"


async def import_all(url: str, source: Source, tell: Tell) -> tuple[Counts, list[Fault]]:
    """Import what is not imported yet; the counts of all runs, and the refused lines in order.

    Raises HeaderUnfit, DatabaseUnavailable. The places are kept until end is called.
    """
    counts = Counts()
    async with _sessions(url) as pool:
        places = await calls.import_places(pool, source.digest)
        counts.be(places)
        counts.earlier = counts.lines

        async def write(stream: int, piece: _Piece) -> None:
            step = await calls.import_requests(
                pool, source.digest, stream, piece.until_line, piece.lines, piece.array(), piece.refused
            )
            counts.accepted += step.accepted_count
            counts.repeated += step.repeated_count
            counts.rejected += step.refused_count
            tell(counts)

        tell(counts)
        await _deal(source, {place.stream: place.done_line for place in places}, write)
        # Of what a killed run had sent, its sessions may have written some while this one ran.
        counts.be(await calls.import_places(pool, source.digest))
        return counts, await _faults(pool, source.digest)


async def check_all(url: str, source: Source, tell: Tell) -> tuple[Counts, list[Fault]]:
    """What an import would refuse; accepted counts the others. Raises as import_all does."""
    counts = Counts()
    faults: list[Fault] = []
    async with _sessions(url) as pool:

        async def check(_stream: int, piece: _Piece) -> None:
            wrong = await calls.check_many(pool, piece.array())
            faults.extend(piece.refused)
            faults.extend(
                Fault(
                    line=piece.lines[item.ordinal - 1],
                    error_code=item.error_code,
                    error_detail=item.error_detail,
                    error_hint=item.error_hint,
                    error_pointer=item.error_pointer,
                )
                for item in wrong
            )
            counts.accepted += len(piece.lines) - len(wrong)
            counts.rejected += len(piece.refused) + len(wrong)
            tell(counts)

        await _deal(source, {}, check)
    return counts, sorted(faults, key=lambda fault: fault.line)


async def end(url: str, source: Source) -> None:
    """The import is through and told: forget its places. The same file again is then a new import."""
    async with _sessions(url) as pool:
        await calls.end_import(pool, source.digest)


async def _deal(source: Source, done: dict[int, int], write: Callable[[int, _Piece], Awaitable[None]]) -> None:
    """Read on while the sessions write; a stream that has a piece waiting holds the reader up."""
    waiting: list[_Queue] = [asyncio.Queue(maxsize=1) for _ in range(STREAMS)]

    async def stream(number: int) -> None:
        while (piece := await waiting[number].get()) is not None:
            await write(number, piece)

    try:
        async with asyncio.TaskGroup() as group:
            for number in range(STREAMS):
                group.create_task(stream(number))
            group.create_task(_read(source, done, waiting))
    except BaseExceptionGroup as faults:
        raise faults.exceptions[0] from None


async def _read(source: Source, done: dict[int, int], waiting: list[_Queue]) -> None:
    pieces = [_Piece() for _ in waiting]
    for count, found in enumerate(lines_of(source, done)):
        number = found.stream if isinstance(found, Line) else 0
        if pieces[number].take(found) == PIECE:
            await waiting[number].put(pieces[number])
            pieces[number] = _Piece()
        if count % _BREATH == 0:
            await asyncio.sleep(0)
    for piece, queue in zip(pieces, waiting, strict=True):
        if piece.until_line:
            await queue.put(piece)
        await queue.put(None)


async def _faults(pool: Pool, digest: bytes) -> list[Fault]:
    faults: list[Fault] = []
    while page := await calls.import_faults(pool, digest, faults[-1].line if faults else 0, 10_000):
        faults += page
    return faults


def _sessions(url: str) -> Pool:
    return open_pool(url, min_size=STREAMS, max_size=STREAMS, application_name="gnomon import")
