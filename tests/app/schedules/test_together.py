"""Creates that share a call: each answered as if it were alone, none held up by another's lock, none before its commit."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from httpx import ASGITransport, AsyncClient, Response

from gnomon.database.pool import Pool
from gnomon.schedules import calls
from gnomon.settings import Settings
from gnomon.web.asgi import build_app
from tests.app.http import JSON, LOCAL, ONCE, SCHEDULE
from tests.support import cluster
from tests.support.clock import set_clock
from tests.support.given import value
from tests.support.races import wait_until

pytestmark = pytest.mark.anyio

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
LATER = ONCE | {"schedule_at": "2027-03-02T12:00:00Z"}

#: What is asked of one door one by one, and of another all at once.
MIXED: Sequence[tuple[str, str, dict[str, Any]]] = [
    ("POST", SCHEDULE, LATER),
    ("POST", SCHEDULE, LATER | {"timezone": "europe/berlin"}),
    ("POST", SCHEDULE, LATER | {"dedup_key": "d"}),
    ("POST", SCHEDULE, LATER | {"idempotency_key": "d"}),
    ("POST", SCHEDULE, LATER | {"dedup_key": "d", "params": {"a": 1}}),
    ("POST", SCHEDULE, LATER | {"dedup_key": "d", "user_id": "u_other", "lane": "critical"}),
    ("POST", SCHEDULE, LATER | {"key": "k"}),
    ("POST", SCHEDULE, LATER | {"key": "k", "schedule_at": "2027-03-03T12:00:00Z"}),
    ("PUT", f"{SCHEDULE}/by-key/u_abc123/k", {"template_id": "pill", "schedule_at": "2027-03-03T12:00:00Z"}),
    ("PUT", f"{SCHEDULE}/by-key/u_abc123/new", {"user_id": None, "template_id": "pill", "schedule_at": "PT2H"}),
    ("PUT", f"{SCHEDULE}/by-key/u_abc123/empty", {}),
    ("POST", SCHEDULE, LATER | {"schedule_at": "2027-02-01T00:00:00Z"}),
    ("POST", SCHEDULE, LATER | {"schedule_at": "2027-02-01T00:00:00Z", "if_past": "skip", "dedup_key": "s"}),
    ("POST", SCHEDULE, LATER | {"schedule_at": "2027-02-01T00:00:00Z", "if_past": "skip", "dedup_key": "s"}),
    ("POST", SCHEDULE, LATER | {"user_id": 7}),
    ("POST", SCHEDULE, LATER | {"user_id": ["u"], "dedup_key": ["d"]}),
    ("POST", SCHEDULE, LATER | {"unknown": 1, "lane": "urgent"}),
    ("POST", SCHEDULE, LATER | {"recurrence": {"pattern": "daily"}}),
    ("POST", SCHEDULE, LATER | {"schedule_at": "09:00", "timezone": "Asia/Kolkata", "recurrence": {"pattern": "daily"}}),
    ("POST", SCHEDULE, LATER | {"channels": ["push"], "params": {"sum": 12345678901234567890.5, "text": '\u00e9 \\ " }'}}),
    *(("POST", SCHEDULE, LATER | {"user_id": f"u_{n}"}) for n in range(40)),
]


@asynccontextmanager
async def door(url: str) -> AsyncIterator[AsyncClient]:
    """The API in this event loop; Litestar's own client would ask for one thing after the other."""
    app = build_app(Settings(), url)
    async with app.lifespan(), AsyncClient(transport=ASGITransport(app), base_url=LOCAL, timeout=30) as opened:  # type: ignore[arg-type]
        yield opened


async def ask(client: AsyncClient, method: str, path: str, body: dict[str, Any]) -> Response:
    return await client.request(method, path, content=json.dumps(body), headers=JSON)


def told(answer: Response) -> tuple[object, ...]:
    """All that an answer says, but the ids that chance chose."""
    names = ("location", "etag", "idempotent-replayed", "content-type", "retry-after")
    said = [answer.text, *(answer.headers.get(name, "") for name in names)]
    return answer.status_code, *(re.sub("sch_[0-9A-Z]{26}", "sch_", text) for text in said)


