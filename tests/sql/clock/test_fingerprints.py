"""Fingerprints of zones: what changed is named, from when on, and only what is still to come counts."""

from datetime import datetime, timedelta
from typing import Any, Final

import psycopg
import pytest

from tests.sql.acts import utc
from tests.support.clock import advance, set_clock
from tests.support.given import one, rows, value

_NOON: Final = utc("2026-12-01T12:00:00")
_HOUR: Final = timedelta(hours=1)


_ZONES: Final = ["Europe/Berlin", "Europe/Paris"]


@pytest.fixture
def at_noon(connection: psycopg.Connection) -> psycopg.Connection:
    """A database whose fingerprints were taken at noon; two only, since all of them take a while."""
    set_clock(connection, _NOON)
    connection.execute("truncate gnomon_data.zone_fingerprints")
    connection.execute("select gnomon_data.take_fingerprints(%s, gnomon_data.now_utc())", [_ZONES])
    return connection


def _drift(connection: psycopg.Connection) -> list[Any]:
    return rows(connection, "select * from gnomon.zone_drift()")


def test_every_zone_has_a_fingerprint_over_two_years(connection: psycopg.Connection) -> None:
    told = one(
        connection,
        "select count(*), min(until_utc - from_utc) as span_for, (select count(*) from gnomon_data.time_zones) as zones"
        " from gnomon_data.zone_fingerprints",
    )
    assert told.count == told.zones > 500
    assert told.span_for == timedelta(days=731)
    assert _drift(connection) == []


def test_changes_are_found_to_the_minute(at_noon: psycopg.Connection) -> None:
    """Against a walk over every half hour of two years: none is missed between two steps."""
    zones = ["Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu", "America/St_Johns", "Africa/Cairo"]
    until = _NOON + timedelta(days=730)
    found = rows(
        at_noon,
        "select c.time_zone, u.at_utc, u.seconds"
        " from gnomon_data.zone_changes(%s, %s, %s) as c, unnest(c.changes_at_utc, c.offsets) as u (at_utc, seconds)"
        " order by 1, 2",
        *(zones, _NOON, until),
    )
    walked = rows(
        at_noon,
        "select w.* from (select z.name, h.at_utc, gnomon_data.zone_offset(z.name, h.at_utc) as seconds,"
        " gnomon_data.zone_offset(z.name, h.at_utc - interval '30 min') as before"
        " from unnest(%s::text[]) as z (name), generate_series(%s::timestamptz, %s, interval '30 min') as h (at_utc)) as w"
        " where w.seconds <> w.before order by 1, 2",
        *(zones, _NOON, until),
    )
    assert [tuple(row) for row in found] == [tuple(row)[:3] for row in walked]
    assert len(found) == 16


def test_the_public_rules_say_the_same_for_every_zone(at_noon: psycopg.Connection) -> None:
    told = rows(at_noon, "select * from gnomon.zone_rules(%s, %s)", _NOON, _NOON + timedelta(days=300))
    berlin = next(row for row in told if row.time_zone == "Europe/Berlin")
    assert len(told) > 500
    assert berlin.first_offset == _HOUR
    assert berlin.changes_at_utc == [utc("2027-03-28T01:00:00")]
    assert berlin.offsets == [2 * _HOUR]
    with pytest.raises(psycopg.errors.Error, match="ten years"):
        at_noon.execute("select gnomon.zone_rules(%s, %s)", [_NOON, _NOON + timedelta(days=4000)])


def _remember_other_rules(connection: psycopg.Connection, change: str) -> None:
    connection.execute(f"update gnomon_data.zone_fingerprints set {change} where time_zone = 'Europe/Berlin'".encode())


