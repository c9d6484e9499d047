"""The peak with somebody's snapshot held open elsewhere, and after it: dead rows cannot go, and must cost little.

Two connections drive whole lives as in `peak`, in bursts by turns. A spread burst lives eight batches at a time, due as
they come; of a herd burst everything is accepted first, due within one minute, and what is timed is firing, claiming
and settling it. Each state of a round goes on for --minutes: without the snapshot, with it held open, after it has
ended. A held snapshot comes before its end, so that the order of the states is always this; rounds begin vacuumed. The
rates and the dead rows that the statistics tell at the end of each state are shown.
"""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from statistics import median
from typing import Final

from gnomon.bench import calm
from gnomon.bench.benchmark import Bar, Benchmark, Line, Measured, Run
from gnomon.bench.life import Hand, batches, hands
from gnomon.bench.rounds import ROUNDS, middle
from gnomon.bench.stage import require_empty
from gnomon.database.pool import Pool, connection_of

_HANDS: Final = 2
_BURST: Final = 8_000
_SMALL_BURST: Final = 1_000
_AT_LEAST: Final = 0.9

_WITHOUT: Final = "without"
_HELD: Final = "held"
_AFTER: Final = "after"
_STATES: Final = (_WITHOUT, _HELD, _AFTER)
_SPREAD: Final = "spread"
_HERD: Final = "herd minute"
_KINDS: Final = (_SPREAD, _HERD)


async def _measure(run: Run) -> Measured:
    await require_empty(run.pool)
    burst = _SMALL_BURST if run.is_small else _BURST
    rounds = []
    async with hands(run.url, _HANDS) as made:
        users = itertools.count(0, burst * 2)
        await _burst(made, users, burst, _SPREAD)
        for number in range(1 if run.is_small else ROUNDS):
            await calm.vacuum(run.pool, calm.WORKED)
            found = {}
            for state in _STATES:
                run.say(f"round {number + 1}: {state}")
                async with _snapshot(run.pool, is_held=state == _HELD):
                    found[state] = await _state(run, made, users, burst)
            rounds.append(found)
    return _told(run, rounds, burst)


async def _state(run: Run, made: Sequence[Hand], users: Iterator[int], burst: int) -> dict[str, float]:
    """Notifications a second of each kind, over --minutes, and the dead rows at the end."""
    await calm.checkpoint(run.pool)
    until = time.monotonic() + (0 if run.is_small else run.minutes * 60)
    seconds = dict.fromkeys(_KINDS, 0.0)
    bursts = 0
    while not bursts or time.monotonic() < until:
        for kind in _KINDS:
            seconds[kind] += await _burst(made, users, burst, kind)
        bursts += 1
    rates = {kind: bursts * burst / seconds[kind] for kind in _KINDS}
    return rates | {"dead rows": await calm.dead_rows(run.pool)}


async def _burst(made: Sequence[Hand], users: Iterator[int], burst: int, kind: str) -> float:
    """The seconds of one burst, of users who had none before."""
    behind = next(users)
    pairs = [(hand, batches(hand, burst // len(made), behind)) for hand in made]
    if kind == _HERD:
        await asyncio.gather(*(_accept(hand, asked) for hand, asked in pairs))
    began = time.perf_counter()
    if kind == _HERD:
        await asyncio.gather(*(_drain(hand) for hand in made))
    else:
        await asyncio.gather(*(hand.live(asked) for hand, asked in pairs))
    return time.perf_counter() - began


async def _accept(hand: Hand, requests: Sequence[str]) -> None:
    for batch in requests:
        await hand.accept(batch)


async def _drain(hand: Hand) -> None:
    await hand.fire()
    await hand.deliver()


@asynccontextmanager
async def _snapshot(pool: Pool, *, is_held: bool) -> AsyncIterator[None]:
    """A transaction that has looked once and stays open, as somebody's forgotten report does."""
    if not is_held:
        yield
        return
    async with connection_of(pool) as connection:
        await connection.execute("begin isolation level repeatable read")
        await connection.execute("select count(*) from gnomon_data.horizon")
        try:
            yield
        finally:
            await connection.execute("rollback")


def _told(run: Run, rounds: list[dict[str, dict[str, float]]], burst: int) -> Measured:
    bars = [
        Bar(
            what=f"{kind}: rate {state}, of that without",
            value=median(found[state][kind] / found[_WITHOUT][kind] for found in rounds),
            bar=_AT_LEAST,
            is_ceiling=False,
        )
        for kind in _KINDS
        for state in (_HELD, _AFTER)
    ]
    lines = [
        *(Line(what=kind, values={state: middle(rounds, state, kind) for state in _STATES}, unit="/s") for kind in _KINDS),
        Line(what="dead rows", values={state: middle(rounds, state, "dead rows") for state in _STATES}, unit="rows"),
    ]
    return Measured(
        bars=() if run.is_small else bars,
        lines=lines,
        rounds=rounds,
        versions={},
        settings={"burst": burst, "connections": _HANDS, "minutes_a_state": run.minutes, "small": run.is_small},
        notes=["small: too short for bars, none was judged"] if run.is_small else [],
    )


BENCHMARK: Final = Benchmark(what="the peak with a snapshot held open elsewhere, and after it", measure=_measure)
