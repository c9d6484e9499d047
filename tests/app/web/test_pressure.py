"""Who is sent away first, from when and until when; and the real process under a load that the database cannot take."""

import asyncio
import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import psycopg
import pytest

from gnomon.errors import Overloaded
from gnomon.web.pressure import BATCH_BYTES, BOUNDS, LANES, RETRY_AFTER, Entry, Pressure
from tests.app.http import JSON, ONCE, SCHEDULE, problem
from tests.app.web.test_server import served
from tests.support.given import value
from tests.support.races import wait_until


class Clock:
    """The clock of a loop, set by hand."""

    now = 0.0

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: made)
    return made


def taken(pressure: Pressure) -> list[str]:
    """The lanes of which one more is let in."""
    found = []
    for lane in LANES:
        try:
            pressure.leave(pressure.enter(lane, 100))
        except Overloaded:
            continue
        found.append(lane)
    return found


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("size", [1, 40_000], ids=["many", "long"])
def test_bulk_goes_first_and_critical_last(size: int) -> None:
    pressure = Pressure()
    entries: list[Entry] = []
    seen = [taken(pressure)]
    while len(seen) < 4:
        entries.append(pressure.enter(LANES[4 - len(seen) - 1], size))
        if (now := taken(pressure)) != seen[-1]:
            seen.append(now)
    assert seen == [list(LANES), ["critical", "transactional"], ["critical"], []]
    assert len(entries) * size >= min(BOUNDS["critical"].characters, BOUNDS["critical"].waiting * size)
    assert min(pressure.shed.values()) > 0
    # What is shed comes back at half of its bound, critical first.
    back: list[tuple[str, int]] = []
    while entries:
        pressure.leave(entries.pop())
        back += [(lane, len(entries)) for lane in taken(pressure) if lane not in dict(back)]
    assert [lane for lane, _ in back] == list(LANES)
    bounds = BOUNDS["bulk"]
    half = min(bounds.waiting, bounds.characters / size) / 2
    assert half - 2 <= dict(back)["bulk"] < half


def test_what_waits_long_sheds_bulk_unless_a_lock_is_to_blame(clock: Clock) -> None:
    pressure = Pressure()
    held = pressure.enter("transactional", 10)
    clock.now = 1.1
    assert taken(pressure) == ["critical", "transactional"]
    clock.now = 3
    assert taken(pressure) == ["critical"]
    pressure.excuse(held)
    assert taken(pressure) == list(LANES)
    pressure.leave(held)
    assert pressure.numbers() == {"creates_waiting": 0, "create_oldest_seconds": 0, "loop_lag_seconds": 0}


@pytest.mark.usefixtures("clock")
def test_batches_are_bounded_by_their_bytes() -> None:
    pressure = Pressure()
    with pressure.batch(BATCH_BYTES - 10):
        with pressure.batch(10):
            with pytest.raises(Overloaded), pressure.batch(1):
                pass
            assert taken(pressure) == list(LANES)
        with pressure.batch(1):
            pass
    assert pressure.shed["bulk"] == 1


@contextmanager
def locked_keys(database_url: str) -> Iterator[psycopg.Connection]:
    """Keys that are locked until this connection rolls back."""
    with psycopg.connect(database_url) as holder:
        for number in range(12):
            request = ONCE | {"user_id": f"u_{number}", "key": "held"}
            holder.execute("select * from gnomon.schedule(%s)", (json.dumps(request),))
        yield holder
        holder.rollback()


@contextmanager
def asking(address: str) -> Iterator[Callable[..., Future[httpx.Response]]]:
    """Ask for schedules side by side."""
    with httpx.Client(base_url=address, timeout=30) as client, ThreadPoolExecutor(max_workers=40) as threads:

        def ask(path: str = SCHEDULE, **fields: Any) -> Future[httpx.Response]:
            body = [ONCE | fields] if path.endswith("batch") else ONCE | fields
            return threads.submit(client.post, path, content=json.dumps(body), headers=JSON)

        yield ask


def test_bulk_is_sent_away_while_critical_is_answered(database_url: str, connection: psycopg.Connection) -> None:
    asked: dict[str, Future[httpx.Response]] = {}
    with served(database_url) as (address, _), locked_keys(database_url) as holder, asking(address) as ask:
        for number in range(12):
            asked[f"u_{number}"] = ask(user_id=f"u_{number}", key="held")
        bulk: list[httpx.Response] = []

        def is_shed() -> bool:
            user_id = f"bulk_{len(asked)}"
            asked[user_id] = ask(user_id=user_id, lane="bulk")
            bulk.append(asked[user_id].result(timeout=10))
            return bulk[-1].status_code == 503

        wait_until(is_shed, "bulk is sent away")
        told = problem(bulk[-1], 503, "HTTP503")
        assert "nothing was done" in told["detail"]
        assert bulk[-1].headers["retry-after"] == str(RETRY_AFTER["bulk"])
        asked["in_batch"] = ask(f"{SCHEDULE}/batch", user_id="in_batch")
        asked["urgent"] = ask(user_id="urgent", lane="critical")
        assert asked["urgent"].result(timeout=10).status_code == 201
        assert asked["in_batch"].result(timeout=10).status_code == 503
        assert httpx.get(f"{address}/readyz").status_code == 200
        metrics = httpx.get(f"{address}/metrics").text
        assert 'gnomon_creates_shed_total{lane="bulk"} 2.0' in metrics
        assert 'gnomon_creates_shed_total{lane="critical"} 0.0' in metrics
        assert 'gnomon_creates_are_shed{lane="bulk"} 1.0' in metrics
        holder.rollback()
        answers = {user_id: answer.result(timeout=20).status_code for user_id, answer in asked.items()}
        wait_until(lambda: ask(user_id="again", lane="bulk").result(timeout=10).status_code == 201, "bulk is taken again")
    pending = {user_id: value(connection, "select gnomon.pending_count(%s)", user_id) for user_id in answers}
    assert pending == {user_id: int(status == 201) for user_id, status in answers.items()}
    assert set(answers.values()) == {201, 503}
