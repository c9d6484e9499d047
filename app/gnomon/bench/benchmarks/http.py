"""What the HTTP door takes: POST schedule beside the same application answering a constant, and batches.

Closed loop, every request with a dedup_key of its own and an answer of 201. `bare` inserts one row and commits it: with one
connection nothing can be answered sooner than one commit takes, so its share of `constant` is the most there is.
"""

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

from gnomon.bench.benchmark import Bar, Benchmark, Line, Measured, Run
from gnomon.bench.rounds import alternate, middle
from gnomon.database.call import rows
from gnomon.settings import surroundings

_CONNECTIONS: Final = (1, 16, 128)
_BATCH_CONNECTIONS: Final = (1, 4)

_SHARE: Final = 0.6
_ITEMS_A_SECOND: Final = 10_000

_PATHS: Final = {"gnomon": "/v1/notifications/schedule", "constant": "/constant", "bare": "/bare"}
_BATCH_PATH: Final = "/v1/notifications/schedule/batch"
_BARE_TABLE: Final = "create table if not exists public.gnomon_bench_bare (id bigserial primary key, body text)"


class Pace(NamedTuple):
    """How long is measured, what is dropped before it (seconds), and how many items a batch has."""

    seconds: float
    warm_up: float
    items: int


_PACE: Final = Pace(6.0, 1.0, 1_000)
_SMALL_PACE: Final = Pace(0.3, 0.1, 20)


async def _measure(run: Run) -> Measured:
    await rows(run.pool, _BARE_TABLE)
    pace = _SMALL_PACE if run.is_small else _PACE
    try:
        async with _door(str(run.pool.conninfo)) as (address, pid):
            sides = {side: partial(_side, run, address, pid, side, pace) for side in _PATHS}
            rounds = await alternate(sides, say=run.say)
    finally:
        await rows(run.pool, "drop table public.gnomon_bench_bare")
    return Measured(
        bars=() if run.is_small else _bars(rounds),
        lines=_lines(rounds),
        rounds=rounds,
        versions={},
        settings={
            "loop": "closed",
            "connections": _CONNECTIONS,
            "batch_connections": _BATCH_CONNECTIONS,
            "items_a_batch": pace.items,
            "seconds": pace.seconds,
            "warm_up": pace.warm_up,
            "small": run.is_small,
        },
        notes=[_cost(rounds), *(["small: too short for bars, none was judged"] if run.is_small else [])],
    )


@contextlib.asynccontextmanager
async def _door(database_url: str) -> AsyncIterator[tuple[str, int]]:
    """The application in a process of its own: its address and process id."""
    told = {"GNOMON_DATABASE_URL": database_url, "GNOMON_LISTEN": "127.0.0.1:0"}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "gnomon.bench.door"),
        env={**surroundings(), **told},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        line = (await process.stdout.readline()).decode().strip()
        if not line:
            raise RuntimeError("the application under test did not start")
        yield line, process.pid
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()


async def _side(run: Run, address: str, pid: int, side: str, pace: Pace) -> dict[str, float]:
    """Answers a second by connections, with what they cost; for ours batches too, in items a second."""
    found: dict[str, float] = {}
    for connections in _CONNECTIONS:
        found |= await _load(run, address, pid, str(connections), path=_PATHS[side], connections=connections, pace=pace)
    if side == "gnomon":
        for connections in _BATCH_CONNECTIONS:
            name = f"batch {connections}"
            found |= await _load(
                run, address, pid, name, path=_BATCH_PATH, connections=connections, pace=pace, items=pace.items
            )
            found[name] *= pace.items
    return found


async def _load(  # what a load is, by name
    run: Run, address: str, pid: int, name: str, *, path: str, connections: int, pace: Pace, items: int = 0
) -> dict[str, float]:
    # Each measurement begins with the log written out, and names nobody that another one named.
    await rows(run.pool, "checkpoint")
    stamp = (await rows(run.pool, "select (extract(epoch from clock_timestamp()) * 1000)::bigint as stamp"))[0]["stamp"]
    wanted: Mapping[str, Any] = {
        "address": address,
        "path": path,
        "connections": connections,
        "seconds": pace.seconds,
        "warm_up": pace.warm_up,
        "prefix": f"u{stamp}_",
        "items": items,
    }
    before = _cpu_seconds(pid)
    process = await asyncio.create_subprocess_exec(
        sys.executable, *("-m", "gnomon.bench.load", json.dumps(wanted)), stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    if process.returncode:
        raise RuntimeError("the load generator failed")
    told = json.loads(output)
    expected = "200" if items else "201"
    if set(told["statuses"]) - {expected}:
        raise RuntimeError(f"not every answer was {expected}: {told['statuses']}")
    answers, lasted = told["answers"] or 1, 1 + pace.warm_up / pace.seconds
    return {
        name: told["answers"] / told["seconds"],
        f"{name} p50_ms": told.get("p50_ms", 0.0),
        f"{name} p99_ms": told.get("p99_ms", 0.0),
        f"{name} generator_us": told["generator_cpu"] / answers * 1e6,
        f"{name} door_us": (_cpu_seconds(pid) - before) / lasted / answers * 1e6,
    }


def _cpu_seconds(pid: int) -> float:
    """CPU seconds of a process so far; 0 where /proc does not tell."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.is_file():
        return 0.0
    fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def _bars(rounds: Sequence[dict[str, dict[str, float]]]) -> list[Bar]:
    shares = {
        connections: median(found["gnomon"][str(connections)] / found["constant"][str(connections)] for found in rounds)
        for connections in _CONNECTIONS
    }
    return [
        *(
            Bar(
                what=f"POST schedule, share of a constant, {connections} connections",
                value=share,
                bar=_SHARE,
                is_ceiling=False,
            )
            for connections, share in shares.items()
        ),
        Bar(
            what="batches of 1,000, items a second",
            value=max(middle(list(rounds), "gnomon", f"batch {connections}") for connections in _BATCH_CONNECTIONS),
            bar=_ITEMS_A_SECOND,
            is_ceiling=False,
        ),
    ]


def _lines(rounds: list[dict[str, dict[str, float]]]) -> list[Line]:
    lines = []
    for connections in _CONNECTIONS:
        for what, key, unit in (("rate", "", "/s"), ("p50", " p50_ms", "ms"), ("p99", " p99_ms", "ms")):
            values = {side: middle(rounds, side, f"{connections}{key}") for side in _PATHS}
            lines.append(Line(what=f"{connections} connections, {what}", values=values, unit=unit))
    for connections in _BATCH_CONNECTIONS:
        values = {"gnomon": middle(rounds, "gnomon", f"batch {connections}")}
        lines.append(Line(what=f"batches, {connections} connections", values=values, unit="items/s"))
    return lines


def _cost(rounds: list[dict[str, dict[str, float]]]) -> str:
    """What a request cost the generator and the application, in CPU."""
    told = [
        f"{side} {middle(rounds, side, '128 generator_us'):.0f} and {middle(rounds, side, '128 door_us'):.0f}"
        for side in _PATHS
    ]
    return f"CPU us a request at 128 connections, generator and application: {'; '.join(told)}"


BENCHMARK: Final = Benchmark(what="POST schedule beside a constant answer, and batches of 1,000", measure=_measure)
