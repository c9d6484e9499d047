"""A steady stream: so many a second are asked for, each due 5 to 60 s later and posted to a receiver; how late they arrive.

Ours is asked by HTTP, one request each, and delivers webhooks. A peer is asked through its own library, one call each, in a
process of its own, and a worker of it posts the same to the same receiver. The receiver notes when each arrived.
"""

import asyncio
import json
import math
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final

from gnomon.bench.benchmark import Bar, Benchmark, Line, Measured, Run
from gnomon.bench.calm import checkpoint
from gnomon.bench.cpu import seconds_of_trees, server_of
from gnomon.bench.databases import Databases, databases_of
from gnomon.bench.household import household, receiver
from gnomon.bench.lateness import lateness
from gnomon.bench.processes import ProgramEnded, running
from gnomon.bench.rivals import Rival, Rivals
from gnomon.bench.rounds import Round, Side, alternate, middle
from gnomon.database.migrate import upgrade
from gnomon.database.pool import open_pool
from gnomon.demo.receipts import Receipt, Receipts

_OURS: Final = "gnomon"
_PEERS: Final = ("bullmq", "graphile-worker")
_RATE: Final = 1157
"""100 million a day."""
_SMALL_RATE: Final = 50
_SMALL_S: Final = 6
_LATEST_S: Final = 60
_WARM_UP_S: Final = 10
_PATIENCE_S: Final = 60
_MINUTES: Final = 3
"""At least so many of each side, in rounds of --minutes."""
_P99_MS: Final = 250
_LAST_MS: Final = 1000
_OF_THE_BEST: Final = 4
_LOOK_EVERY_S: Final = 0.2
_CPU: Final = ("us_all", "us_server", "us_api", "us_poller", "us_worker", "us_receiver", "us_generator")
_PARTS: Final = ("p50_ms", "p95_ms", "p99_ms", "last_ms")


class Incomplete(ProgramEnded):
    """Not all that was accepted arrived."""

    hint = "no number of such a run counts"


class Load:
    """How much is asked for in one round."""

    def __init__(self, run: Run) -> None:
        """By the options of the run."""
        self.rate = _SMALL_RATE if run.is_small else _RATE
        self.seconds = _SMALL_S if run.is_small else run.minutes * 60
        self.rounds = 1 if run.is_small else max(1, math.ceil(_MINUTES / run.minutes))
        self.warm_up = 0 if run.is_small else min(_WARM_UP_S, self.seconds / 2)

    @property
    def wanted(self) -> dict[str, float]:
        """For a generator."""
        return {"rate": self.rate, "seconds": self.seconds}


async def _measure(run: Run) -> Measured:
    load = Load(run)
    rivals = Rivals()
    await rivals.install(run, _PEERS)
    async with databases_of(run) as databases:
        sides: dict[str, Side] = {_OURS: partial(_ours, run, databases, load)}
        for name, rival in rivals.all.items():
            sides[name] = rivals.forgiven(run, name, partial(_peer, run, databases, load, rivals, rival))
        rounds = rivals.kept(await alternate(sides, count=load.rounds, say=run.say))
    return Measured(
        bars=() if run.is_small else _bars(rounds),
        lines=[
            *(
                Line(
                    what=part.removesuffix("_ms"), unit="ms", values={side: middle(rounds, side, part) for side in rounds[0]}
                )
                for part in _PARTS
            ),
            *(
                Line(
                    what=f"CPU of one, {name.removeprefix('us_')}",
                    values={side: middle(rounds, side, name) for side in rounds[0] if name in rounds[0][side]},
                )
                for name in _CPU
            ),
        ],
        rounds=rounds,
        versions=rivals.versions,
        settings={
            **load.wanted,
            "rounds": load.rounds,
            _OURS: {"serve": 1, "poll": 1, "work": 1, "connections": 32},
            "peers": rivals.settings,
            "small": run.is_small,
        },
        notes=[*rivals.notes, *(["small: too short for bars, none was judged"] if run.is_small else []), *_NOTES],
    )


_NOTES: Final = (
    "what was due in the first seconds of a round is not counted",
    "'all' leaves receiver and generator out; a peer's generator is the program that asks, and stands for the API too",
)


async def _ours(run: Run, databases: Databases, load: Load) -> dict[str, float]:
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(databases.fresh(_OURS))
        await asyncio.to_thread(upgrade, url)
        pool = await stack.enter_async_context(open_pool(url, min_size=1, max_size=1, application_name="steady"))
        home = await stack.enter_async_context(household(pool, url, _folder(stack)))
        told = json.dumps({"address": await home.children["api"].address(), **load.wanted})
        generator = (sys.executable, "-m", "gnomon.bench.pour", told)
        groups = {name.partition("-")[0]: child.pid for name, child in home.children.items()}
        return await _poured(run, load, generator, {"server": await server_of(run.pool), **groups}, Receipts(home.received))


