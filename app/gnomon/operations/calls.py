"""The SQL functions of mass operations."""

from typing import Final

from gnomon.database.call import one
from gnomon.database.pool import Pool
from gnomon.operations.shapes import Kind, Operation
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


async def begin(pool: Pool, kind: Kind, target: Target) -> Operation:
    """Cancel, pause or resume everything of the target that was accepted before."""
    return await one(pool, _BEGIN[kind, target.scope], target.words, shape=Operation)


async def find_operation(pool: Pool, operation_id: str) -> Operation:
    """An operation and how far its sweep has come."""
    return await one(pool, "select * from gnomon.find_operation(%s)", (operation_id,), shape=Operation)
