"""The names of time zones: exact ones of our own table, and a hint for what comes near."""

import psycopg
import pytest

from tests.support.given import one, rows, value


def _fault(room: psycopg.Connection, time_zone: str | None) -> tuple[str, str, str] | None:
    found = one(room, "select f.fault from (select gnomon_data.zone_fault(%s) as fault) as f", time_zone).fault
    return found and (found.code, found.hint, found.pointer)


@pytest.mark.parametrize(
    "time_zone",
    [
        *(
            "UTC",
            "Europe/Berlin",
            "America/Argentina/Buenos_Aires",
            "US/Pacific",
            "Asia/Calcutta",
            "Europe/Kiev",
            "Etc/GMT+12",
        ),
        *("Pacific/Kiritimati", "Asia/Kathmandu"),
    ],
)
def test_known(room: psycopg.Connection, time_zone: str) -> None:
    assert _fault(room, time_zone) is None


@pytest.mark.parametrize(
    ("time_zone", "near"),
    [
        ("europe/berlin", "Europe/Berlin"),
        ("EUROPE/BERLIN", "Europe/Berlin"),
        ("Berlin", "Europe/Berlin"),
        ("America/New York", "America/New_York"),
        ("America/New-York", "America/New_York"),
        (" America/New_York", "America/New_York"),
        ("America/New_York ", "America/New_York"),
        ("America/New_York/", "America/New_York"),
        ("posix/America/New_York", "America/New_York"),
        ("right/America/New_York", "America/New_York"),
        ("Europe/New_York", "America/New_York"),
        ("Europe/Berln", "Europe/Berlin"),
        ("Europe/Londn", "Europe/London"),
        ("US/Pacific-New", "US/Pacific"),
        ("EST", "America/New_York"),
        ("EST5EDT", "America/New_York"),
        ("CET", "Europe/Paris"),
        ("cet", "Europe/Paris"),
        ("utc", "UTC"),
        ("GMT", "UTC"),
        ("Z", "UTC"),
        ("Singapore", "Asia/Singapore"),
        ("Japan", "Asia/Tokyo"),
    ],
)
def test_near_misses_are_named_and_never_taken(room: psycopg.Connection, time_zone: str, near: str) -> None:
    fault = _fault(room, time_zone)

    assert fault is not None
    code, hint, pointer = fault
    assert (code, pointer) == ("GN010", "/timezone")
    assert hint.split(";")[0] == f"did you mean {near}"


@pytest.mark.parametrize("time_zone", ["UTC+3", "UTC-05:30", "GMT+1", "+02:00", "-03", "5", "<+05>-5", "FOO+5"])
def test_offsets_are_told_why(room: psycopg.Connection, time_zone: str) -> None:
    fault = _fault(room, time_zone)

    assert fault is not None
    assert "UTC+3 means minus three hours" in fault[1]


@pytest.mark.parametrize(
    "time_zone",
    [
        *(
            "EST5EDT,M3.2.0,M11.1.0",
            "Etc/GMT-15",
            "localtime",
            "Factory",
            "../etc/passwd",
            "Mars/Phobos",
            "",
            " ",
            "/",
            "%",
            "_/_",
        ),
        *("Europe/Berlin'; drop table x", "Europe\\Berlin", "a" * 100_000, "Ευρώπη/Βερολίνο", "Europe/Berlin\n", None),
    ],
)
def test_unknown(room: psycopg.Connection, time_zone: str | None) -> None:
    fault = _fault(room, time_zone)

    assert fault is not None
    assert fault[0] == "GN010"
    assert 0 < len(fault[1]) < 300


def test_the_table_is_what_the_server_knows(connection: psycopg.Connection) -> None:
    names = {row.time_zone for row in rows(connection, "select time_zone from gnomon_data.time_zones")}
    assert len(names) > 400
    assert names - {name for name in names if "/" in name} == {"UTC"}
    assert not [name for name in names if name.startswith(("posix/", "right/"))]

    # Gone from the server, and new on it, as after an upgrade of its zone data.
    connection.execute("update gnomon_data.time_zones set time_zone = 'Mars/Phobos' where time_zone = 'Europe/Berlin'")
    assert value(connection, "select gnomon_data.load_time_zones()") == len(names)
    assert {row.time_zone for row in rows(connection, "select time_zone from gnomon_data.time_zones")} == names
    assert value(connection, "select gnomon_data.load_time_zones()") == len(names)


def test_every_name_is_taken_as_a_zone_and_not_as_an_abbreviation(room: psycopg.Connection) -> None:
    wrong = rows(
        room,
        """
        select z.time_zone
          from gnomon_data.time_zones as z join pg_timezone_names as n on n.name = z.time_zone
         where (now() at time zone z.time_zone) - (now() at time zone 'UTC') <> n.utc_offset
        """,
    )
    assert wrong == []


def test_a_known_zone_costs_one_look_at_an_index(room: psycopg.Connection) -> None:
    """A batch of ten thousand items looks ten thousand times."""
    room.execute("set plan_cache_mode = force_generic_plan")
    plan = value(
        room,
        "explain (format json) select exists (select from gnomon_data.time_zones as t where t.time_zone = %s)",
        "Europe/Berlin",
    )
    room.execute("reset plan_cache_mode")
    assert "time_zones_pkey" in str(plan)
