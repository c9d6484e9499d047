"""A delivery that cannot be handed over or settled stops nobody else: set aside, told, and back when asked for."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.sql.acts import NIL, cancel, claim, deliver_all, exchange, fire, settle, user_in
from tests.support.clock import advance
from tests.support.given import given_schedule, one, rows, value

_ASIDE = "select * from gnomon.set_aside"
_OVERFLOW = "update gnomon_data.deliveries set attempt = 2147483647 where schedule_id = gnomon_data.id_of('sch', %s)"
_MEND = "update gnomon_data.deliveries set attempt = 0 where schedule_id = gnomon_data.id_of('sch', %s)"
_SHARD = 7


def _fired(connection: psycopg.Connection, count: int, lane: str = "transactional", **more: Any) -> list[str]:
    """Schedules of one user each, fired, in one shard; the order in which they were due."""
    ids = [
        str(
            given_schedule(
                connection, user_id=user_in(connection, _SHARD, n), schedule_at="PT0S", lane=lane, **more
            ).schedule_id
        )
        for n in range(count)
    ]
    assert fire(connection) == count
    return ids


def _carefully(connection: psycopg.Connection, lane: str = "transactional", at_most: int = 100) -> list[Any]:
    return rows(
        connection,
        "select * from gnomon.claim_carefully(%s, 'log', array[%s::smallint], %s, '30 s', 'test',"
        " array['-infinity'::timestamptz], array[%s::uuid])",
        *(lane, _SHARD, at_most, NIL),
    )


def _schedule_ids(claims: list[Any]) -> list[str]:
    return sorted(c.event["data"]["schedule_id"] for c in claims)


def test_one_that_raises_at_the_claim_is_set_aside_and_the_others_are_handed_over(connection: psycopg.Connection) -> None:
    ids = _fired(connection, 6)
    connection.execute(_OVERFLOW, [ids[2]])
    with pytest.raises(psycopg.errors.NumericValueOutOfRange):
        exchange(connection, [], at_most=100)
    claims = _carefully(connection)
    assert _schedule_ids(claims) == sorted(ids[:2] + ids[3:])
    settle(connection, claims)
    aside = one(connection, _ASIDE)
    assert (aside.what, aside.schedule_id, aside.error_code, aside.lane) == ("delivery", ids[2], "22003", "transactional")
    assert aside.delivery_id.startswith("dlv_")
    assert value(connection, "select value from gnomon.queue_numbers() where name = 'set_aside'") == 1
    assert value(connection, "select gnomon.explain_schedule(%s)", ids[2])["summary"][-1].startswith(
        "A delivery of it was set aside"
    )
    assert value(connection, "select gnomon.release_parked(500)") == 0
    assert claim(connection) == []

    connection.execute(_MEND, [ids[2]])
    assert value(connection, "select gnomon.retry_set_aside(array[%s])", aside.delivery_id) == 1
    assert rows(connection, _ASIDE) == []
    assert _schedule_ids(claim(connection)) == [ids[2]]


def test_the_call_of_other_consumers_sets_aside_by_itself(connection: psycopg.Connection) -> None:
    ids = _fired(connection, 4)
    connection.execute(_OVERFLOW, [ids[3]])
    with connection.transaction():
        claims = claim(connection)
        assert settle(connection, claims) == 3
    assert _schedule_ids(claims) == sorted(ids[:3])
    assert one(connection, _ASIDE).schedule_id == ids[3]


def test_what_is_parked_behind_it_goes(connection: psycopg.Connection) -> None:
    user = user_in(connection, _SHARD)
    first, second = (str(given_schedule(connection, user_id=user, schedule_at="PT0S").schedule_id) for _ in range(2))
    fire(connection)
    connection.execute(_OVERFLOW, [first])
    assert _carefully(connection) == []
    assert _schedule_ids(claim(connection)) == [second]


def test_one_that_cannot_be_written_to_is_kept_apart_and_comes_back(connection: psycopg.Connection) -> None:
    ids = _fired(connection, 3)
    user = one(
        connection, "select user_id from gnomon_data.deliveries where schedule_id = gnomon_data.id_of('sch', %s)", ids[0]
    ).user_id
    connection.execute(
        f"alter table gnomon_data.deliveries_transactional add constraint nobody check (user_id <> '{user}') not valid"
    )
    assert _schedule_ids(_carefully(connection)) == sorted(ids[1:])
    assert one(connection, _ASIDE).error_code == "23514"
    assert value(connection, "select count(*) from gnomon_data.deliveries") == 2
    assert rows(connection, "select * from gnomon.ledger_faults(%s::smallint, null)", _SHARD) == []
    connection.execute("alter table gnomon_data.deliveries_transactional drop constraint nobody")
    assert value(connection, "select gnomon.retry_set_aside()") == 1
    assert _schedule_ids(claim(connection)) == [ids[0]]


@pytest.mark.parametrize("kept", ["in place", "apart"])
def test_a_cancel_is_true_for_what_was_set_aside(connection: psycopg.Connection, kept: str) -> None:
    user = user_in(connection, _SHARD)
    recurrence = {"pattern": "elapsed", "every": "PT1H"}
    schedule_id = str(given_schedule(connection, user_id=user, schedule_at="PT0S", recurrence=recurrence).schedule_id)
    advance(connection, timedelta(hours=1))
    assert fire(connection) == 1
    connection.execute(_OVERFLOW, [schedule_id])
    if kept == "apart":
        connection.execute(
            f"alter table gnomon_data.deliveries_transactional add constraint nobody check (user_id <> '{user}') not valid"
        )
    assert _carefully(connection) == []
    assert cancel(connection, schedule_id).status == "cancelled"
    connection.execute("alter table gnomon_data.deliveries_transactional drop constraint if exists nobody")
    assert value(connection, "select gnomon.retry_set_aside()") == 0
    assert deliver_all(connection) == []


def test_an_outcome_that_cannot_be_settled_is_not_sent_again_at_every_end_of_its_lease(
    connection: psycopg.Connection,
) -> None:
    _fired(connection, 1)
    (held,) = claim(connection)
    aside = "select gnomon.set_aside_delivery(%s, %s, %s, %s, 'cannot be logged')"
    assert value(connection, aside, held.delivery_id, NIL, "23514", "log_knows_it") is False
    assert value(connection, aside, held.delivery_id, held.claim_id, "42883", None) is False
    assert value(connection, aside, held.delivery_id, held.claim_id, "23514", None) is False
    assert value(connection, aside, held.delivery_id, held.claim_id, "23514", "log_knows_it") is True
    assert one(connection, _ASIDE).error_text == "cannot be logged"
    connection.execute("update gnomon_data.deliveries set claimed_until_utc = gnomon_data.now_utc() - interval '1 s'")
    assert claim(connection) == []
    assert value(connection, "select gnomon.retry_set_aside()") == 1
    assert len(claim(connection)) == 1


def test_a_bulk_one_that_may_have_been_sent_is_not_sent_by_a_retry(connection: psycopg.Connection) -> None:
    _fired(connection, 1, "bulk")
    (held,) = claim(connection, "bulk")
    assert value(
        connection, "select gnomon.set_aside_delivery(%s, %s, 'XX001', null, 'broken')", held.delivery_id, held.claim_id
    )
    assert value(connection, "select gnomon.retry_set_aside()") == 1
    assert claim(connection, "bulk") == []
    assert value(connection, "select outcome from gnomon_data.delivery_log") == "unknown"
