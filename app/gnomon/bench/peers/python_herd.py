"""A herd for pgqueuer, procrastinate or awa-pg: jobs due at one instant, each a row in the caller's own table.

The one argument: {"peer": ..., "url": ..., "count": ..., "lead_s": ..., "patience_s": ...}. Prints two JSON objects: the
instant once all is asked for, and what was done.
"""

import asyncio
import dataclasses
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any

_CONCURRENCY = 50
_PGQUEUER_BATCH = 200
_CHUNK = 1000
_SHORTEST_LEFT = 1.0
_INSERT = "insert into herd_rows (id, due_at) values ($1, $2)"


class Rows:
    """The caller's own table."""

    def __init__(self, pool: Any, lead: float) -> None:  # noqa: ANN401  # a package that only this environment has
        """Write by this pool of asyncpg what is due so many seconds after `begin`."""
        self._pool = pool
        self._lead = lead
        self._due = datetime.now(UTC)  # noqa: TID251  # a peer of ours reckons from its own clock
        self.count = 0
        self.began = 0.0

    def begin(self) -> datetime:
        """The schema is there: the instant of the herd counts from here."""
        self.began = time.monotonic()
        self._due = datetime.now(UTC) + timedelta(seconds=self._lead)  # noqa: TID251  # the same
        return self._due

    @property
    def left(self) -> float:
        """Seconds until the instant of the herd."""
        return self._due.timestamp() - time.time()

    @property
    def due(self) -> float:
        """The instant of the herd, in seconds since 1970."""
        return self._due.timestamp()

    async def insert(self, number: int) -> None:
        """One job's row."""
        await self._pool.execute(_INSERT, number, self._due)
        self.count += 1


async def _pgqueuer(wanted: dict[str, Any], rows: Rows, working: Callable[[], Awaitable[None]]) -> None:
    asyncpg, pgqueuer = import_module("asyncpg"), import_module("pgqueuer")
    driver, queries = import_module("pgqueuer.db").AsyncpgDriver, import_module("pgqueuer.queries").Queries
    asking = queries(driver(await asyncpg.connect(wanted["url"])))
    await asking.install()
    due = rows.begin()
    for at in range(0, wanted["count"], _CHUNK):
        numbers = range(at, min(at + _CHUNK, wanted["count"]))
        wait = due - datetime.now(UTC)  # noqa: TID251  # the same
        names, bodies = ["row"] * len(numbers), [str(number).encode() for number in numbers]
        await asking.enqueue(names, bodies, [0] * len(numbers), execute_after=[wait] * len(numbers))
    worker = pgqueuer.PgQueuer(driver(await asyncpg.connect(wanted["url"])))

    @worker.entrypoint("row")  # type: ignore[untyped-decorator]  # a package that only this environment has
    async def row(job: Any) -> None:  # noqa: ANN401
        await rows.insert(int(job.payload))

    running = asyncio.create_task(worker.run(dequeue_timeout=timedelta(milliseconds=100), batch_size=_PGQUEUER_BATCH))
    await working()
    running.cancel()


async def _procrastinate(wanted: dict[str, Any], rows: Rows, working: Callable[[], Awaitable[None]]) -> None:
    procrastinate = import_module("procrastinate")
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=wanted["url"], max_size=_CONCURRENCY))

    @app.task(name="row")  # type: ignore[untyped-decorator]  # the same
    async def row(number: int) -> None:
        await rows.insert(number)

    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        due = rows.begin()
        job = row.configure(schedule_at=due).job
        for at in range(0, wanted["count"], _CHUNK):
            numbers = range(at, min(at + _CHUNK, wanted["count"]))
            jobs = [job.evolve(task_kwargs={"number": number}) for number in numbers]
            await app.job_manager.batch_defer_jobs_async(jobs)
        running = asyncio.create_task(
            app.run_worker_async(
                concurrency=_CONCURRENCY, fetch_job_polling_interval=0.1, install_signal_handlers=False, delete_jobs="always"
            )
        )
        await working()
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


@dataclasses.dataclass
class Row:
    """What awa-pg takes as a kind of job."""

    number: int


async def _awa(wanted: dict[str, Any], rows: Rows, working: Callable[[], Awaitable[None]]) -> None:
    client = import_module("awa").AsyncClient(wanted["url"])
    await client.migrate()
    due = rows.begin()

    @client.task(Row, queue="herd")  # type: ignore[untyped-decorator]  # the same
    async def row(job: Any) -> None:  # noqa: ANN401
        await rows.insert(job.args.number)

    for at in range(0, wanted["count"], _CHUNK):
        jobs = [Row(number) for number in range(at, min(at + _CHUNK, wanted["count"]))]
        await client.insert_many_copy(jobs, queue="herd", run_at=due)
    await client.start([("herd", _CONCURRENCY)], poll_interval_ms=50, promote_interval_ms=50)
    await working()
    await client.shutdown()


_PEERS = {"pgqueuer": _pgqueuer, "procrastinate": _procrastinate, "awa-pg": _awa}


async def _run(wanted: dict[str, Any]) -> None:
    pool = await import_module("asyncpg").create_pool(wanted["url"], min_size=4, max_size=_CONCURRENCY)
    rows = Rows(pool, wanted["lead_s"])

    async def working() -> None:
        made, used = time.monotonic() - rows.began, time.process_time()
        if rows.left < _SHORTEST_LEFT:
            sys.exit(f"asking for {wanted['count']} took too long: {rows.left:.1f} s left")
        _say({"due": rows.due})
        give_up_at = time.monotonic() + rows.left + wanted["patience_s"]
        while rows.count < wanted["count"] and time.monotonic() < give_up_at:  # noqa: ASYNC110  # a peer may use threads
            await asyncio.sleep(0.02)
        _say({"made_s": made, "done": rows.count, "cpu_s": time.process_time() - used})
        os._exit(0)  # what a peer still holds open must not hold us

    await _PEERS[wanted["peer"]](wanted, rows, working)


def _say(told: dict[str, float]) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(_run(json.loads(sys.argv[1])))
