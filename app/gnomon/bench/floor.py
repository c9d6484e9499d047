"""The floor under a whole life: the same rows in and out of the same tables by bare SQL, and no function of ours.

The rows are those that the engine wrote for as many one-shots, kept aside in unlogged tables; columns, indexes and
partitions of the real tables are as they are. 500 notifications a statement and transaction, as with us:

    accept    insert schedules, timers, acceptances
    fire      delete timers and schedules by their keys, insert deliveries and occurrence_log
    claim     update deliveries as a claim does; left out of the floor that is the bar
    deliver   delete deliveries by their keys, insert delivery_log

What it does not do: read a request, compute an instant, look for what is due, lock, keep an order, tell anybody anything.
"""

import time
from collections.abc import Iterable
from typing import Final

from gnomon.bench.life import AT_ONCE, BATCH, Hand, batches
from gnomon.database.call import one, rows
from gnomon.database.pool import Pool

CLAIM: Final = "claim"

_SCHEMA: Final = "gnomon_bench"
_COLUMNS: Final = """
select string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
  from pg_catalog.pg_attribute as a where a.attrelid = %s::regclass and a.attnum > 0 and not a.attisdropped"""

_KEEP: Final = "create unlogged table gnomon_bench.{table} as select * from gnomon_data.{table}"
# accepted: batches as they come, over all shards; fired: shard by shard, as a fire and a claim meet them, within as many
# batches as live at a time. Both a hand.
_DEAL: Final = """
create unlogged table gnomon_bench.dealt as
with a as (select s.id, s.shard, s.shard * {hands} / 64 as hand,
                  (row_number() over (partition by s.shard * {hands} / 64 order by s.id) - 1) / {batch} as accepted
             from gnomon_bench.schedules as s)
select a.*, (row_number() over (partition by a.hand order by a.accepted / {at_once}, a.shard, a.id) - 1) / {batch} as fired
  from a"""
_MARK: Final = """
create unlogged table gnomon_bench.{table}_{hands} as
select x.*, b.hand, b.{step} as batch
  from gnomon_bench.{table} as x join gnomon_bench.dealt as b on b.id = x.{key}
 order by b.hand, b.{step}, x.shard, x.{key}"""

_TABLES: Final = ("schedules", "timers", "deliveries", "occurrence_log", "delivery_log")
_KEYS: Final = (
    ("schedules", "id"),
    ("timers", "subject_id"),
    ("deliveries", "schedule_id"),
    ("occurrence_log", "schedule_id"),
)
_STEP_OF: Final = {"schedules": "accepted", "timers": "accepted"}

_MINE: Final = "x.hand = %(hand)s and x.batch = %(batch)s"
_ACCEPT: Final = """
with s as (insert into gnomon_data.schedules ({schedules})
           select {schedules} from gnomon_bench.schedules_{hands} as x where {mine} order by x.shard, x.id),
     t as (insert into gnomon_data.timers ({timers})
           select {timers} from gnomon_bench.timers_{hands} as x where {mine} order by x.shard)
insert into gnomon_data.acceptances (accepted_on, shard, accepted_count)
select current_date, x.shard, count(*) from gnomon_bench.timers_{hands} as x where {mine} group by x.shard"""
_FIRE: Final = """
with t as (delete from gnomon_data.timers as t using gnomon_bench.due_{hands} as x
            where {mine} and t.fire_at_utc = x.fire_at_utc and t.shard = x.shard
              and t.lane = x.lane and t.subject_id = x.subject_id),
     s as (delete from gnomon_data.schedules as s using gnomon_bench.due_{hands} as x
            where {mine} and not s.is_recurring and s.shard = x.shard and s.id = x.subject_id),
     d as (insert into gnomon_data.deliveries ({deliveries})
           select {deliveries} from gnomon_bench.deliveries_{hands} as x where {mine} order by x.shard, x.id)
insert into gnomon_data.occurrence_log ({occurrence_log})
select {occurrence_log} from gnomon_bench.occurrence_log_{hands} as x where {mine}"""
_CLAIM: Final = """
update gnomon_data.deliveries as d
   set claim_id = gen_random_uuid(), claimed_at_utc = now(), claimed_until_utc = now() + interval '30 s',
       ready_at_utc = now() + interval '30 s', claimed_by = 'bench', attempt = d.attempt + 1, first_claimed_at_utc = now()
  from gnomon_bench.deliveries_{hands} as x
 where {mine} and d.lane = 1 and d.shard = x.shard and d.id = x.id"""
