"""The ledger balances whatever happens, each day of a shard by itself; a row that somebody took out is found and named."""

from datetime import datetime, timedelta
from random import Random
from typing import Any

import psycopg
import pytest

from tests.sql.acts import cancel, claim, deliver_all, fire, reschedule, schedule_many, settle, step_to, user_in, utc
from tests.sql.plans import plans_of
from tests.support.clock import advance, clock, set_clock
from tests.support.given import given_schedule, one, rows, value
from tests.support.races import sessions

NOON = utc("2026-12-10T12:00:00")
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def at_noon(connection: psycopg.Connection) -> None:
    set_clock(connection, NOON)
    value(connection, "select gnomon.make_periods()")


def _missing(connection: psycopg.Connection) -> list[Any]:
    return rows(connection, "select * from gnomon.ledger() where missing_count <> 0")


def _sums(connection: psycopg.Connection) -> tuple[int, int, int]:
    found = one(
        connection,
        "select sum(accepted_count)::int as accepted, sum(pending_count)::int as pending, sum(ended_count)::int as ended"
        " from gnomon.ledger()",
    )
    return found.accepted, found.pending, found.ended


def _fold(connection: psycopg.Connection) -> Any:
    return one(connection, "select * from gnomon.balance_ledger()")


def _faults(connection: psycopg.Connection, shard: int) -> set[tuple[str, str]]:
    found = rows(connection, "select * from gnomon.ledger_faults(%s::smallint, null)", shard)
    return {(row.what, row.schedule_id) for row in found}


def _batch(random: Random, now: datetime) -> list[dict[str, Any]]:
    batch: list[dict[str, Any]] = []
    for _ in range(8):
        at = (now + timedelta(seconds=random.choice([1, 2, 60, 7200, 86400]))).isoformat()
        batch.append(
            {"user_id": f"u{random.randrange(9)}", "template_id": "t", "schedule_at": at}
            | random.choice(
                [
                    {"key": f"k{random.randrange(3)}"},
                    {"dedup_key": f"d{random.randrange(5)}"},
                    {"schedule_at": "13:30", "timezone": "UTC", "recurrence": {"pattern": "daily", "end_after": 2}},
                    {"schedule_at": (now - timedelta(hours=1)).isoformat(), "if_past": "skip"},
                    {"expires_at": (now + timedelta(hours=1)).isoformat()},
                    {},
                ]
            )
        )
    return batch


def _change(connection: psycopg.Connection, random: Random, schedule_id: str) -> None:
    """Cancel, move or pause it, whatever it is and whether it may be."""
    try:
        match random.randrange(3):
            case 0:
                cancel(connection, schedule_id)
            case 1:
                reschedule(connection, schedule_id, {"schedule_at": "PT3H", "recurrence": None})
            case _:
                value(connection, "select (gnomon.pause_schedule(%s)).version", schedule_id)
    except psycopg.Error as refused:
        if not (refused.sqlstate or "").startswith("GN"):
            raise


def test_it_balances_over_every_way_to_begin_and_to_end(connection: psycopg.Connection) -> None:
    random = Random(7)  # noqa: S311  # lives of schedules, no secret
    accepted: set[str] = set()
    for _ in range(12):
        now = clock(connection)
        made = schedule_many(connection, _batch(random, now))
        accepted |= {item.schedule_id for item in made if item.schedule_id}
        fire(connection)
        for chosen in random.choices(sorted(accepted), k=4):
            _change(connection, random, chosen)
        if not random.randrange(3):
            connection.execute("select gnomon.cancel_by_user(%s)", [f"u{random.randrange(9)}"])
        settle(connection, claim(connection)[::2])
        if random.random() < 0.5:
            _fold(connection)
            value(connection, "select gnomon.sweep_operations()")
        assert _missing(connection) == []
        step_to(connection, now + timedelta(hours=random.choice([1, 7])))
        value(connection, "select gnomon.make_periods()")
    everything, pending, ended = _sums(connection)
    assert everything == len(accepted) == pending + ended
    assert pending > 5
    assert ended > 20


def test_what_leaves_with_a_dropped_day_stays_in_the_balance(connection: psycopg.Connection) -> None:
    for n in range(3):
        given_schedule(connection, user_id=f"u{n}", schedule_at="PT1S")
    given_schedule(connection, user_id="later", schedule_at="P5D")
    # Fired ahead on one day, and cancelled on the next: two ends of one schedule, in two periods.
    step_to(connection, utc("2026-12-10T23:59:59.9"))
    late = given_schedule(connection, user_id="late", schedule_at="PT1.5S")
    fire(connection)
    step_to(connection, utc("2026-12-11T00:00:00.1"))
    assert cancel(connection, late.schedule_id).status == "cancelled"
    deliver_all(connection)
    assert _sums(connection) == (5, 1, 4)
    _fold(connection)
    connection.execute("alter table gnomon_data.occurrence_log detach partition gnomon_data.occurrence_log_20261210")
    assert rows(connection, "select * from gnomon.ledger()") == [], "between the two places nothing is told"
    value(connection, "select gnomon.drop_period('occurrence_log_20261210')")
    assert _sums(connection) == (5, 1, 4)
    assert _missing(connection) == []


def _round(connection: psycopg.Connection) -> None:
    """Every shard once: the clock goes on, since the one not looked at for longest is the next."""
    for _ in range(64):
        advance(connection, timedelta(milliseconds=1))
        assert _fold(connection).missing_count == 0


