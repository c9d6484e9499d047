"""Batches: split into items while they come, each item read strictly on its own, the good ones in one call.

    pieces of the body -> raw items -> strict reading, item by item -> gnomon.schedule_many(the good ones)
                       -> results in the given order, encoded piece by piece

So an item that no jsonb can hold (a NUL character, a name given twice) spoils no other either. Only what cannot be split
refuses the whole: an array that is not JSON, more than 10,000 items, a body that ends early. It is one call, and so nothing
is written before the last byte has come and everything or nothing after it.

Of 32 MB that come, the texts of the items are kept until they are sent, nothing else. The event loop is let go between the
pieces: others are answered meanwhile.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Final

import msgspec
from litestar.exceptions import HTTPException
from msgspec import UNSET, UnsetType

from gnomon.database.pool import Pool
from gnomon.errors import GnomonError, RequestInvalid, error_of
from gnomon.schedules import calls
from gnomon.schedules.shapes import Scheduled, ScheduledItem
from gnomon.schedules.split import LONGEST_ITEM, Items, Lines
from gnomon.web.bodies import JSON_TYPE, NDJSON_TYPES
from gnomon.web.problems import Problem, problem_of
from gnomon.web.strict_json import strict_object

BATCH_TYPES: Final = (JSON_TYPE, *NDJSON_TYPES)
ITEM_LIMIT: Final = 10_000

# Bytes of a body that are read, and results that are written, before others have their turn: one or two milliseconds.
_PIECE: Final = 32 << 10
_RESULTS: Final = 250

_ENCODER: Final = msgspec.json.Encoder()


class BatchTooLong(HTTPException):
    """More items than one call takes."""

    status_code = 413


class BatchItem(msgspec.Struct, frozen=True, kw_only=True):
    """One item's result: the answer it would have had alone, or its problem."""

    schedule: Scheduled | UnsetType = UNSET
    error: Problem | UnsetType = UNSET


class BatchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Results in the order of the items."""

    accepted: int
    refused: int
    results: list[BatchItem]


async def schedule_batch(
    pool: Pool, turns: asyncio.Semaphore, body: AsyncIterator[bytes], *, is_array: bool
) -> tuple[bytes, datetime | None]:
    """Schedule every good item, in a turn: a BatchAnswer as JSON, and the earliest instant in it.

    Raises RequestInvalid when the items cannot be told apart, BatchTooLong (413).
    """
    texts, faults = await _read(body, is_array=is_array)
    rows: list[ScheduledItem] = []
    if texts:
        together = b"[%b]" % b",".join(texts)
        texts.clear()
        async with turns:
            rows = await calls.schedule_many(pool, together)
        del together
    return await _told(faults, rows)


async def _read(body: AsyncIterator[bytes], *, is_array: bool) -> tuple[list[bytes], list[GnomonError | None]]:
    """The texts of the good items, and for every item what is wrong with it."""
    splitter = Items() if is_array else Lines()
    texts: list[bytes] = []
    faults: list[GnomonError | None] = []
    async for piece, is_last in _pieces(body):
        for item in splitter.more(piece, is_last=is_last):
            if len(faults) == ITEM_LIMIT:
                raise BatchTooLong(f"The batch has more than {ITEM_LIMIT} items; one call takes so many.")
            try:
                _check(item)
                texts.append(item.encode())
                faults.append(None)
            except RequestInvalid as fault:
                faults.append(fault)
    return texts, faults


def _check(item: str) -> None:
    if len(item) > LONGEST_ITEM:
        raise RequestInvalid(f"the request has more than {LONGEST_ITEM} characters", pointer="")
    strict_object(item)


async def _pieces(body: AsyncIterator[bytes]) -> AsyncIterator[tuple[bytes, bool]]:
    """The body in pieces of a size, and at its end an empty one that is the last."""
    async for given in body:
        for at in range(0, len(given), _PIECE):
            yield given[at : at + _PIECE], False
            await asyncio.sleep(0)
    yield b"", True


async def _told(faults: Sequence[GnomonError | None], rows: Sequence[ScheduledItem]) -> tuple[bytes, datetime | None]:
    answered = iter(rows)
    results: list[bytes] = []
    refused = 0
    earliest: datetime | None = None
    for place, fault in enumerate(faults, start=1):
        result = _refused(fault) if fault else _result(next(answered))
        if result.schedule is UNSET:
            refused += 1
        elif (at_utc := result.schedule.fire_at_utc) is not None:
            earliest = at_utc if earliest is None else min(earliest, at_utc)
        results.append(_ENCODER.encode(result))
        if place % _RESULTS == 0:
            await asyncio.sleep(0)
    head = b'{"accepted":%d,"refused":%d,"results":[' % (len(results) - refused, refused)
    return b"".join((head, b",".join(results), b"]}")), earliest


def _result(row: ScheduledItem) -> BatchItem:
    if row.scheduled is not None:
        return BatchItem(schedule=row.scheduled)
    code = row.error_code or ""
    return _refused(error_of(code, row.error_detail, hint=row.error_hint, pointer=row.error_pointer))


def _refused(fault: GnomonError) -> BatchItem:
    return BatchItem(error=problem_of(fault))