_DELIVER: Final = """
with d as (delete from gnomon_data.deliveries as d using gnomon_bench.deliveries_{hands} as x
            where {mine} and d.lane = 1 and d.shard = x.shard and d.id = x.id)
insert into gnomon_data.delivery_log ({delivery_log})
select {delivery_log} from gnomon_bench.delivery_log_{hands} as x where {mine}"""

_LAST: Final = "select max(x.batch) as batch from gnomon_bench.schedules_{hands} as x where x.hand = %s"
_LEFT: Final = """
select exists (select from gnomon_data.schedules) or exists (select from gnomon_data.timers)
       or exists (select from gnomon_data.deliveries) as is_left,
       (select count(*) from gnomon_data.delivery_log) as ended"""

_BY_KEY: Final = ("enable_seqscan", "enable_hashjoin", "enable_mergejoin", "enable_bitmapscan")


class FloorLeaks(RuntimeError):
    """The floor left rows behind or found too few: it did not do the same work."""


async def prepare(pool: Pool, hand: Hand, count: int, shares: Iterable[int]) -> None:
    """Let the engine live through `count` notifications once and keep each row that it writes."""
    await forget(pool)
    await rows(pool, f"create schema {_SCHEMA}")
    for batch in batches(hand, count):
        await hand.accept(batch)
    await _keep(pool, "schedules", "timers")
    await hand.fire()
    await _keep(pool, "deliveries", "occurrence_log")
    await hand.deliver()
    await _keep(pool, "delivery_log")
    for number in shares:
        await rows(pool, "drop table if exists gnomon_bench.dealt")
        await rows(pool, _DEAL.format(hands=number, batch=BATCH, at_once=AT_ONCE))
        for table, key in (*_KEYS, ("delivery_log", "schedule_id")):
            step = _STEP_OF.get(table, "fired")
            await rows(pool, _MARK.format(table=table, key=key, step=step, hands=number))
        due = _MARK.format(table="timers", key="subject_id", step="fired", hands=number)
        await rows(pool, due.replace(f"timers_{number} as", f"due_{number} as"))
        for table in ("schedules", "timers", "due", "deliveries", "occurrence_log", "delivery_log"):
            await rows(pool, f"create index on {_SCHEMA}.{table}_{number} (hand, batch)")
            await rows(pool, f"analyze {_SCHEMA}.{table}_{number}")
    await clear_logs(pool)


async def clear_logs(pool: Pool) -> None:
    """Empty what only grows: the floor writes the same keys again."""
    await rows(pool, "truncate gnomon_data.occurrence_log, gnomon_data.delivery_log, gnomon_data.acceptances")


async def forget(pool: Pool) -> None:
    """Drop what was kept."""
    await rows(pool, f"drop schema if exists {_SCHEMA} cascade")


async def live(hand: Hand, number: int, hands: int, *, with_claim: bool = False) -> dict[str, float]:
    """Move the kept rows of one hand of so many through their life; seconds of each step."""
    last = await one(hand.pool, _LAST.format(hands=hands), [number])
    named = {table: (await one(hand.pool, _COLUMNS, [f"gnomon_data.{table}"]))["columns"] for table in _TABLES}
    steps = {"accept": _ACCEPT, "fire": _FIRE, **({CLAIM: _CLAIM} if with_claim else {}), "deliver": _DELIVER}
    texts = {step: text.format(hands=hands, mine=_MINE, **named) for step, text in steps.items()}
    for setting in _BY_KEY:
        await rows(hand.pool, f"set {setting} = off")
    seconds = dict.fromkeys(steps, 0.0)
    total = last["batch"] + 1
    for first in range(0, total, AT_ONCE):
        for step, text in texts.items():
            began = time.perf_counter()
            for batch in range(first, min(first + AT_ONCE, total)):
                await rows(hand.pool, text, {"hand": number, "batch": batch})
            seconds[step] += time.perf_counter() - began
    for setting in _BY_KEY:
        await rows(hand.pool, f"reset {setting}")
    return seconds


async def check(pool: Pool, count: int) -> None:
    """Whether all came and went. Raises FloorLeaks."""
    found = await one(pool, _LEFT)
    if found["is_left"] or found["ended"] != count:
        raise FloorLeaks(f"{found['ended']} of {count} ended, rows left: {found['is_left']}")


async def _keep(pool: Pool, *tables: str) -> None:
    for table in tables:
        await rows(pool, _KEEP.format(table=table))