def test_ends_of_days_that_are_over_are_counted_once(connection: psycopg.Connection, database_url: str) -> None:
    for n in range(20):
        given_schedule(connection, user_id=f"u{n}", schedule_at="PT1S")
    given_schedule(connection, user_id="later", schedule_at="P5D")
    step_to(connection, NOON + timedelta(seconds=1))
    fire(connection)
    held = "select count(*) from gnomon_data.deliveries where user_id = 'u7'"
    settle(connection, [c for c in claim(connection) if c.event["subject"] != "u7"])
    step_to(connection, utc("2026-12-11T01:30:00"))
    with sessions(database_url, 1, autocommit=False) as [writer]:
        writer.execute("select pg_current_xact_id()")
        for _ in range(2):
            _round(connection)
        folded = "select count(*) from gnomon_data.ledger_folds where folded_until_utc = '2026-12-11Z'"
        assert value(connection, folded) == 0, "a line of yesterday may still commit"
        writer.rollback()
    _round(connection)
    assert value(connection, folded) == 64
    assert value(connection, "select sum(ended_count) from gnomon_data.ledger_days") == 20
    assert _sums(connection) == (21, 1, 20)
    # Its delivery still waits: the cancel is a second end, on another day, and the log of the first may be gone.
    assert value(connection, held) == 1
    connection.execute(
        "update gnomon_data.deliveries set claim_id = null, claimed_until_utc = null, first_claimed_at_utc = null"
    )
    of_user = "select gnomon_data.id_text('sch', schedule_id) from gnomon_data.deliveries where user_id = 'u7'"
    assert cancel(connection, value(connection, of_user)).status == "cancelled"
    assert _sums(connection) == (21, 1, 20)
    assert _missing(connection) == []
    # And what is taken out of today is found as before.
    given_schedule(connection, user_id="today", schedule_at="PT0S")
    deliver_all(connection)
    assert _sums(connection) == (22, 1, 21)
    connection.execute("delete from gnomon_data.occurrence_log where user_id = 'today'")
    assert [row.missing_count for row in _missing(connection)] == [1]


def test_a_look_reads_no_ends_of_days_that_are_folded(connection: psycopg.Connection) -> None:
    for n in range(200):
        given_schedule(connection, user_id=f"u{n}", schedule_at="PT1S")
    step_to(connection, NOON + timedelta(seconds=1))
    fire(connection)
    step_to(connection, utc("2026-12-11T01:30:00"))
    value(connection, "select gnomon.make_periods()")
    look = "select * from gnomon.ledger()"
    before = _scanned(connection, look)
    for _ in range(3):
        _round(connection)
    after = _scanned(connection, look)
    assert "occurrence_log_20261210" in before
    assert "occurrence_log_20261210" not in after
    assert "occurrence_log_20261211" in after


def _scanned(connection: psycopg.Connection, query: str) -> set[str]:
    """The days of the log that a query has really looked into."""
    (plan, *_) = plans_of(connection, lambda: rows(connection, query), "entry as")
    looked = [node for node in plan.nodes if node.get("Relation Name", "").startswith("occurrence_log_")]
    return {node["Relation Name"] for node in looked if node["Actual Loops"] and node["Alias"].startswith("o")}


def test_upkeep_goes_round_and_remembers_what_is_off(connection: psycopg.Connection) -> None:
    given_schedule(connection, user_id=user_in(connection, 2))
    connection.execute("delete from gnomon_data.schedules")
    told = [_fold(connection) for _ in range(4)]
    assert [(one.shard, one.missing_count) for one in told] == [(0, 0), (1, 0), (2, 1), (3, 0)]
    checks = rows(connection, "select shard, missing_count from gnomon.ledger_checks()")
    assert [(row.shard, row.missing_count) for row in checks] == [(0, 0), (1, 0), (2, 1), (3, 0)]


@pytest.mark.parametrize(
    ("broken", "what", "missing"),
    [
        ("delete from gnomon_data.schedules where user_id = %(user)s", "schedule gone", 1),
        ("delete from gnomon_data.timers", "timer gone", 0),
        ("delete from gnomon_data.deliveries where user_id = %(user)s", "delivery gone", 0),
        ("delete from gnomon_data.delivery_log where user_id = %(user)s", "delivery gone", 0),
        ("delete from gnomon_data.occurrence_log where user_id = %(user)s", "end gone", 1),
    ],
)
def test_a_row_taken_out_is_named(connection: psycopg.Connection, broken: str, what: str, missing: int) -> None:
    user = user_in(connection, 5)
    is_pending = what in {"schedule gone", "timer gone"}
    broken_one = given_schedule(connection, user_id=user, schedule_at="PT3H" if is_pending else "PT1S")
    given_schedule(connection, user_id=user_in(connection, 6), schedule_at="PT1S")
    if not is_pending:
        step_to(connection, NOON + timedelta(seconds=2))
        fire(connection)
        if "log" in broken:
            settle(connection, claim(connection))
    assert _missing(connection) == []
    assert _faults(connection, 5) == set()
    connection.execute(broken, {"user": user} if "%(" in broken else None)
    assert _faults(connection, 5) == {(what, broken_one.schedule_id)}
    assert [(row.shard, row.accepted_on, row.missing_count) for row in _missing(connection)] == (
        [(5, NOON.date(), missing)] if missing else []
    )
    assert _faults(connection, 6) == set()
