"""The SQL functions of mass operations."""

from typing import Any, Final

import msgspec

from gnomon.database.call import one
from gnomon.database.pool import Pool
from gnomon.operations.shapes import Kind, Operation, Refusal
from gnomon.operations.targets import Target

_BEGIN: Final = {
    ("cancel", "label"): "select * from gnomon.cancel_by_label(%s, %s)",
    ("cancel", "user"): "select * from gnomon.cancel_by_user(%s)",
    ("cancel", "template"): "select * from gnomon.cancel_by_template(%s)",
    ("pause", "label"): "select * from gnomon.pause_by_label(%s, %s)",
    ("pause", "user"): "select * from gnomon.pause_by_user(%s)",
    ("pause", "template"): "select * from gnomon.pause_by_template(%s)",
    ("resume", "label"): "select * from gnomon.resume_by_label(%s, %s)",
    ("resume", "user"): "select * from gnomon.resume_by_user(%s)",
    ("resume", "template"): "select * from gnomon.resume_by_template(%s)",
}


_BEGIN_RESCHEDULE: Final = {
    "label": "select * from gnomon.reschedule_by_label(%s, %s, %s::jsonb)",
    "user": "select * from gnomon.reschedule_by_user(%s, %s::jsonb)",
    "template": "select * from gnomon.reschedule_by_template(%s, %s::jsonb)",
}


async def begin(pool: Pool, kind: Kind, target: Target) -> Operation:
    """Cancel, pause or resume everything of the target that was accepted before."""
    return await one(pool, _BEGIN[kind, target.scope], target.words, shape=Operation)


async def begin_reschedule(pool: Pool, target: Target, change: str) -> Operation:
    """Merge this JSON object into the request of everything of the target that was accepted before."""
    words = (*target.words, change)
    begun = await one(pool, _BEGIN_RESCHEDULE[target.scope], words, shape=Operation)
    return msgspec.structs.replace(begun, change=msgspec.Raw(change.encode()), refused_count=0, refusals=[])


async def find_operation(pool: Pool, operation_id: str) -> Operation:
    """An operation and how far its sweep has come."""
    sql = """
        select operation_id, kind, scope, name, value, status, swept_count, walked, created_at_utc, done_at_utc,
               change::text as change, refused_count, refusals
          from gnomon.describe_operation(%s)"""
    return await one(pool, sql, (operation_id,), shape=_operation)


def _operation(
    *,
    kind: str,
    change: str | None,
    refused_count: int,
    refusals: list[dict[str, Any]],
    **columns: Any,  # noqa: ANN401  # the columns of the row
) -> Operation:
    if kind != "reschedule":
        return Operation(kind=kind, **columns)
    return Operation(
        kind=kind,
        change=msgspec.Raw((change or "null").encode()),
        refused_count=refused_count,
        refusals=msgspec.convert(refusals, list[Refusal]),
        **columns,
    )