async def _peer(run: Run, databases: Databases, load: Load, rivals: Rivals, rival: Rival) -> dict[str, float]:
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(databases.fresh(rival.name.replace("-", "_")))
        redis = await stack.enter_async_context(rivals.redis_of(rival))
        received = _folder(stack) / "received.jsonl"
        sink = await stack.enter_async_context(receiver(received))
        address = await sink.address()
        wanted: dict[str, Any] = {"url": url, "redis_port": redis.port if redis else 0, "sink": address, **load.wanted}
        command = rival.command(wanted | {"work": "work"})
        worker = await stack.enter_async_context(running(rival.name, *command))
        await worker.line(_PATIENCE_S)
        server = redis.pid if redis else await server_of(run.pool)
        groups = {"server": server, "worker": worker.pid, "receiver": sink.pid}
        return await _poured(run, load, rival.command(wanted | {"work": "add"}), groups, Receipts(received))


def _folder(stack: AsyncExitStack) -> Path:
    """A folder that is gone with the stack."""
    return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gnomon-bench-")))


async def _poured(
    run: Run, load: Load, generator: Sequence[str], pids: Mapping[str, int | None], receipts: Receipts
) -> dict[str, float]:
    """Pour, wait for the last one, and account for it and for the processes."""
    await checkpoint(run.pool)
    groups = {name: pid for name, pid in pids.items() if pid is not None}
    used = {name: seconds_of_trees(pid) for name, pid in groups.items()}
    began, began_at = time.perf_counter(), time.time()
    async with running("generator", *generator) as pouring:
        told = json.loads(await pouring.line(load.seconds * 3 + _PATIENCE_S))
    arrived = await _arrived(receipts, told["accepted"], began + load.seconds + _LATEST_S + _PATIENCE_S)
    # To the last arrival, so that each is in it from its request to its end.
    cpu = {name: (seconds_of_trees(pid) - used[name]) / told["accepted"] * 1e6 for name, pid in groups.items()}
    if len({receipt.schedule_id for receipt in arrived}) != told["accepted"]:
        raise Incomplete(f"{len(arrived)} arrived of {told['accepted']} that were accepted")
    counted_from = began_at + load.warm_up
    late = [
        (receipt.received_at - receipt.due_at).total_seconds()
        for receipt in arrived
        if receipt.due_at.timestamp() >= counted_from
    ]
    return {
        **lateness(late),
        "arrived": len(arrived),
        "twice": len(arrived) - told["accepted"],
        "refused": told["refused"],
        "rate": told["accepted"] / told["seconds"],
        "us_generator": told["cpu_s"] / told["accepted"] * 1e6,
        **{f"us_{name}": value for name, value in cpu.items()},
        "us_all": sum(value for name, value in cpu.items() if name != "receiver"),
        **{f"{name}_{part}": told[name][part] for name in ("asked_late", "answered") if name in told for part in _PARTS},
    }


async def _arrived(receipts: Receipts, count: int, give_up_at: float) -> list[Receipt]:
    """Everything noted, once so many are there or nobody waits any longer."""
    while True:
        receipts.read()
        if len(receipts.all) >= count or time.perf_counter() > give_up_at:
            return receipts.all
        await asyncio.sleep(_LOOK_EVERY_S)


def _bars(rounds: list[Round]) -> list[Bar]:
    bars = [
        Bar(what="p99, ms late", value=middle(rounds, _OURS, "p99_ms"), bar=_P99_MS),
        Bar(what="last of all, ms late", value=max(found[_OURS]["last_ms"] for found in rounds), bar=_LAST_MS),
        Bar(
            what="refused or came twice",
            value=sum(found[_OURS]["refused"] + found[_OURS]["twice"] for found in rounds),
            bar=0,
        ),
    ]
    if others := [name for name in rounds[0] if name != _OURS]:
        ratio = median(min(found[name]["p99_ms"] for name in others) / found[_OURS]["p99_ms"] for found in rounds)
        bars.append(Bar(what="p99, times the best peer's is later", value=ratio, bar=_OF_THE_BEST, is_ceiling=False))
    return bars


BENCHMARK: Final = Benchmark(what="1,157 a second by HTTP, each due 5 to 60 s later, to a webhook", measure=_measure)
