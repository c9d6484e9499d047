"""What users' tests are given: time that jumps, by the product's own fire and hand-over."""

from collections.abc import Callable
from datetime import timedelta

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from gnomon.testing import Delivered, NotForTests, ProcessesAtWork, VirtualTime
from tests.sql.acts import cancel, ledger, utc
from tests.support.given import given_schedule, given_user, value

_START = utc("2027-03-01T12:00:00")
_DAY = timedelta(days=1)


@pytest.fixture
def berlin(virtual_time: VirtualTime, connection: psycopg.Connection) -> psycopg.Connection:
    """A user in Berlin, at noon (UTC) of the first of March."""
    virtual_time.start(_START)
    given_user(connection)
    return connection


def test_a_database_without_a_mark_is_refused(database_url: str, connection: psycopg.Connection) -> None:
    by_itself = make_conninfo(database_url, options="-c gnomon.is_for_tests=on")
    with pytest.raises(NotForTests):
        VirtualTime(by_itself)

    assert value(connection, "select gnomon_data.now_utc() - clock_timestamp() < interval '1 s'")


def test_a_database_at_work_is_refused(gnomon_url: str, connection: psycopg.Connection) -> None:
    connection.execute("select * from gnomon.beat(gen_random_uuid(), 'due', 'a poller')")
    with pytest.raises(ProcessesAtWork):
        VirtualTime(gnomon_url)


def test_the_real_clock_comes_back(gnomon_url: str, connection: psycopg.Connection) -> None:
    before = value(connection, "select pg_get_functiondef('gnomon_data.now_utc'::regproc)")
    with VirtualTime(gnomon_url) as virtual_time:
        virtual_time.start(_START)
        assert value(connection, "select gnomon_data.now_utc()") == virtual_time.now == _START

    assert value(connection, "select pg_get_functiondef('gnomon_data.now_utc'::regproc)") == before
    assert value(connection, "select to_regclass('gnomon_data.virtual_clock') is null")


def test_a_daily_reminder_lives_through_a_change_of_clocks(virtual_time: VirtualTime, berlin: psycopg.Connection) -> None:
    made = given_schedule(berlin, schedule_at="02:30", recurrence={"pattern": "daily"}, channels=["log", "email"])

    sent = virtual_time.advance(utc("2027-04-01T00:00:00"))

    assert virtual_time.now == utc("2027-04-01T00:00:00")
    days = [utc("2027-03-02T01:30:00") + n * _DAY for n in range(26)] + [utc("2027-03-28T01:00:00")]
    days += [utc("2027-03-29T00:30:00") + n * _DAY for n in range(3)]
    for channel in ("log", "email"):
        got = [delivered for delivered in sent if delivered.channel == channel]
        assert [delivered.due_at for delivered in got] == days
        assert [delivered.at for delivered in got] == days
        assert [delivered.occurrence for delivered in got] == list(range(1, 31))
        assert got[26].local_time == "2027-03-28T02:30"
    assert {(delivered.schedule_id, delivered.user_id, delivered.time_zone) for delivered in sent} == {
        (made.schedule_id, "u_abc123", "Europe/Berlin")
    }
    assert len({delivered.delivery_id for delivered in sent}) == 60
    assert ledger(berlin) == ["fired"] * 30


def test_what_lies_years_ahead_is_reached_in_one_jump(virtual_time: VirtualTime, berlin: psycopg.Connection) -> None:
    at = utc("2033-02-28T17:00:00")
    given_schedule(berlin, schedule_at=at)

    assert [delivered.due_at for delivered in virtual_time.advance(at - timedelta(seconds=1))] == []
    assert [delivered.due_at for delivered in virtual_time.advance(timedelta(seconds=1))] == [at]


def test_time_stands_between_two_advances(virtual_time: VirtualTime, berlin: psycopg.Connection) -> None:
    made = given_schedule(berlin, schedule_at="PT1H")
    assert virtual_time.advance(timedelta(minutes=59)) == []
    assert cancel(berlin, made.schedule_id).status == "cancelled"
    assert virtual_time.advance(_DAY) == []


def test_time_does_not_go_back(virtual_time: VirtualTime, berlin: psycopg.Connection) -> None:
    del berlin
    with pytest.raises(ValueError, match="forward"):
        virtual_time.advance(_START - _DAY)
    with pytest.raises(ValueError, match="zone"):
        virtual_time.start(_START.replace(tzinfo=None))


def test_a_receiver_that_fails_is_tried_again_in_virtual_time(virtual_time: VirtualTime, berlin: psycopg.Connection) -> None:
    virtual_time.outcome_of = _fails_until(attempt=3)
    given_schedule(berlin, schedule_at="PT1H")

    sent = virtual_time.advance(_DAY)

    assert [delivered.attempt for delivered in sent] == [1, 2, 3]
    assert sent[0].at < sent[1].at < sent[2].at
    assert value(berlin, "select outcome || attempts from gnomon_data.delivery_log") == "sent3"


def test_an_outage_is_a_start_further_on(virtual_time: VirtualTime, berlin: psycopg.Connection) -> None:
    given_schedule(berlin, schedule_at="09:00", recurrence={"pattern": "daily"})
    back_at = _START + timedelta(days=10)
    virtual_time.start(back_at)

    late, *others = virtual_time.advance(timedelta(days=2))

    assert (late.due_at, late.at) == (utc("2027-03-02T08:00:00"), back_at)
    assert [delivered.at for delivered in others] == [utc("2027-03-12T08:00:00"), utc("2027-03-13T08:00:00")]


def test_a_transaction_that_stays_open_is_passed_by(
    virtual_time: VirtualTime, berlin: psycopg.Connection, gnomon_url: str
) -> None:
    made = given_schedule(berlin, schedule_at="PT1H")
    with psycopg.connect(gnomon_url) as caller:
        cancel(caller, made.schedule_id)
        assert virtual_time.advance(timedelta(hours=2)) == []
        caller.rollback()

    assert [delivered.schedule_id for delivered in virtual_time.advance(timedelta(minutes=1))] == [made.schedule_id]


def test_a_process_of_virtual_time_is_none_of_now(gnomon_url: str, connection: psycopg.Connection) -> None:
    for _ in range(2):
        with VirtualTime(gnomon_url) as virtual_time:
            virtual_time.start(utc("2033-03-01T12:00:00"))
            connection.execute("select * from gnomon.beat(gen_random_uuid(), 'due', 'a poller')")


def test_every_lane_and_channel_is_served(virtual_time: VirtualTime, berlin: psycopg.Connection) -> None:
    for lane in ("critical", "transactional", "bulk"):
        given_schedule(berlin, schedule_at="PT1H", lane=lane, channels=["log", "webhook", "sms"])
    assert len(virtual_time.advance(_DAY)) == 9


def _fails_until(*, attempt: int) -> Callable[[Delivered], str]:
    return lambda delivered: "sent" if delivered.attempt == attempt else "retry"