def test_a_change_that_moved_is_named_with_its_instant(at_noon: psycopg.Connection) -> None:
    _remember_other_rules(at_noon, "changes_at_utc[1] = changes_at_utc[1] + interval '168 hours'")

    [drift] = _drift(at_noon)

    assert drift.time_zone == "Europe/Berlin"
    assert drift.differs_from_utc == utc("2027-03-28T01:00:00")
    assert (drift.offset_before, drift.offset_now) == (_HOUR, 2 * _HOUR)
    assert drift.taken_at_utc == _NOON
    assert drift.taken_from.startswith("PostgreSQL ")


def test_another_offset_differs_from_now_on(at_noon: psycopg.Connection) -> None:
    _remember_other_rules(at_noon, "first_offset = 0")
    assert [(row.differs_from_utc, row.offset_before) for row in _drift(at_noon)] == [(_NOON, timedelta())]


def test_a_difference_in_the_past_is_none(at_noon: psycopg.Connection) -> None:
    _remember_other_rules(at_noon, "first_offset = 0")
    set_clock(at_noon, utc("2027-04-01T00:00:00"))
    assert _drift(at_noon) == []


def test_a_clock_that_went_back_sees_no_change(at_noon: psycopg.Connection) -> None:
    set_clock(at_noon, utc("2026-07-01T00:00:00"))
    assert _drift(at_noon) == []


def test_a_zone_that_the_server_no_longer_has_is_named(at_noon: psycopg.Connection) -> None:
    _remember_other_rules(at_noon, "time_zone = 'Europe/Atlantis'")
    [drift] = _drift(at_noon)
    assert (drift.time_zone, drift.offset_now) == ("Europe/Atlantis", None)


def _until(connection: psycopg.Connection, zone: str) -> datetime:
    return value(connection, "select until_utc from gnomon_data.zone_fingerprints where time_zone = %s", zone)


def test_renewal_goes_on_with_the_clock_and_leaves_what_changed(at_noon: psycopg.Connection) -> None:
    _remember_other_rules(at_noon, "first_offset = 0")
    before = _until(at_noon, "Europe/Berlin")
    assert value(at_noon, "select gnomon.renew_fingerprints()") == 1
    assert _until(at_noon, "Europe/Paris") == before  # a day has not passed

    advance(at_noon, timedelta(days=2))

    assert value(at_noon, "select gnomon.renew_fingerprints()") == 1
    assert _until(at_noon, "Europe/Paris") == before + timedelta(days=2)
    assert _until(at_noon, "Europe/Berlin") == before


def test_a_new_zone_is_learnt_with_its_rules(at_noon: psycopg.Connection) -> None:
    for table in ("time_zones", "zone_fingerprints"):
        at_noon.execute(f"delete from gnomon_data.{table} where time_zone = 'Europe/Berlin'".encode())
    at_noon.execute("select gnomon.renew_fingerprints()")
    assert _until(at_noon, "Europe/Berlin") > _NOON
    assert value(at_noon, "select exists (select from gnomon_data.time_zones where time_zone = 'Europe/Berlin')")


def _stand_in(connection: psycopg.Connection, zones: str) -> None:
    connection.execute(
        "create or replace function gnomon_data.server_zones() returns text[] language sql stable as"
        f" $$ select {zones} $$".encode()
    )


def test_a_lost_name_goes_and_a_folder_that_is_being_replaced_takes_none_away(connection: psycopg.Connection) -> None:
    count = "select count(*) from gnomon_data.time_zones"
    before = value(connection, count)
    _stand_in(connection, "array['UTC', 'Europe/Berlin']")
    connection.execute("select gnomon_data.load_time_zones()")
    assert value(connection, count) == before
    _stand_in(connection, "'{}'::text[]")
    connection.execute("select gnomon_data.load_time_zones()")
    assert value(connection, count) == before

    kept = value(connection, "select array_agg(time_zone) from gnomon_data.time_zones where time_zone <> 'US/Pacific'")
    _stand_in(connection, f"array{kept!r}")
    connection.execute("select gnomon_data.load_time_zones()")
    assert value(connection, count) == before - 1
