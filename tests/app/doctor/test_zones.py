"""The comparison of the server's rules with the package's, and what is to be done about a difference."""

from datetime import UTC, datetime, timedelta

import pytest

from gnomon.doctor import zones
from gnomon.doctor.calls import ZoneRules
from gnomon.doctor.iana import Difference, package_reading

_FROM = datetime(2026, 12, 1, tzinfo=UTC)
_UNTIL = _FROM + timedelta(days=730)
_HOUR = timedelta(hours=1)


def _rules(zone: str) -> ZoneRules:
    """What a server with the package's rules would say."""
    reading = package_reading(zone, _FROM, _UNTIL)
    assert reading is not None
    return ZoneRules(zone, reading.first, list(reading.changes), list(reading.changes.values()))


def test_changes_are_on_the_minute() -> None:
    assert _rules("Europe/Berlin").changes_at_utc == [
        datetime(2027, 3, 28, 1, tzinfo=UTC),
        datetime(2027, 10, 31, 1, tzinfo=UTC),
        datetime(2028, 3, 26, 1, tzinfo=UTC),
        datetime(2028, 10, 29, 1, tzinfo=UTC),
    ]


def test_the_same_rules_differ_nowhere() -> None:
    assert zones.differences([_rules("Europe/Berlin"), _rules("Australia/Lord_Howe")], _FROM) == []


def test_a_change_on_another_day_is_found_where_it_comes_first() -> None:
    rules = _rules("Europe/Berlin")
    rules.changes_at_utc[1] -= timedelta(days=7)
    assert zones.differences([rules], _FROM) == [
        Difference("Europe/Berlin", datetime(2027, 10, 24, 1, tzinfo=UTC), _HOUR, 2 * _HOUR)
    ]


def test_a_summer_that_was_abolished() -> None:
    rules = ZoneRules("Europe/Berlin", _HOUR, [], [])
    [found] = zones.differences([rules], _FROM)
    assert (found.from_utc, found.server_offset, found.package_offset) == (
        datetime(2027, 3, 28, 1, tzinfo=UTC),
        _HOUR,
        2 * _HOUR,
    )


def test_another_offset_from_the_start_and_a_name_that_only_the_server_has() -> None:
    rules = [ZoneRules("UTC", _HOUR, [], []), ZoneRules("Europe/Atlantis", _HOUR, [], [])]
    assert [one.from_utc for one in zones.differences(rules, _FROM)] == [_FROM]


@pytest.mark.parametrize(
    ("server", "is_embedded", "has_zic", "says"),
    [
        (None, False, True, "Upgrade the server's zone data"),
        ("bundled", True, False, "Install zic"),
        ("bundled", True, True, "may hold programs"),
        ("2026e", True, True, "started with 2026e, and the package is 2026f by now"),
    ],
)
def test_what_to_do_depends_on_where_the_rules_come_from(
    monkeypatch: pytest.MonkeyPatch, server: str | None, says: str, *, is_embedded: bool, has_zic: bool
) -> None:
    monkeypatch.setattr(zones, "zic_program", lambda: "zic" if has_zic else None)
    assert says in zones._remedy(server, "2026f", is_embedded=is_embedded)
