"""What upkeep calls: periods, and what need no longer be kept."""

from datetime import timedelta
from typing import NamedTuple

from gnomon.database.call import one, quoted, rows
from gnomon.database.pool import Pool


class PeriodBehind(NamedTuple):
    """A partition by time that lies behind."""

    parent_table: str
    period_table: str
    is_droppable: bool


class HorizonHolder(NamedTuple):
    """A session, prepared transaction, slot or standby; `held_for` is None where the server does not tell."""

    kind: str
    pid: int | None
    user_name: str | None
    application: str | None
    state: str
    held_for: timedelta | None
    xid_age: int | None


async def make_periods(pool: Pool) -> int:
    """Make the partitions of the next days; how many were missing."""
    return await _count(pool, "select gnomon.make_periods() as done_count")


async def move_far(pool: Pool, at_most: int) -> int:
    """Move far timers whose period has come near."""
    return await _count(pool, "select gnomon.move_far(%s) as done_count", at_most)


async def forget_keys(pool: Pool, at_most: int) -> int:
    """Remove keys that need no longer be remembered."""
    return await _count(pool, "select gnomon.forget_keys(%s) as done_count", at_most)


async def forget_payloads(pool: Pool, at_most: int) -> int:
    """Remove long params that nothing points to any more."""
    return await _count(pool, "select gnomon.forget_payloads(%s) as done_count", at_most)


async def release_parked(pool: Pool, at_most: int) -> int:
    """Release deliveries that wait behind one that is gone."""
    return await _count(pool, "select gnomon.release_parked(%s) as done_count", at_most)


async def forget_set_aside(pool: Pool, at_most: int) -> int:
    """Remove notes of what was set aside and has been cancelled or changed since."""
    return await _count(pool, "select gnomon.forget_set_aside(%s) as done_count", at_most)


async def sweep_operations(pool: Pool, at_most: int) -> bool:
    """Really cancel the next schedules of a mass cancel; False when there is nothing to do for now."""
    return bool((await one(pool, "select gnomon.sweep_operations(%s) as is_sweeping", (at_most,)))["is_sweeping"])


async def renew_fingerprints(pool: Pool) -> int:
    """Remember the rules of zones two years ahead; how many zones have other rules than they had."""
    return await _count(pool, "select gnomon.renew_fingerprints() as done_count")


async def overdue_schedules(pool: Pool, at_most: int) -> list[str]:
    """Live schedules whose instant passed a minute ago: there should be none."""
    found = await rows(pool, "select schedule_id from gnomon.overdue_schedules(%s)", [at_most])
    return [row["schedule_id"] for row in found]


async def periods_ready(pool: Pool) -> int:
    """How many days beyond today have their partitions."""
    return await _count(pool, "select gnomon.periods_ready() as done_count")


async def balance_ledger(pool: Pool) -> tuple[int, int]:
    """Balance one shard of the ledger, each in its turn: which, and by how much it is off."""
    found = await one(pool, "select * from gnomon.balance_ledger()")
    return found["shard"], found["missing_count"]


async def fold_lateness(pool: Pool) -> None:
    """Count what was settled since the call before, so that nobody has to read the whole day."""
    await rows(pool, "select gnomon.fold_lateness()")


async def horizon_holders(pool: Pool) -> list[HorizonHolder]:
    """Who keeps dead rows from being cleared away, the longest first."""
    return await rows(pool, "select * from gnomon.horizon_holders()", shape=HorizonHolder)


async def periods_behind(pool: Pool) -> list[PeriodBehind]:
    """Periods that every safe mark, or their retention, has passed."""
    return await rows(
        pool, "select parent_table, period_table, is_droppable from gnomon.periods_behind()", shape=PeriodBehind
    )


async def reread_period(pool: Pool, period_table: str) -> int:
    """Insert anew what is left in a detached period."""
    return await _count(pool, "select gnomon.reread_period(%s) as done_count", period_table)


async def drop_period(pool: Pool, period_table: str) -> None:
    """Drop a detached period that was read again."""
    await rows(pool, "select gnomon.drop_period(%s)", [period_table])


async def leave_period(pool: Pool, period_table: str) -> None:
    """Let nobody write timers into a period any more, before it is detached."""
    await rows(pool, "select gnomon.leave_period(%s)", [period_table])


async def analyze(pool: Pool, table: str) -> None:
    """Let the planner look at a table and its partitions."""
    await rows(pool, f"analyze {quoted('gnomon_data', table)}")


async def detach_period(pool: Pool, parent_table: str, period_table: str) -> None:
    """Detach a period; waits for every transaction that uses the parent, and blocks none."""
    await rows(
        pool,
        f"alter table {quoted('gnomon_data', parent_table)}"
        f" detach partition {quoted('gnomon_data', period_table)} concurrently",
    )


async def finalize_period(pool: Pool, parent_table: str, period_table: str) -> None:
    """Bring a detach to its end that was interrupted."""
    await rows(
        pool,
        f"alter table {quoted('gnomon_data', parent_table)} detach partition {quoted('gnomon_data', period_table)} finalize",
    )


async def _count(pool: Pool, sql: str, *params: int | str) -> int:
    return int((await one(pool, sql, params))["done_count"])
