"""PgBouncer in transaction mode between everything and the database, with NOTIFY off; it dies and comes back."""

import signal
import time
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from tests.journeys.aftermath import TAKE_OVER, Span, reckoned, under_load, wait_for_all
from tests.journeys.judge import Task, lateness
from tests.journeys.pooler import SESSIONS, pgbouncer, running_pooler
from tests.journeys.serving import Api, running_api
from tests.journeys.stage import Stage, note, poll, request, work
from tests.support.given import value
from tests.support.races import wait_until

pytestmark = [pytest.mark.fault, pytest.mark.alone]

AWAY: Final = 1.5
"""Seconds."""

# What a session was told and the next client of it finds. PgBouncer itself carries those named over.
_TOLD: Final = """
select name || ' = ' || setting from pg_settings where source = 'session'
   and name not in ('client_encoding', 'DateStyle', 'TimeZone', 'standard_conforming_strings', 'application_name')
 union all select statement from pg_prepared_statements
 union all select 'listen ' || c from pg_listening_channels() as c
 union all select 'lock ' || objid from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
 union all select 'table ' || relname from pg_class where relpersistence = 't'
"""


def left_in_sessions(url: str) -> list[str]:
    """What is left in the server's sessions that the pooler hands out: nothing that anybody relies on."""
    with ExitStack() as stack:
        clients = [stack.enter_context(psycopg.connect(url, prepare_threshold=None)) for _ in range(SESSIONS)]
        pids = {value(client, "select pg_backend_pid()") for client in clients}
        assert len(pids) == SESSIONS, "each has a session, as long as its transaction is open"
        return [row[0] for client in clients for row in client.execute(_TOLD).fetchall()]


def over_http(api: Api, number: int) -> dict[str, Any]:
    """Schedule one over HTTP, as a caller who repeats with the same dedup_key what was not answered."""
    body = request(f"h{number}", "PT1S", dedup_key=f"http-{number}")
    while True:
        try:
            status, answer = api.ask("POST", "/v1/notifications/schedule", body)
        except OSError:
            continue
        if status in {200, 201, 202}:
            return answer
        assert status in {500, 503}, answer


def test_behind_a_transaction_pooler_that_crashes_nothing_is_lost_or_twice(stage: Stage, open_folder: Path) -> None:
    with running_pooler(pgbouncer(open_folder), open_folder, stage.url) as pooler:
        pooled = {"GNOMON_DATABASE_URL": pooler.url, "GNOMON_NOTIFY": "off"}
        roles = stage.start(poll("p1", **pooled), poll("p2", **pooled), work("w1", **pooled), work("w2", **pooled))
        with running_api(open_folder, **pooled) as api:
            with under_load(stage, "pooled", url=pooler.url, prepare_threshold=None) as load:
                answers = [over_http(api, number) for number in range(10)]
                stage.wait_for_count(50)
                began_at = time.time()
                pooler.kill()
                time.sleep(AWAY)
                pooler.start()
                trouble = Span(began_at, time.time())
                answers += [over_http(api, number) for number in range(10, 20)]
                gone = len(stage.received())
                wait_until(lambda: len(stage.received()) > gone + 50, "sends go on", patience=TAKE_OVER)
            status, cancelled = api.ask("DELETE", f"/v1/notifications/schedule/{answers[-1]['schedule_id']}")
            assert status == 200, cancelled
        owed = load.owed() | {Task(answer["schedule_id"], 1, "webhook") for answer in answers}
        if cancelled["status"] == "cancelled":
            owed -= {Task(answers[-1]["schedule_id"], 1, "webhook")}
        wait_for_all(stage, owed)
        received = reckoned(stage, owed, troubles=[trouble])
        latest = max(lateness(line) for line in received)
        resent = len(received) - len(owed)
        note(f"pooler away for {trouble.ended_at - began_at:.1f} s: {len(owed)} sent, latest {latest} late, {resent} resent")
        assert latest < TAKE_OVER
        for role in roles:
            role.send(signal.SIGTERM)
        assert [role.ended(timedelta(seconds=10)) for role in roles] == [0] * len(roles)
        assert left_in_sessions(pooler.url) == []