def groups(answers: Sequence[Response]) -> list[int]:
    """For each answer the first that speaks of the same schedule."""
    ids = [answer.json().get("schedule_id", place) for place, answer in enumerate(answers)]
    return [ids.index(found) for found in ids]


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many requests each shared call took, as they come."""
    sizes: list[int] = []
    together = calls.schedule_together

    async def counted(pool: Pool, requests: str) -> list[Any]:
        sizes.append(len(json.loads(requests)))
        return await together(pool, requests)

    monkeypatch.setattr(calls, "schedule_together", counted)
    return sizes


async def test_each_is_answered_as_if_it_were_alone(
    server: cluster.Server, template: str, database_url: str, connection: psycopg.Connection, shared: list[int]
) -> None:
    set_clock(connection, NOON, frozen=True)
    with server.database(template) as other, psycopg.connect(other, autocommit=True) as beside:
        set_clock(beside, NOON, frozen=True)
        async with door(other) as one_by_one:
            alone = [await ask(one_by_one, *asked) for asked in MIXED]
        assert not shared
        pending = "select user_id, template_id, key, status, fire_at_utc, version from gnomon.schedules order by 1, 3, 5"
        expected = beside.execute(pending).fetchall()
    async with door(database_url) as at_once:
        answers = await asyncio.gather(*(ask(at_once, *asked) for asked in MIXED))
    assert [told(answer) for answer in answers] == [told(answer) for answer in alone]
    assert connection.execute(pending).fetchall() == expected
    assert max(shared) > 10
    assert groups(answers) == groups(alone)


async def test_a_locked_key_holds_up_its_own_request_only(
    database_url: str, connection: psycopg.Connection, shared: list[int]
) -> None:
    async with door(database_url) as client:
        with psycopg.connect(database_url) as holder:
            holder.execute("select * from gnomon.schedule(%s)", (json.dumps(LATER | {"key": "held"}),))
            others = [LATER | {"user_id": f"u_{n}"} for n in range(20)]
            held = [asyncio.create_task(ask(client, "POST", SCHEDULE, LATER | {"key": "held"})) for _ in range(9)]
            async with asyncio.timeout(10):  # a shared call gives up after 50 ms
                answers = await asyncio.gather(*(ask(client, "POST", SCHEDULE, body) for body in others))
                answers += await asyncio.gather(*(ask(client, "POST", SCHEDULE, body) for body in others))
            assert {answer.status_code for answer in answers} == {201}
            assert not any(task.done() for task in held)
            assert max(shared) > 10
        after = await asyncio.gather(*held)
    assert {answer.status_code for answer in after} == {201}
    assert len({answer.json()["schedule_id"] for answer in after}) == 1
    assert value(connection, "select count(*) from gnomon.schedules") == 41


async def test_what_fails_at_its_commit_was_not_answered(
    database_url: str, connection: psycopg.Connection, shared: list[int]
) -> None:
    connection.execute("""
        create function public.refuse() returns trigger language plpgsql as $$ begin raise 'refused at commit'; end $$;
        create constraint trigger refuse after insert on gnomon_data.schedules deferrable initially deferred
            for each row when (new.user_id = 'u_bad') execute function public.refuse()""")
    async with door(database_url) as client:
        bodies = [LATER | {"user_id": user_id} for user_id in ("u_1", "u_2", "u_bad", "u_3", "u_4")]
        answers = await asyncio.gather(*(ask(client, "POST", SCHEDULE, body) for body in bodies))
    assert [answer.status_code for answer in answers] == [201, 201, 500, 201, 201]
    assert sum(shared) >= 3
    for user_id in ("u_1", "u_2", "u_bad", "u_3", "u_4"):
        pending = value(connection, "select gnomon.pending_count(%s)", user_id)
        assert pending == (user_id != "u_bad")


async def test_a_call_that_breaks_is_not_made_again(
    database_url: str, connection: psycopg.Connection, shared: list[int]
) -> None:
    connection.execute("""
        create function public.wait() returns trigger language plpgsql as $$ begin perform pg_sleep(20); return new; end $$;
        create trigger wait before insert on gnomon_data.schedules
            for each row when (new.user_id = 'u_slow') execute function public.wait()""")
    bodies = [LATER | {"user_id": user_id} for user_id in ("u_1", "u_2", "u_slow", "u_3")]
    async with door(database_url) as client:
        asked = asyncio.gather(*(ask(client, "POST", SCHEDULE, body) for body in bodies))
        end = """
            select count(pg_terminate_backend(pid)) from pg_stat_activity
             where wait_event = 'PgSleep' and datname = current_database()"""
        await asyncio.to_thread(wait_until, lambda: value(connection, end), "the call sleeps and is ended")
        answers = await asked
    broken = [answer for answer in answers if answer.status_code != 201]
    assert {answer.status_code for answer in broken} == {503}
    assert all(answer.headers["retry-after"] == "1" for answer in broken)
    assert len(broken) > 1
    assert max(shared) == len(broken)
    assert value(connection, "select count(*) from gnomon.schedules") == len(bodies) - len(broken)
