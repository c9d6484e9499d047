"""The forecast against what then fires, minute by minute; what is in it and what is not; what it costs at most."""

from collections import Counter
from datetime import datetime, timedelta
from random import Random

import psycopg
import pytest

from tests.sql.acts import cancel, fire, given_many, reschedule, schedule_many, step_to, utc
from tests.support.clock import set_clock
from tests.support.given import given_schedule, rows, value

DAWN = utc("2026-12-10T00:00:00")
DAY = timedelta(days=1)

_ZONES = ("Europe/Berlin", "Asia/Kathmandu", "America/New_York", "Pacific/Apia", "Australia/Lord_Howe")
_FIRED = """
select date_bin('1 min', fire_at_utc, 'epoch') as minute_utc, gnomon_data.lane_name(lane) as lane, count(*) as fired_count
  from gnomon_data.occurrence_log where outcome = 'fired' and occurrence = 1 and fire_at_utc < %s group by 1, 2
"""
_LANES = ("critical", "transactional", "bulk")


def _forecast(connection: psycopg.Connection, start: datetime, end: datetime) -> Counter[tuple[datetime, str]]:
    found = rows(connection, "select * from gnomon.load_forecast(%s, %s)", start, end)
    assert not any(row.is_estimate for row in found)
    return Counter({(row.minute_utc, row.lane): row.due_count for row in found})


def _day_of_requests(random: Random) -> list[dict[str, object]]:
    """A day with a herd at 9 in each zone: recurrences, one-shots, windows, offsets; some beyond the day."""
    requests: list[dict[str, object]] = []
    for n in range(600):
        request: dict[str, object] = {"user_id": f"u{n}", "template_id": "t", "lane": random.choice(_LANES)}
        hour = 9 if n % 5 < 2 else random.randrange(24)
        local: dict[str, object] = {"schedule_at": f"{hour:02}:{random.randrange(60):02}", "timezone": random.choice(_ZONES)}
        match n % 3:
            case 0:
                request |= local | {"recurrence": {"pattern": "daily"}}
            case 1:
                request |= local | {"window": "PT45M", "offset": "PT5M"}
            case _:
                at = DAWN + timedelta(seconds=random.randrange(5, 40 * 3600))
                request |= {"schedule_at": at.isoformat()}
        requests.append(request)
    return requests


def test_a_day_fires_as_it_was_forecast(connection: psycopg.Connection) -> None:
    random = Random(4)  # noqa: S311  # a curve, no secret
    set_clock(connection, DAWN)
    value(connection, "select gnomon.make_periods()")
    made = schedule_many(connection, _day_of_requests(random))
    assert all(item.error_code is None for item in made)
    # Every way to leave a timer behind: edits, cancels, pauses.
    for item in random.sample(made, 90):
        match random.randrange(3):
            case 0:
                cancel(connection, item.schedule_id)
            case 1:
                value(connection, "select (gnomon.pause_schedule(%s)).version", item.schedule_id)
            case _:
                at = DAWN + timedelta(minutes=random.randrange(1, 1400))
                reschedule(connection, item.schedule_id, {"schedule_at": at.isoformat(), "recurrence": None})
    ahead = _forecast(connection, DAWN, DAWN + DAY)
    for step in range(1, 25):
        step_to(connection, DAWN + step * timedelta(hours=1) - timedelta(seconds=2, microseconds=1))
        while fire(connection):
            pass
    fired = Counter({(row.minute_utc, row.lane): row.fired_count for row in rows(connection, _FIRED, DAWN + DAY)})
    assert fired.total() > 400
    off = (ahead - fired) + (fired - ahead)
    assert off.total() <= fired.total() / 100, off.most_common(3)


def test_what_is_in_it(connection: psycopg.Connection) -> None:
    set_clock(connection, DAWN + timedelta(seconds=30))
    value(connection, "select gnomon.make_periods()")
    noon = DAWN + timedelta(hours=12)
    given_many(connection, 40, noon + timedelta(seconds=59), lane="bulk")
    far = DAWN + timedelta(days=20)
    given_schedule(connection, user_id="far", schedule_at=far)
    daily = given_schedule(connection, user_id="d", schedule_at="12:00", timezone="UTC", recurrence={"pattern": "daily"})
    at_noon = {(noon, "bulk"): 40, (noon, "transactional"): 1}
    assert _forecast(connection, DAWN, DAWN + 8 * DAY) == at_noon, "of a recurrence the next occurrence only"
    assert _forecast(connection, noon + timedelta(seconds=10), noon + timedelta(seconds=20)) == at_noon, "whole minutes"
    assert _forecast(connection, far, far + timedelta(minutes=1)) == {(far, "transactional"): 1}
    value(connection, "select (gnomon.pause_schedule(%s)).version", daily.schedule_id)
    assert _forecast(connection, noon, noon + DAY) == {(noon, "bulk"): 40}


