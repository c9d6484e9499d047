"""Batches: split into items without reading them, each item read strictly on its own, the good ones in one call.

    body -> raw items -> strict reading, item by item -> gnomon.schedule_many(the good ones) -> results in the given order

So an item that no jsonb can hold (a NUL character, a name given twice) spoils no other either. Only what cannot be split
refuses the whole: an array that is not JSON, more than 10,000 items.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

import msgspec
from litestar.exceptions import HTTPException
from msgspec import UNSET, UnsetType

from gnomon.database.pool import Pool
from gnomon.errors import GnomonError, RequestInvalid, error_of
from gnomon.schedules import calls
from gnomon.schedules.shapes import Scheduled, ScheduledItem
from gnomon.web.bodies import JSON_TYPE, NDJSON_TYPES
from gnomon.web.problems import Problem, problem_of
from gnomon.web.strict_json import strict_object

BATCH_TYPES: Final = (JSON_TYPE, *NDJSON_TYPES)
ITEM_LIMIT: Final = 10_000

_ARRAY: Final = msgspec.json.Decoder(list[msgspec.Raw])


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


async def schedule_batch(pool: Pool, body: bytes, *, is_array: bool) -> BatchAnswer:
    """Schedule every good item. Raises RequestInvalid when the items cannot be told apart, BatchTooLong (413)."""
    # 32 MB take most of a second to read: beside the event loop, or every other request would wait for it.
    texts, faults = await asyncio.to_thread(_read, body, is_array=is_array)
    rows = await calls.schedule_many(pool, f"[{','.join(texts)}]") if texts else []
    answered = iter(rows)
    results = [_refused(fault) if fault else _result(next(answered)) for fault in faults]
    refused = sum(item.error is not UNSET for item in results)
    return BatchAnswer(accepted=len(results) - refused, refused=refused, results=results)


def _read(body: bytes, *, is_array: bool) -> tuple[list[str], list[GnomonError | None]]:
    items = _items_of_array(body) if is_array else [line for line in body.splitlines() if line.strip()]
    if len(items) > ITEM_LIMIT:
        raise BatchTooLong(f"The batch has {len(items)} items; one call takes {ITEM_LIMIT}.")
    texts: list[str] = []
    faults: list[GnomonError | None] = []
    for item in items:
        try:
            texts.append(strict_object(item)[1])
            faults.append(None)
        except RequestInvalid as fault:
            faults.append(fault)
    return texts, faults


def _items_of_array(body: bytes) -> Sequence[bytes | memoryview]:
    try:
        return [memoryview(item) for item in _ARRAY.decode(body)]
    except (msgspec.DecodeError, RecursionError) as fault:
        raise RequestInvalid(f"the batch is no JSON array: {fault}") from fault


def _result(row: ScheduledItem) -> BatchItem:
    if row.scheduled is not None:
        return BatchItem(schedule=row.scheduled)
    code = row.error_code or ""
    return _refused(error_of(code, row.error_detail, hint=row.error_hint, pointer=row.error_pointer))


def _refused(fault: GnomonError) -> BatchItem:
    return BatchItem(error=problem_of(fault))
