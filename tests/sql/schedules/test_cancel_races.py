"""I2, true cancel: after a cancel that answered cancelled has committed, no claim of it commits; fired means exactly one."""

import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Final

import psycopg

from tests.sql.acts import cancel, claim, fire, given_many, settle
from tests.sql.beside import beside
from tests.support.given import rows, value
from tests.support.races import sessions

_COUNT: Final = 400
_IS_LEFT: Final = "select exists (select from gnomon_data.schedules) or exists (select from gnomon_data.deliveries)"


def _call(session: psycopg.Connection, number: int, ids: list[str]) -> dict[str, Any]:
    """Cancel everything in an order of one's own, some together, and take a fifth of it back."""
    chance = random.Random(number)  # noqa: S311  # cases, not secrets
    answers: dict[str, Any] = {}
    mine = chance.sample(ids, len(ids))
    while mine:
        # In the order of ids, as whoever cancels several in one transaction should.
        batch = sorted(mine.pop() for _ in range(min(len(mine), chance.choice((1, 1, 5)))))
        is_kept = chance.random() < 0.8
        # Several in one transaction and a consumer's settle of several may deadlock: then this batch was not cancelled.
        with suppress(psycopg.errors.DeadlockDetected):
            with session.transaction(force_rollback=not is_kept):
                made = {schedule_id: cancel(session, schedule_id) for schedule_id in batch}
            answers |= made if is_kept else {}
    return answers


def test_cancels_raced_against_fire_claim_and_settle(connection: psycopg.Connection, database_url: str) -> None:
    given_many(connection, _COUNT, value(connection, "select gnomon_data.now_utc()"))
    ids = [row.schedule_id for row in rows(connection, "select schedule_id from gnomon.schedules")]
    handed_over: list[str] = []

    def poll(session: psycopg.Connection) -> None:
        fire(session, 64)

    def work(session: psycopg.Connection) -> None:
        claims = claim(session, at_most=20)
        handed_over.extend(c.event["data"]["schedule_id"] for c in claims)
        with suppress(psycopg.errors.DeadlockDetected):
            settle(session, claims)
            return
        settle(session, claims)

    with beside(database_url, poll, poll, work, work) as roles:
        with sessions(database_url, 2) as opened, ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(_call, opened, (1, 2), (ids, ids)))
        roles.wait_until(lambda: not value(connection, _IS_LEFT), "all has ended")

    assert len(handed_over) == len(set(handed_over))
    told = [pair for answer in answers for pair in answer.items()]
    contradictions = [(i, a.status) for i, a in told if (a.status == "fired") != (i in handed_over)]
    assert contradictions == []
    assert {a.status for _, a in told} == {"cancelled", "fired"}, "it was a race"
    both = set(answers[0]) & set(answers[1])
    assert [i for i in both if answers[0][i].status != answers[1][i].status] == []
