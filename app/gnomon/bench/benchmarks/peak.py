"""The whole life (schedule, fire, claim, settle) flat out, beside the floor.

Ours is what a poller and a worker do, over one connection and over two that share the shards (see gnomon.bench.life):
one-shots due at once, accepted 500 a call, fired, claimed and settled until nothing is left, polls included. The floor
inserts and deletes the same rows in the same tables by bare SQL, 500 a statement and transaction, and calls no function
of ours (see gnomon.bench.floor); its rows are those that the engine wrote. It leaves out the claim, an update of each
delivery; a second floor that does it too is shown beside it and judges nothing.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from statistics import median
from typing import Final, TypeVar

from gnomon.bench import calm, floor
from gnomon.bench.benchmark import Bar, Benchmark, Line, Measured, Run
from gnomon.bench.life import STEPS, batches, hands
from gnomon.bench.rounds import ROUNDS, alternate, middle
from gnomon.bench.stage import require_empty

T = TypeVar("T")

_OURS: Final = "gnomon"
_FLOOR: Final = "floor"
_WITH_CLAIM: Final = "floor with claim"
_DRIVER: Final = "CPU of the driver"
_CONNECTIONS: Final = (1, 2)

_COUNT: Final = 30_000
_SMALL: Final = 1_000
_WARM_UP: Final = 2_000

_OF_THE_FLOOR: Final = 0.5
_GOAL: Final = 11_500.0
"""Notifications a second: a billion a day."""


class NotSettled(RuntimeError):
    """Not everything that was accepted was settled."""


async def _measure(run: Run) -> Measured:
    await require_empty(run.pool)
    count = _SMALL if run.is_small else _COUNT
    run.say("keeping the rows of a life")
    async with hands(run.url, 1) as (first,):
        await floor.prepare(run.pool, first, count, _CONNECTIONS)
    try:
        sides = {}
        for number in _CONNECTIONS:
            sides[_side(_OURS, number)] = partial(_ours, run, number, count)
            sides[_side(_FLOOR, number)] = partial(_floor, run, number, count)
            sides[_side(_WITH_CLAIM, number)] = partial(_floor, run, number, count, with_claim=True)
        run.say("warming up")
        await _ours(run, 1, min(count, _WARM_UP))
        rounds = await alternate(sides, 1 if run.is_small else ROUNDS, run.say)
    finally:
        await floor.forget(run.pool)
    return _told(run, rounds, count)


async def _ours(run: Run, number: int, count: int) -> dict[str, float]:
    await _begin(run)
    async with hands(run.url, number) as made:
        work = [partial(hand.live, batches(hand, count // number)) for hand in made]
        seconds, own, settled = await _together(work)
        if sum(settled) != count // number * number:
            raise NotSettled(f"{sum(settled)} of {count} were settled")
        return _rate(count, seconds, own, [hand.seconds for hand in made])


async def _floor(run: Run, number: int, count: int, *, with_claim: bool = False) -> dict[str, float]:
    await _begin(run)
    async with hands(run.url, number) as made:
        work = [partial(floor.live, hand, place, number, with_claim=with_claim) for place, hand in enumerate(made)]
        seconds, own, spent = await _together(work)
        await floor.check(run.pool, count)
        return _rate(count, seconds, own, spent)


async def _begin(run: Run) -> None:
    """Every round on tables that were just vacuumed, after a checkpoint."""
    await floor.clear_logs(run.pool)
    if run.is_small:
        return
    await calm.vacuum(run.pool, calm.WORKED)
    await calm.checkpoint(run.pool)


async def _together(work: Sequence[Callable[[], Awaitable[T]]]) -> tuple[float, float, list[T]]:
    """Seconds of the wall, seconds of our own CPU, results."""
    began, worked = time.perf_counter(), time.process_time()
    done = await asyncio.gather(*(each() for each in work))
    return time.perf_counter() - began, time.process_time() - worked, list(done)


def _rate(count: int, seconds: float, own: float, spent: list[dict[str, float]]) -> dict[str, float]:
    """Notifications a second, and microseconds a notification: in each step over all connections, and of the driver."""
    steps = {step: sum(each[step] for each in spent) / count * 1e6 for step in spent[0]}
    return {"rate": count / seconds} | steps | {_DRIVER: own / count * 1e6}


def _side(what: str, number: int) -> str:
    return f"{what}, {number} conn."


def _told(run: Run, rounds: list[dict[str, dict[str, float]]], count: int) -> Measured:
    bars = [
        Bar(
            what=f"share of the floor, {number} connection{'s' * (number > 1)}",
            value=median(found[_side(_OURS, number)]["rate"] / found[_side(_FLOOR, number)]["rate"] for found in rounds),
            bar=_OF_THE_FLOOR,
            is_ceiling=False,
        )
        for number in _CONNECTIONS
    ]
    sides = (_OURS, _FLOOR, _WITH_CLAIM)
    lines = [
        Line(
            what=f"whole lives, {number} connection{'s' * (number > 1)}",
            values={side: middle(rounds, _side(side, number), "rate") for side in sides},
            unit="/s",
        )
        for number in _CONNECTIONS
    ]
    lines += [
        Line(what=f"{step}, 1 connection", values={side: middle(rounds, _side(side, 1), step) for side in sides})
        for step in (*STEPS, _DRIVER)
    ]
    best = max(line.values[_OURS] for line in lines[: len(_CONNECTIONS)])
    notes = [f"{best:,.0f} whole lives a second: {best / _GOAL:.0%} of the goal of {_GOAL:,.0f}"]
    if run.is_small:
        notes = ["small: too short for bars, none was judged"]
    return Measured(
        bars=() if run.is_small else bars,
        lines=lines,
        rounds=rounds,
        versions={},
        settings={"notifications": count, "connections": _CONNECTIONS, "goal_a_second": _GOAL, "small": run.is_small},
        notes=notes,
    )


BENCHMARK: Final = Benchmark(what="the whole life flat out, beside the same rows moved by bare SQL", measure=_measure)
