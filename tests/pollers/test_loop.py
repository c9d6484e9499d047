import asyncio
from datetime import timedelta

import psycopg
import pytest
from structlog.testing import capture_logs

from gnomon.database.call import error_from
from gnomon.errors import Contended, DatabaseUnavailable
from gnomon_pollers.loop import Loop
from gnomon_pollers.metrics import Metrics
from gnomon_pollers.stop import Stop
from gnomon_pollers.wake import Wake

pytestmark = pytest.mark.anyio


async def run_until_stop(loop: Loop, stop: Stop, step: object, wake: Wake | None = None) -> None:
    async with asyncio.timeout(5):
        await loop.repeat("step", step, wake or stop.wake_of_own())  # type: ignore[arg-type]  # each test's own function


async def test_a_step_is_repeated_until_the_end_is_asked_for(metrics: Metrics) -> None:
    stop, taken = Stop(), 0

    async def step() -> timedelta:
        nonlocal taken
        taken += 1
        if taken == 3:
            stop.ask()
        return timedelta()

    await run_until_stop(Loop(stop, metrics), stop, step)
    assert taken == 3


async def test_a_wake_cuts_the_sleep_short_and_the_end_does_too(metrics: Metrics) -> None:
    stop, taken = Stop(), 0
    wake = stop.wake_of_own()

    async def step() -> timedelta:
        nonlocal taken
        taken += 1
        asyncio.get_running_loop().call_later(0.01, wake.now if taken == 1 else stop.ask)
        return timedelta(hours=1)

    await run_until_stop(Loop(stop, metrics), stop, step, wake)
    assert taken == 2


async def test_an_outage_is_said_once_and_its_end_once(metrics: Metrics) -> None:
    stop, taken = Stop(), 0

    async def step() -> timedelta:
        nonlocal taken
        taken += 1
        if taken <= 4:
            raise DatabaseUnavailable("connection refused")
        stop.ask()
        return timedelta()

    with capture_logs() as logs:
        await run_until_stop(Loop(stop, metrics), stop, step)
    assert [log["event"] for log in logs] == ["the database is away", "the database is back"]
    assert 'gnomon_failures_total{step="step"} 4.0' in metrics.text().decode()


async def test_contention_is_no_outage(metrics: Metrics) -> None:
    loop = Loop(Stop(), metrics)
    with capture_logs() as logs:
        loop.failed("step", Contended())
        loop.outage.ended()
    assert logs == []


async def test_a_mistake_of_ours_is_said_once_a_minute_and_the_step_goes_on(metrics: Metrics) -> None:
    stop, taken = Stop(), 0

    async def step() -> timedelta:
        nonlocal taken
        taken += 1
        if taken == 4:
            stop.ask()
            return timedelta()
        raise ZeroDivisionError

    with capture_logs() as logs:
        await run_until_stop(Loop(stop, metrics), stop, step)
    assert [log["event"] for log in logs] == ["a step failed"]


async def test_a_database_nobody_migrated_is_named_as_that(empty_database_url: str, metrics: Metrics) -> None:
    loop = Loop(Stop(), metrics)
    with psycopg.connect(empty_database_url) as connection, pytest.raises(psycopg.Error) as raised:
        connection.execute("select * from gnomon.beat(null, 'due', 'x')")
    with capture_logs() as logs:
        loop.failed("beat", error_from(raised.value))
        loop.failed("poll", error_from(raised.value))
    assert [log["event"] for log in logs] == ["the database lacks what this version calls; run gnomon migrate"]