@pytest.mark.parametrize(("start", "end"), [(DAWN, DAWN), (DAWN + DAY, DAWN), (DAWN, DAWN + 9 * DAY), (DAWN, None)])
def test_what_cannot_be_asked(connection: psycopg.Connection, start: datetime, end: datetime | None) -> None:
    with pytest.raises(psycopg.Error) as refused:
        rows(connection, "select * from gnomon.load_forecast(%s, %s)", start, end)
    assert refused.value.sqlstate == "GN024"


def test_more_than_is_counted_is_estimated_from_whole_shards(connection: psycopg.Connection) -> None:
    set_clock(connection, DAWN)
    value(connection, "select gnomon.make_periods()")
    body = value(connection, "select pg_get_functiondef('gnomon.load_forecast'::regproc)")
    assert "int := 1000000;" in body
    connection.execute(body.replace("int := 1000000;", "int := 2000;"))
    noon = DAWN + timedelta(hours=12)
    given_many(connection, 6000, noon)
    [found] = rows(connection, "select * from gnomon.load_forecast(%s, %s)", noon, noon + DAY)
    assert found.is_estimate
    assert 5000 < found.due_count < 7000
    connection.execute(body.replace("int := 1000000;", "int := 20;"))
    with pytest.raises(psycopg.Error, match="too much is due"):
        rows(connection, "select * from gnomon.load_forecast(%s, %s)", noon, noon + DAY)


_CITIES = (
    "Pacific/Pago_Pago", "Pacific/Honolulu", "America/Anchorage", "America/Los_Angeles", "America/Denver", "America/Chicago",
    "America/New_York", "America/Halifax", "America/Sao_Paulo", "Atlantic/South_Georgia", "Atlantic/Azores", "Europe/London",
    "Europe/Berlin", "Europe/Helsinki", "Europe/Moscow", "Asia/Dubai", "Asia/Karachi", "Asia/Kolkata", "Asia/Dhaka",
    "Asia/Bangkok", "Asia/Shanghai", "Asia/Tokyo", "Australia/Sydney", "Pacific/Auckland",
)  # fmt: skip
_CROWDED = "Asia/Kolkata"


def _founding_day(random: Random) -> list[dict[str, object]]:
    """Two fifths between 8 and 10 on the wall of 24 zones, one of which has ten times as many as each other."""
    requests: list[dict[str, object]] = []
    for n, zone in enumerate([city for city in _CITIES for _ in range(720 if city == _CROWDED else 72)]):
        minute = random.randrange(480, 600) if random.random() < 0.4 else random.randrange(1440)
        local = {"schedule_at": f"{minute // 60:02}:{minute % 60:02}", "timezone": zone}
        requests.append({"user_id": f"u{n}", "template_id": "t"} | local | {"recurrence": {"pattern": "daily"}})
    return requests


def test_the_founding_day_fires_as_it_was_forecast(connection: psycopg.Connection) -> None:
    random = Random(8)  # noqa: S311  # a curve, no secret
    set_clock(connection, DAWN - timedelta(minutes=1))
    value(connection, "select gnomon.make_periods()")
    requests = _founding_day(random)
    for first in range(0, len(requests), 800):
        assert all(item.error_code is None for item in schedule_many(connection, requests[first : first + 800]))
    ahead = _forecast(connection, DAWN, DAWN + DAY)
    assert ahead.total() == len(requests) == 2376
    for step in range(1, 25):
        step_to(connection, DAWN + step * timedelta(hours=1) - timedelta(seconds=2, microseconds=1))
        while fire(connection, 10_000):
            pass
    fired = Counter({(row.minute_utc, row.lane): row.fired_count for row in rows(connection, _FIRED, DAWN + DAY)})
    off = (ahead - fired) + (fired - ahead)
    assert off.total() <= fired.total() / 100, off.most_common(3)
    # Kolkata's own herd: half past two until half past four, UTC.
    herd = sum(
        count for (minute, _), count in ahead.items() if timedelta(minutes=150) <= minute - DAWN < timedelta(minutes=270)
    )
    assert herd > ahead.total() / 9
