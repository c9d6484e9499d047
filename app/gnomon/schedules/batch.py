"""Batches: split into items without reading them, each item read strictly on its own, the good ones in one call.

    body -> raw items -> strict reading, item by item -> gnomon.schedule_many(the good ones) -> results in the given order

So an item that no jsonb can hold (a NUL character, a name given twice) spoils no other either. Only what cannot be split
refuses the whole: an array that is not JSON, more than 10,000 items.
"""

import asyncio
import json
import re
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
from gnomon.web.strict_json import strict_object, utf8_text

BATCH_TYPES: Final = (JSON_TYPE, *NDJSON_TYPES)
ITEM_LIMIT: Final = 10_000

# Lenient on purpose: it only finds where an item ends; what the item is worth the strict reading decides.
_SPLITTER: Final = json.JSONDecoder(parse_int=str, parse_float=str)
_SPACE: Final = re.compile(r"[ \t\n\r]*")


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
    text = utf8_text(body)
    items = _items_of_array(text) if is_array else [line for line in text.split("\n") if line.strip()]
    if len(items) > ITEM_LIMIT:
        raise BatchTooLong(f"The batch has {len(items)} items; one call takes {ITEM_LIMIT}.")
    texts: list[str] = []
    faults: list[GnomonError | None] = []
    for item in items:
        try:
            strict_object(item)
            texts.append(item)
            faults.append(None)
        except RequestInvalid as fault:
            faults.append(fault)
    return texts, faults


def _items_of_array(text: str) -> list[str]:
    """The items of a JSON array as they stand in it. Raises RequestInvalid when it ends early or is none."""
    items: list[str] = []
    at = _expected("[", text, 0)
    while text[at : at + 1] != "]" or items:
        try:
            _, end = _SPLITTER.raw_decode(text, at)
        except json.JSONDecodeError as fault:
            raise _no_array(text, fault.pos, fault.msg) from fault
        except RecursionError as fault:
            raise _no_array(text, at, "nested too deeply") from fault
        items.append(text[at:end])
        at = _after_space(text, end)
        if text[at : at + 1] == "]":
            break
        at = _expected(",", text, at)
    _expected("", text, _after_space(text, at + 1))
    return items


def _expected(mark: str, text: str, at: int) -> int:
    """Where the next item begins, behind this mark; the empty mark is the end of the text."""
    at = _after_space(text, at)
    if text[at : at + 1] != mark:
        raise _no_array(text, at, f"expected {mark or 'the end'}")
    return _after_space(text, at + 1)


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _no_array(text: str, at: int, reason: str) -> RequestInvalid:
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return RequestInvalid(f"the batch is no JSON array at line {line}, column {column}: {reason}")


def _result(row: ScheduledItem) -> BatchItem:
    if row.scheduled is not None:
        return BatchItem(schedule=row.scheduled)
    code = row.error_code or ""
    return _refused(error_of(code, row.error_detail, hint=row.error_hint, pointer=row.error_pointer))


def _refused(fault: GnomonError) -> BatchItem:
    return BatchItem(error=problem_of(fault))
