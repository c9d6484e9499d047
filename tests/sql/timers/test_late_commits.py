"""I5: whatever commits, however late, is taken, and nothing is left below a safe mark, in both planes.

write     12 sessions whose transactions stay open for up to half a second, or roll back
poll      a bound that is the clock itself, so that every late commit lies below it
sweep     from the safe marks, as consume does in its plane
prove     moves the marks, and looks below them
"""

import random
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any, Final

import psycopg

from tests.sql.acts import NIL, claim, fire, prove, settle, user_in
from tests.sql.beside import beside
from tests.support.given import given_schedule, rows, value
from tests.support.races import sessions

_WRITERS: Final = 12
_SECONDS: Final = 3.0
_LANES: Final = ("critical", "transactional", "bulk")
_SLICE: Final = list(range(8))

_BELOW: Final = """
select (select count(*) from gnomon_data.timers as t join gnomon_data.shard_marks as m
            on m.plane = 'timers' and m.lane = t.lane and m.shard = t.shard where t.fire_at_utc < m.safe_at_utc)
     + (select count(*) from gnomon_data.deliveries as d join gnomon_data.shard_marks as m
            on m.plane = 'deliveries' and m.lane = d.lane and m.shard = d.shard where d.ready_at_utc < m.safe_at_utc)
"""
_SENT: Final = "select gnomon_data.id_text('sch', schedule_id) as id from gnomon_data.delivery_log where outcome = 'sent'"

_RETRY_SOON: Final = """
create or replace function gnomon_data.retry_wait(lane smallint, attempt int, reason text, retry_after interval)
returns interval language sql volatile as $$ select interval '50 ms' $$
"""


def test_everything_committed_is_taken(connection: psycopg.Connection, database_url: str) -> None:
    connection.execute(_RETRY_SOON)
    users = [user_in(connection, shard) for shard in _SLICE]

    with beside(database_url, _Poll(), _sweep, _consume, _consume, _prove) as roles:
        until = monotonic() + _SECONDS
        with sessions(database_url, _WRITERS) as opened, ThreadPoolExecutor(_WRITERS) as pool:
            parts = pool.map(lambda pair: _write(pair[1], pair[0], users, until), enumerate(opened))
            committed = set().union(*parts)
        sent_count = f"select count(*) from ({_SENT}) as s"
        roles.wait_until(lambda: value(connection, sent_count) == len(committed), "all that was committed is sent")

    assert sorted(row.id for row in rows(connection, _SENT)) == sorted(committed)
    assert len(committed) > 100
    assert roles.turns[-1] > 3, "the marks moved meanwhile"
    assert value(connection, _BELOW) == 0


def _write(session: psycopg.Connection, number: int, users: list[str], until: float) -> set[str]:
    chance = random.Random(number)  # noqa: S311  # cases, not secrets
    committed: set[str] = set()
    while monotonic() < until:
        is_kept = chance.random() < 0.9
        with session.transaction(force_rollback=not is_kept):
            made = {
                given_schedule(
                    session, user_id=chance.choice(users), schedule_at="PT0S", lane=chance.choice(_LANES)
                ).schedule_id
                for _ in range(chance.randint(1, 3))
            }
            if chance.random() < 0.4:
                session.execute("select pg_sleep(%s)", [chance.random() * chance.choice((0.05, 0.05, 0.5))])
        if is_kept:
            committed |= made
    return committed


class _Poll:
    """Every look begins at the clock of the one before."""

    def __init__(self) -> None:
        self._after: Any = "-infinity"

    def __call__(self, session: psycopg.Connection) -> None:
        now_utc = value(session, "select gnomon_data.now_utc()")
        for lane in range(len(_LANES)):
            session.execute(
                "select gnomon.fire_slice(%s::smallint, %s::smallint[], array_fill(%s::timestamptz, array[8]),"
                " array_fill(%s::uuid, array[8]), 20)",
                [lane, _SLICE, self._after, NIL],
            )
        self._after = now_utc


def _sweep(session: psycopg.Connection) -> None:
    fire(session, shards=_SLICE)


def _consume(session: psycopg.Connection) -> None:
    for lane in _LANES:
        for claimed in claim(session, lane, at_most=20):
            fails = claimed.attempt == 1 and random.random() < 0.2  # noqa: S311  # cases, not secrets
            settle(session, [claimed], "retry" if fails else "sent")


def _prove(session: psycopg.Connection) -> None:
    prove(session, "timers", "deliveries")
    assert value(session, _BELOW) == 0
