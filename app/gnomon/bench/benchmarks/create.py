"""Recurring local-time schedules: how many are made a second, and how large each is once it has fired twice."""

import asyncio
import json
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from functools import partial
from statistics import median
from typing import Any, Final, TypeAlias

from gnomon.bench.benchmark import Bar, Benchmark, Line, Measured, Run
from gnomon.bench.calm import checkpoint
from gnomon.bench.cpu import seconds_of_trees, server_of
from gnomon.bench.databases import Databases, databases_of
from gnomon.bench.processes import ProgramEnded
from gnomon.bench.rivals import Rival, Rivals
from gnomon.bench.rounds import ROUNDS, Round, Side, alternate, middle
from gnomon.database.call import one, quoted, rows
from gnomon.database.migrate import upgrade
from gnomon.database.pool import Pool, open_pool
from gnomon.database.virtual_clock import MARK
from gnomon.testing import VirtualTime

Pill: TypeAlias = tuple[str, str, str, int, int]
"""Key, user, zone, hour and minute of the day."""

_OURS: Final = "gnomon"
_BULLMQ: Final = "bullmq"
_COUNT: Final = 100_000
_CHUNK: Final = 500
_SESSIONS: Final = 2
_TIMES_BULLMQ: Final = 15
_BYTES: Final = 700
_FIRES: Final = 2
_STEPS: Final = 25
"""Hours that pass for a day, since where the clocks are set back it has so many."""

_ZONES: Final = (
    *("America/Anchorage", "America/Bogota", "America/Chicago", "America/Denver", "America/Halifax", "America/Los_Angeles"),
    *("America/Mexico_City", "America/New_York", "America/Sao_Paulo", "Africa/Cairo", "Africa/Johannesburg", "Africa/Lagos"),
    *("Asia/Dubai", "Asia/Kolkata", "Asia/Manila", "Asia/Shanghai", "Asia/Singapore", "Asia/Tokyo", "Australia/Sydney"),
    *("Europe/Berlin", "Europe/Istanbul", "Europe/London", "Europe/Madrid", "Pacific/Auckland"),
)
_FIRST_HOUR: Final = 6
_HOURS: Final = 16
_EVERY: Final = 15
"""Minutes: pills are taken at quarters of an hour."""

_ASK: Final = "select error_code, error_detail from gnomon.schedule_many(%s::jsonb) where error_code is not null"
_COUNTED: Final = "select count(*) as count, min(fired_count) as fired from gnomon_data.schedules where is_recurring"
_SIZES: Final = """
select case when c.relname like 'schedules%' then 'schedules'
            when c.relname like 'timers%' then 'timers' else 'keys' end as what,
       sum(pg_total_relation_size(c.oid)) as size, array_agg(c.oid::regclass::text) as tables
  from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
 where n.nspname = 'gnomon_data' and c.relkind = 'r'
   and (c.relname like 'schedules%' or c.relname like 'timers%' or c.relname = 'schedule_keys')
 group by 1
"""


_SIZE_NOTE: Final = (
    "bytes of ours: tables and indexes of schedules, timers and keys, less what they hold when empty, after two virtual "
    "days of firing, delivering, upkeep and VACUUM; of BullMQ: Redis's used_memory, before any has fired"
)


class Incomplete(ProgramEnded):
    """Not every schedule was made or fired."""

    hint = "no number of such a run counts"


async def _measure(run: Run) -> Measured:
    count = _COUNT // 100 if run.is_small else _COUNT
    pills = [_pill(number) for number in range(count)]
    rivals = Rivals()
    await rivals.install(run, [_BULLMQ])
    async with databases_of(run) as databases:
        sides: dict[str, Side] = {_OURS: partial(_ours, run, databases, pills, {})}
        for name, rival in rivals.all.items():
            sides[name] = rivals.forgiven(run, name, partial(_bullmq, rivals, rival, count))
        rounds = rivals.kept(await alternate(sides, count=1 if run.is_small else ROUNDS, say=run.say))
    notes = [
        *rivals.notes,
        *(["small: too few for bars, none was judged"] if run.is_small else []),
        _SIZE_NOTE,
    ]
    return Measured(
        bars=() if run.is_small else _bars(rounds),
        lines=[
            Line(what="make one", values={side: middle(rounds, side, "us") for side in rounds[0]}),
            Line(what="CPU of one", values={side: middle(rounds, side, "cpu_us") for side in rounds[0]}),
            Line(what="size of one", unit="bytes", values={side: middle(rounds, side, "bytes") for side in rounds[0]}),
            *(
                Line(what=f"of it {part}", unit="bytes", values={_OURS: middle(rounds, _OURS, part)})
                for part in ("schedules", "timers", "keys")
            ),
        ],
        rounds=rounds,
        versions=rivals.versions,
        settings={
            "count": count,
            "chunk": _CHUNK,
            "zones": len(_ZONES),
            _OURS: {"sessions": _SESSIONS, "fires": _FIRES},
            "peers": rivals.settings,
            "small": run.is_small,
        },
        notes=notes,
    )


