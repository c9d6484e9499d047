"""Callers who keep what everybody needs, under load: a snapshot, rows, all connections of the API."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta
from functools import partial
from typing import Any, Final

import httpx
import psycopg
import pytest

from gnomon.web.asgi import PATIENCE, POOL_SIZE
from tests.journeys.breakage import Breakage
from tests.journeys.judge import due_of, lateness
from tests.journeys.load import steady_load
from tests.journeys.serving import running_api
from tests.journeys.stage import Stage, note, on_stage, poll, request, tasks, work
from tests.support.cluster import Server
from tests.support.given import value
from tests.support.races import sessions, wait_until

pytestmark = [pytest.mark.fault, pytest.mark.alone]

ON_TIME: Final = timedelta(seconds=1)
"""With nothing broken it is a tenth of a second; what this machine adds to that was seen in the warm-up."""

HELD: Final = 40
"""Rows of each kind that a caller holds."""

SCHEDULE: Final = "/v1/notifications/schedule"
JSON: Final = {"Content-Type": "application/json"}

_LOCK: Final = {
    "schedules": "select s.id from gnomon_data.schedules as s where s.id = any (%s) for update",
    "timers": "select t.subject_id from gnomon_data.timers as t where t.subject_id = any (%s) for update",
    "deliveries": "select d.id from gnomon_data.deliveries as d where d.schedule_id = any (%s) for update",
}
_IDS: Final = "select array_agg(gnomon_data.id_of('sch', s)) from unnest(%s::text[]) as s"


@pytest.fixture(scope="module")
def stage(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with server.database(template) as url, on_stage(url, tmp_path_factory.mktemp("callers")) as stage:
        stage.start(poll("p1"), work("w1"))
        yield stage


def test_a_snapshot_held_open_keeps_nothing_from_firing_on_time(stage: Stage) -> None:
    after = Breakage(stage)
    with sessions(stage.url, 2, autocommit=False) as [plain, writing], steady_load(stage, "snapshot") as load:
        after.warm_up()
        for session in (plain, writing):
            session.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            session.execute("select count(*) from gnomon_data.timers")
        writing.execute("select pg_current_xact_id()")
        # Rows that nobody can clear away, all of one instant, lie before everything that comes.
        herd = stage.accept([request(f"herd{number}", "PT1S", lane="transactional") for number in range(2_000)])
        stage.wait_for(tasks(herd))
        passed = stage.now_utc()
        after.wait_for_more(450)
    received = after.judge("two snapshots held open", [*herd, *load.accepted], latest=timedelta(minutes=1))
    behind = max(lateness(line) for line in received if due_of(line) > passed)
    note(f"behind a herd of dead rows the latest was {behind} late")
    assert behind < ON_TIME + after.slowness
    assert all(line.attempt == 1 for line in received)


def test_rows_held_by_idle_transactions_hold_up_nothing_else_and_come_when_those_end(stage: Stage) -> None:
    after = Breakage(stage)
    with sessions(stage.url, len(_LOCK), autocommit=False) as holders, steady_load(stage, "idle") as load:
        after.warm_up()
        due = stage.now_utc() + timedelta(seconds=3)
        held = {kind: stage.accept([_wanted(f"{kind}{number}", due) for number in range(HELD)]) for kind in _LOCK}
        for holder, (kind, lock) in zip(holders, _LOCK.items(), strict=True):
            ids = value(stage.connection, _IDS, [one.schedule_id for one in held[kind]])
            wait_until(partial(_holds, holder, lock, ids), f"the {kind} are there and held")
        began = len(after.received())
        wait_until(lambda: stage.now_utc() > due + timedelta(seconds=1.5), "they are due for long")
        meanwhile = after.received()[began:]
        for holder in holders:
            holder.rollback()
        freed_at = time.time()
        all_held = [one for some in held.values() for one in some]
        stage.wait_for(tasks(all_held))
    received = after.judge("rows held by idle transactions", [*all_held, *load.accepted])
    ids_held = {one.schedule_id for one in all_held}
    late = max(line.at for line in received if line.schedule_id in ids_held) - freed_at
    others = max(lateness(line) for line in received if line.schedule_id not in ids_held)
    note(f"what was held came within {late:.2f} s of the end; the latest of the others was {others} late")
    assert len(meanwhile) > HELD
    assert not [line for line in meanwhile if line.schedule_id in ids_held]
    assert others < ON_TIME + after.slowness
    assert timedelta(seconds=late) < timedelta(seconds=2) + after.slowness
    assert len(received) == len(tasks([*all_held, *load.accepted])), "each once"


def test_an_api_whose_connections_are_all_held_refuses_with_503_and_recovers(stage: Stage) -> None:
    after = Breakage(stage)
    [kept] = stage.accept([request("kept", "PT1H")])
    with ExitStack() as stack:
        address = stack.enter_context(running_api(stage.folder, GNOMON_DATABASE_URL=stage.url)).address
        client = stack.enter_context(httpx.Client(base_url=address, timeout=30))
        load = stack.enter_context(steady_load(stage, "pool"))
        threads = stack.enter_context(ThreadPoolExecutor(max_workers=2 * POOL_SIZE))
        after.warm_up()
        [holder] = stack.enter_context(sessions(stage.url, 1, autocommit=False))
        holder.execute("select * from gnomon.cancel_schedule(%s)", [kept.schedule_id])
        # Whoever cancels it too has to wait for what becomes of that.
        cancel = partial(client.delete, f"{SCHEDULE}/{kept.schedule_id}")
        waiting = [threads.submit(cancel) for _ in range(POOL_SIZE)]
        wait_until(lambda: value(stage.connection, _WAITING) == POOL_SIZE, "every connection of the API waits")
        behind = [threads.submit(_post, client, request(f"pool{number}", "PT1H")) for number in range(8)]
        behind += [threads.submit(client.get, path) for path in ("/readyz", f"{SCHEDULE}/pool/pending")]
        assert client.get("/healthz").elapsed < ON_TIME + after.slowness, "it asks nobody"
        answers = {"held": [one.result() for one in waiting], "behind": [one.result() for one in behind]}
        holder.rollback()
        again = [cancel(), _post(client, request("pool", "PT1H"))]
    slowest = {name: max(answer.elapsed for answer in some) for name, some in answers.items()}
    refused = [answer for some in answers.values() for answer in some if answer.status_code == 503]
    note(f"{len(refused)} refused, the slowest answers after {slowest}")
    assert {answer.status_code for answer in answers["held"]} == {503}
    # They waited as long for a connection: refused, or the first to get one.
    assert {answer.status_code for answer in answers["behind"]} <= {200, 201, 503}
    assert all(int(answer.headers["retry-after"]) >= 1 for answer in refused)
    # Of many that want one row, one may wait twice: first to be the next, then for the row.
    assert max(slowest.values()) < 2 * PATIENCE + ON_TIME + after.slowness
    assert [answer.status_code for answer in again] == [200, 201]
    assert again[0].json()["status"] == "cancelled"
    received = after.judge("the API's connections all held", load.accepted, latest=ON_TIME)
    assert all(line.attempt == 1 for line in received)


_WAITING: Final = """
select count(*) from pg_stat_activity
 where application_name = 'gnomon serve' and wait_event_type = 'Lock' and datname = current_database()
"""


def _wanted(user_id: str, due: Any) -> dict[str, Any]:
    return request(user_id, due, lane=("critical", "transactional")[hash(user_id) % 2])


def _holds(holder: psycopg.Connection, lock: str, ids: list[Any]) -> bool:
    return len(holder.execute(lock, [ids]).fetchall()) == len(ids)


def _post(client: httpx.Client, body: dict[str, Any]) -> httpx.Response:
    return client.post(SCHEDULE, content=json.dumps(body), headers=JSON)
