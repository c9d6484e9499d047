"""Consumers in plain SQL: claim, write a row of one's own and settle in one transaction, beside workers and pollers."""

import random

import psycopg

from tests.sql.acts import claim, exchange, fire, given_many, settle
from tests.sql.beside import beside
from tests.support.given import rows, value


def test_each_ends_in_one_row_of_somebody(connection: psycopg.Connection, database_url: str) -> None:
    """Consumers take back a fifth of what they did; a worker of ours claims from the same lane and channel."""
    connection.execute("create table notifications (schedule_id text, by text)")
    given_many(connection, 600, value(connection, "select gnomon_data.now_utc()"))

    def consume(session: psycopg.Connection) -> None:
        with session.transaction(force_rollback=random.random() < 0.2):  # noqa: S311  # cases, not secrets
            session.execute(
                "with c as (select * from gnomon.claim_deliveries('transactional', 'log', 20))"
                " insert into notifications select event #>> '{data,schedule_id}', 'consumer' from c"
            )
            session.execute(
                "select gnomon.settle_deliveries(jsonb_agg(jsonb_build_object('delivery_id',"
                " gnomon_data.id_text('dlv', d.id), 'claim_id', d.claim_id, 'outcome', 'sent')))"
                " from gnomon_data.deliveries as d where d.claimed_by = session_user and d.claim_id is not null"
                " having count(*) > 0"
            )

    def work(session: psycopg.Connection) -> None:
        claims = exchange(session, [], at_most=20)
        session.cursor().executemany(
            "insert into notifications values (%s, 'worker')", [[c.event["data"]["schedule_id"]] for c in claims]
        )
        # A consumer's claim may have locked, and not taken, what changed under its statement: again, as workers do.
        while busy := {c.delivery_id for c in exchange(session, claims) if c.event is None}:
            claims = [c for c in claims if c.delivery_id in busy]

    ended = "select count(*) from gnomon_data.delivery_log where outcome = 'sent'"
    with beside(database_url, consume, consume, work, lambda session: fire(session, 100)) as roles:
        roles.wait_until(lambda: value(connection, ended) == 600, "all are sent")

    found = rows(connection, "select schedule_id, count(*)::int as times from notifications group by 1")
    assert (len(found), {row.times for row in found}) == (600, {1})
    assert {row.by for row in rows(connection, "select distinct by from notifications")} == {"consumer", "worker"}
    assert claim(connection) == []
    assert settle(connection, []) == 0
