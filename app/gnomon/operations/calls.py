"""The SQL functions of mass operations, one typed function each, under the same name."""

from gnomon.database.call import one
from gnomon.database.pool import Pool
from gnomon.operations.shapes import Operation


async def cancel_by_label(pool: Pool, name: str, value: str) -> Operation:
    """Cancel everything with this label that was accepted before."""
    return await one(pool, "select * from gnomon.cancel_by_label(%s, %s)", (name, value), shape=Operation)


async def cancel_by_user(pool: Pool, user_id: str) -> Operation:
    """Cancel everything of this user that was accepted before."""
    return await one(pool, "select * from gnomon.cancel_by_user(%s)", (user_id,), shape=Operation)


async def cancel_by_template(pool: Pool, template_id: str) -> Operation:
    """Cancel everything of this template that was accepted before."""
    return await one(pool, "select * from gnomon.cancel_by_template(%s)", (template_id,), shape=Operation)


async def find_operation(pool: Pool, operation_id: str) -> Operation:
    """An operation and how far its sweep has come."""
    return await one(pool, "select * from gnomon.find_operation(%s)", (operation_id,), shape=Operation)
