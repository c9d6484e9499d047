"""What one poll, one cancel and one pending list take with 170,000 and with 17 million schedules pending.

Both sides are databases of one server, filled alike: users with ten daily schedules in their own zone and seven one-shots in
the next 30 days, vacuumed and analyzed. Nothing is due. The schedules that are cancelled and the users that are listed have
not been looked at before: with 17 million, what they need is not in the server's memory.
"""

import itertools
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from statistics import median, quantiles
from typing import Final

from gnomon.bench import calm
from gnomon.bench.benchmark import Bar, Benchmark, Line, Measured, Run
from gnomon.bench.fill import Fill, Filled, fill
from gnomon.bench.poll import EMPTY_POLL, poll_parameters
from gnomon.bench.rounds import ROUNDS, alternate, middle
from gnomon.bench.stage import another_database, require_empty
from gnomon.database.call import one, rows
from gnomon.database.pool import Pool

_RECURRING: Final = 10
_ONCE: Final = 7
_USERS: Final = 10_000
_TIMES: Final = 100
_TIMES_SMALL: Final = 10
_TIMES_FULL: Final = 590
"""100 million and a little."""

_ACTS: Final = ("poll", "cancel", "pending list")
_REPEATS: Final = 60
_WARM_UP: Final = 10

_AT_MOST: Final = 1.3
_BUFFERS: Final = 8.0
_SHARDS: Final = 64

_CANCEL: Final = "select status from gnomon.cancel_schedule(gnomon_data.id_text('sch', %s))"
_LIST: Final = "select count(*) as count from gnomon.pending_schedules(%s)"


class NotPending(RuntimeError):
    """What was to be cancelled or listed is not there: the fill or the engine is broken."""


async def _measure(run: Run) -> Measured:
    await require_empty(run.pool)
    few = _USERS // 100 if run.is_small else _USERS
    many = few * (_TIMES_FULL if run.is_full else _TIMES_SMALL if run.is_small else _TIMES)
    async with another_database(run.pool, run.url, "gnomon_bench_few") as beside:
        pools, filled, sides = {}, {}, {}
        for users, pool in ((few, beside), (many, run.pool)):
            wanted = Fill(users=users, recurring=_RECURRING, once=_ONCE)
            name = f"{wanted.schedules:,}"
            run.say(f"filling {name}")
            filled[name] = await fill(pool, wanted, run.say)
            pools[name] = pool
            sides[name] = partial(_side, pool, iter(filled[name].ids), _users(filled[name]), run)
        for side in sides.values():
            await side()
        rounds = await alternate(sides, 1 if run.is_small else ROUNDS, run.say)
        touched = {
            name: await calm.buffers(pool, EMPTY_POLL, await poll_parameters(pool)) / _SHARDS for name, pool in pools.items()
        }
    return _told(run, rounds, touched, filled)


async def _side(pool: Pool, ids: Iterator[str], users: Iterator[str], run: Run) -> dict[str, float]:
    """Milliseconds of each act: median and 95th percentile."""
    repeats = _WARM_UP if run.is_small else _REPEATS
    await calm.checkpoint(pool)
    found: dict[str, float] = {}
    for name, act in (
        ("poll", partial(_poll, pool)),
        ("pending list", partial(_list, pool, users)),
        ("cancel", partial(_cancel, pool, ids)),
    ):
        for _ in range(_WARM_UP // 2):
            await act()
        taken = [await _ms(act) for _ in range(repeats)]
        found |= {name: median(taken), f"{name} p95": quantiles(taken, n=20)[-1]}
    return found


async def _ms(act: Callable[[], Awaitable[None]]) -> float:
    began = time.perf_counter()
    await act()
    return (time.perf_counter() - began) * 1e3


async def _poll(pool: Pool) -> None:
    await rows(pool, EMPTY_POLL, await poll_parameters(pool))


async def _cancel(pool: Pool, ids: Iterator[str]) -> None:
    answer = await one(pool, _CANCEL, [next(ids)])
    if answer["status"] != "cancelled":
        raise NotPending(f"a cancel answered {answer['status']}")


async def _list(pool: Pool, users: Iterator[str]) -> None:
    found = await one(pool, _LIST, [next(users)])
    if not found["count"]:
        raise NotPending("a pending list is empty")


def _users(filled: Filled) -> Iterator[str]:
    """Users far from each other, none twice before all have come."""
    step = next(step for step in (7919, 7, 1) if filled.users % step)
    return (f"{filled.prefix}_{number * step % filled.users + 1}" for number in itertools.count())


def _told(
    run: Run, rounds: Sequence[dict[str, dict[str, float]]], touched: dict[str, float], filled: dict[str, Filled]
) -> Measured:
    few, many = touched
    found = list(rounds)
    bars = [
        *(
            Bar(
                what=f"{act}: {many} pending over {few}, times",
                value=median(one_round[many][act] / one_round[few][act] for one_round in found),
                bar=_AT_MOST,
            )
            for act in _ACTS
        ),
        Bar(what=f"buffers of an empty poll, a shard, {many} pending", value=touched[many], bar=_BUFFERS),
    ]
    lines = [
        *(Line(what=act, values={side: middle(found, side, act) for side in touched}, unit="ms") for act in _ACTS),
        *(
            Line(what=f"{act}, p95", values={side: middle(found, side, f"{act} p95") for side in touched}, unit="ms")
            for act in _ACTS
        ),
        Line(what="buffers of an empty poll, a shard", values=touched, unit="buffers"),
        Line(what="filling", values={side: made.seconds for side, made in filled.items()}, unit="s"),
    ]
    return Measured(
        bars=() if run.is_small else bars,
        lines=lines,
        rounds=found,
        versions={},
        settings={"recurring_a_user": _RECURRING, "once_a_user": _ONCE, "repeats": _REPEATS, "small": run.is_small},
        notes=["small: too few rows for bars, none was judged"] if run.is_small else [],
    )


BENCHMARK: Final = Benchmark(what="a poll, a cancel and a pending list, few pending beside millions", measure=_measure)