def _pill(number: int) -> Pill:
    """Zones and times go through all their pairs, so that neighbours of a chunk have little in common."""
    minutes = number // len(_ZONES) * _EVERY % (_HOURS * 60)
    zone = _ZONES[number % len(_ZONES)]
    return f"pill-{number}", f"u_{number // 4}", zone, _FIRST_HOUR + minutes // 60, minutes % 60


async def _ours(run: Run, databases: Databases, pills: Sequence[Pill], sized: dict[str, float]) -> dict[str, float]:
    """One round; sized holds what one of them is large, once that is known."""
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(databases.fresh(_OURS))
        await asyncio.to_thread(upgrade, url)
        pool = await stack.enter_async_context(
            open_pool(url, min_size=_SESSIONS, max_size=_SESSIONS, application_name="create")
        )
        await pool.wait()
        empty = await _sizes(pool)
        await checkpoint(run.pool)
        server = await server_of(run.pool)
        own, used, began = time.process_time(), seconds_of_trees(server), time.perf_counter()
        await _ask(pool, pills)
        seconds = time.perf_counter() - began
        cpu = seconds_of_trees(server) - used + time.process_time() - own
        if (made := (await one(pool, _COUNTED))["count"]) != len(pills):
            raise Incomplete(f"{made} of {len(pills)} were made")
        told = {"seconds": seconds, "us": seconds / len(pills) * 1e6, "cpu_us": cpu / len(pills) * 1e6}
        if not sized:  # the same every time, and it takes minutes
            run.say(f"{len(pills) / seconds:,.0f} a second; firing each of them twice")
            await _fire(url, pool, len(pills))
            each = {what: (size - empty[what]) / len(pills) for what, size in (await _sizes(pool)).items()}
            sized.update(each, bytes=sum(each.values()))
    return {**told, **sized}


async def _ask(pool: Pool, pills: Sequence[Pill]) -> None:
    """Chunks by as many sessions beside each other as there are."""
    left = iter(range(0, len(pills), _CHUNK))

    async def session() -> None:
        for first in left:
            asked = json.dumps([_request(pill) for pill in pills[first : first + _CHUNK]])
            if refused := await rows(pool, _ASK, (asked,)):
                raise Incomplete(f"{len(refused)} were refused, the first one for {refused[0]}")

    async with asyncio.TaskGroup() as sessions:
        for _ in range(_SESSIONS):
            sessions.create_task(session())


def _request(pill: Pill) -> dict[str, Any]:
    key, user, zone, hour, minute = pill
    return {
        "user_id": user,
        "template_id": "pill",
        "key": key,
        "schedule_at": f"{hour:02}:{minute:02}",
        "timezone": zone,
        "recurrence": {"pattern": "daily"},
    }


async def _fire(url: str, pool: Pool, count: int) -> None:
    """Let days pass in virtual time, in hours, vacuuming after each day as autovacuum would."""
    database = (await one(pool, "select current_database() as name"))["name"]
    name, value = MARK.split("=")
    await rows(pool, f"alter database {quoted(database)} set {name} = '{value}'")
    virtual_time = await asyncio.to_thread(VirtualTime, url, upkeep_every=timedelta(days=1))
    try:
        for _ in range(_FIRES):
            for _ in range(_STEPS):
                await asyncio.to_thread(virtual_time.advance, timedelta(hours=1))
            for part in await rows(pool, _SIZES):
                await rows(pool, f"vacuum {', '.join(part['tables'])}")
    finally:
        await asyncio.to_thread(virtual_time.close)
    fired = (await one(pool, _COUNTED))["fired"]
    if fired < _FIRES:
        raise Incomplete(f"of {count} some were fired {fired} times only")


async def _sizes(pool: Pool) -> dict[str, float]:
    return {row["what"]: float(row["size"]) for row in await rows(pool, _SIZES)}


async def _bullmq(rivals: Rivals, rival: Rival, count: int) -> dict[str, float]:
    async with rivals.redis_of(rival) as redis:
        assert redis is not None
        wanted = {"zones": _ZONES, "first_hour": _FIRST_HOUR, "hours": _HOURS, "every": _EVERY, "count": count}
        used, empty = seconds_of_trees(redis.pid), await redis.used_memory()
        told = await rival.run({"work": "create", "redis_port": redis.port, "chunk": _CHUNK, **wanted})
        used = seconds_of_trees(redis.pid) - used
        size = await redis.used_memory() - empty
    if told["count"] != count:
        raise Incomplete(f"{told['count']} of {count} were made")
    return {
        "seconds": told["seconds"],
        "us": told["seconds"] / count * 1e6,
        "cpu_us": (used + told["cpu_s"]) / count * 1e6,
        "bytes": size / count,
    }


def _bars(rounds: list[Round]) -> list[Bar]:
    bars = []
    if _BULLMQ in rounds[0]:
        ratio = median(found[_BULLMQ]["us"] / found[_OURS]["us"] for found in rounds)
        bars.append(Bar(what="rate, times BullMQ's", value=ratio, bar=_TIMES_BULLMQ, is_ceiling=False))
    bars.append(Bar(what="bytes a schedule that has fired twice", value=middle(rounds, _OURS, "bytes"), bar=_BYTES))
    return bars


BENCHMARK: Final = Benchmark(what="100,000 daily pills made, and their size after two fires", measure=_measure)
