"""What a schedule has of its category: request, then category, then installation, for each field; and what changes when."""

from datetime import timedelta
from itertools import product
from typing import Any, Final

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.sql.acts import fire, reschedule, schedule_many, sweep, utc
from tests.support.clock import advance, set_clock
from tests.support.given import given_schedule, one, rows, value

_NINE: Final = utc("2026-12-01T09:00:00")
_DUE: Final = "2026-12-01T10:00:00Z"
# What a request may say, what its category may say, and what is there when neither does.
_LANES: Final = (None, "critical", "bulk")
_CHANNELS: Final = (None, ["push"], ["email", "sms"])
_EXPIRIES: Final = (None, "PT2H", "PT5M")


@pytest.fixture
def at_nine(connection: psycopg.Connection) -> psycopg.Connection:
    set_clock(connection, _NINE)
    return connection


def set_category(connection: psycopg.Connection, name: str, **settings: Any) -> Any:
    return one(connection, "select * from gnomon.set_category(%s, %s)", name, Jsonb(settings))


def deliveries(connection: psycopg.Connection, user_id: str = "u_abc123") -> list[Any]:
    return rows(
        connection,
        "select gnomon_data.lane_name(lane) as lane, channel, expires_at_utc from gnomon_data.deliveries"
        " where user_id = %s order by channel",
        user_id,
    )


def _said(**words: Any) -> dict[str, Any]:
    return {name: word for name, word in words.items() if word is not None}


def test_each_field_is_the_requests_else_the_categorys_else_the_default(at_nine: psycopg.Connection) -> None:
    """Every combination at once, over the way of one request and over that of many that are alike."""
    kinds = dict(enumerate(product(_LANES, _CHANNELS, _EXPIRIES)))
    for number, (lane, channels, expires_in) in kinds.items():
        set_category(at_nine, f"kind-{number}", **_said(lane=lane, channels=channels, expires_in=expires_in))
    given = list(product([None, *kinds], _LANES, _CHANNELS, _EXPIRIES))
    requests = [
        {"user_id": f"u_{n}", "template_id": "t", "schedule_at": _DUE}
        | _said(category=None if kind is None else f"kind-{kind}", lane=lane, channels=channels, expires_in=expires_in)
        for n, (kind, lane, channels, expires_in) in enumerate(given)
    ]
    halves = requests[: len(requests) // 2], requests[len(requests) // 2 :]
    told = schedule_many(at_nine, halves[0]) + [
        told for n in range(0, len(halves[1]), 31) for told in schedule_many(at_nine, halves[1][n : n + 31])
    ]
    assert {item.error_code for item in told} == {None}
    advance(at_nine, timedelta(hours=1))
    while fire(at_nine):
        pass

    made = {
        row.user_id: (row.lanes, row.channels, row.expiries)
        for row in rows(
            at_nine,
            "select user_id, array_agg(distinct gnomon_data.lane_name(lane)) as lanes,"
            " array_agg(channel order by channel) as channels, array_agg(distinct expires_at_utc) as expiries"
            " from gnomon_data.deliveries group by 1",
        )
    }
    wrong: dict[int, Any] = {}
    for n, (kind, *own) in enumerate(given):
        inherited = (None, None, None) if kind is None else kinds[kind]
        said: list[Any] = [mine or theirs for mine, theirs in zip(own, inherited, strict=True)]
        lasts = {"PT2H": timedelta(hours=2), "PT5M": timedelta(minutes=5)}.get(said[2])
        expected = ([said[0] or "transactional"], said[1] or ["log"], [lasts and utc("2026-12-01T10:00:00") + lasts])
        if made[f"u_{n}"] != expected:
            wrong[n] = (kind, own, made[f"u_{n}"], expected)
    assert wrong == {}


def test_an_unknown_category_is_refused_and_told_how_one_is_made(untouched: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error) as fault:
        given_schedule(untouched, category="news")
    assert (fault.value.sqlstate, fault.value.diag.column_name) == ("GN024", "/category")
    hint = fault.value.diag.message_hint or ""
    assert "digest, marketing, otp" in hint
    assert all(way in hint for way in ("gnomon.set_category", "PUT /v1/categories/{name}", "gnomon categories set"))


def test_a_window_that_outlasts_the_categorys_expiry_is_refused(at_nine: psycopg.Connection) -> None:
    set_category(at_nine, "short", expires_in="PT10M")
    with pytest.raises(psycopg.Error) as fault:
        given_schedule(at_nine, category="short", window="PT10M")
    assert (fault.value.sqlstate, fault.value.diag.column_name) == ("GN024", "/window")
    assert given_schedule(at_nine, category="short", window="PT10M", expires_in="PT1H").status == "scheduled"
    assert given_schedule(at_nine, category="short", window="PT9M").status == "scheduled"


def test_a_changed_category_reaches_what_is_pending_but_for_its_lane(at_nine: psycopg.Connection) -> None:
    set_category(at_nine, "kind", lane="bulk", channels=["push"])
    given_schedule(at_nine, category="kind", schedule_at=_DUE)
    set_category(at_nine, "kind", lane="critical", channels=["email", "sms"], expires_in="PT30M")
    given_schedule(at_nine, user_id="u_new", category="kind", schedule_at=_DUE)
    advance(at_nine, timedelta(hours=1))
    while fire(at_nine):
        pass
    until = utc("2026-12-01T10:30:00")
    assert [tuple(d) for d in deliveries(at_nine)] == [("bulk", "email", until), ("bulk", "sms", until)]
    assert {d.lane for d in deliveries(at_nine, "u_new")} == {"critical"}


def test_what_is_pending_goes_on_by_a_dropped_category_and_can_be_edited(at_nine: psycopg.Connection) -> None:
    set_category(at_nine, "kind", lane="bulk", channels=["push"], expires_in="PT30M")
    made = given_schedule(at_nine, category="kind", schedule_at=_DUE, key="k")
    assert value(at_nine, "select gnomon.drop_category('kind')")
    for refused in ({"category": "kind"}, {"category": "kind", "key": "k", "params": {"a": 1}}):
        with pytest.raises(psycopg.Error, match="category has been dropped") as fault:
            given_schedule(at_nine, refused)
        assert fault.value.diag.column_name == "/category"
    assert reschedule(at_nine, made.schedule_id, {"params": {"a": 1}}).version == 2
    assert value(at_nine, "select gnomon.category_of(%s)", made.schedule_id) == "kind"
    advance(at_nine, timedelta(hours=1))
    while fire(at_nine):
        pass
    assert [tuple(d) for d in deliveries(at_nine)] == [("bulk", "push", utc("2026-12-01T10:30:00"))]


def test_an_edit_names_another_category_or_none(at_nine: psycopg.Connection) -> None:
    made = given_schedule(at_nine, category="marketing", schedule_at=_DUE)

    def stands() -> tuple[str | None, str]:
        found = one(at_nine, "select * from gnomon.find_schedule(%s)", made.schedule_id)
        return value(at_nine, "select gnomon.category_of(%s)", made.schedule_id), found.lane

    assert stands() == ("marketing", "bulk")
    for change, then in (
        ({"category": "otp"}, ("otp", "critical")),
        ({"params": {"a": 1}}, ("otp", "critical")),
        ({"lane": "transactional"}, ("otp", "transactional")),
        ({"params": {"a": 2}}, ("otp", "transactional")),
        ({"lane": None}, ("otp", "critical")),
        ({"category": None}, (None, "transactional")),
        ({"category": "digest", "lane": "critical"}, ("digest", "critical")),
    ):
        reschedule(at_nine, made.schedule_id, change)
        assert stands() == then, change
    changed = value(at_nine, "select gnomon.explain_schedule(%s) #>> '{history,1,what}'", made.schedule_id)
    assert "category" in changed
    with pytest.raises(psycopg.Error) as fault:
        reschedule(at_nine, made.schedule_id, {"category": "news"})
    assert (fault.value.sqlstate, fault.value.diag.column_name) == ("GN024", "/category")


def test_what_is_on_its_way_still_tells_its_category(at_nine: psycopg.Connection) -> None:
    made = given_schedule(at_nine, category="otp", schedule_at=_DUE)
    daily = given_schedule(
        at_nine, user_id="u_2", category="digest", schedule_at="18:00", timezone="UTC", recurrence={"pattern": "daily"}
    )
    at_nine.execute("select gnomon.run_schedule(%s)", [daily.schedule_id])
    advance(at_nine, timedelta(hours=1) - timedelta(seconds=1))
    while fire(at_nine):
        pass
    assert value(at_nine, "select gnomon.category_of(%s)", made.schedule_id) == "otp"
    listed = "select gnomon.category_of(schedule_id) from gnomon.pending_schedules('u_abc123')"
    assert value(at_nine, listed) == "otp"
    found = rows(at_nine, "select category, occurrence from gnomon_data.deliveries order by 1")
    assert [tuple(row) for row in found] == [("digest", 0), ("otp", 1)]


def test_an_edit_reads_the_lane_anew_and_an_unchanged_upsert_does_not(at_nine: psycopg.Connection) -> None:
    set_category(at_nine, "kind", lane="bulk")
    made = given_schedule(at_nine, category="kind", schedule_at=_DUE, key="k")
    set_category(at_nine, "kind", lane="critical")
    given_schedule(at_nine, category="kind", schedule_at=_DUE, key="k")
    lane = "select lane from gnomon.find_schedule(%s)"
    assert value(at_nine, lane, made.schedule_id) == "bulk"
    reschedule(at_nine, made.schedule_id, {"params": {"a": 1}})
    assert value(at_nine, lane, made.schedule_id) == "critical"
    noted = value(at_nine, "select detail -> 'changed' -> 'lane' from gnomon_data.events where kind = 'edited'")
    assert noted == {"from": "bulk", "to": "critical"}
    assert [row.lane for row in rows(at_nine, "select lane from gnomon_data.timers")] == [0]


def test_a_reschedule_of_many_gives_all_of_them_another_category(at_nine: psycopg.Connection) -> None:
    for n in range(3):
        given_schedule(at_nine, user_id=f"u_{n}", schedule_at=_DUE, labels={"season": "spring"}, category="marketing")
    change = Jsonb({"category": "otp"})
    at_nine.execute("select gnomon.reschedule_by_label('season', 'spring', %s)", [change])
    sweep(at_nine)
    found = rows(at_nine, "select category, lane from gnomon_data.schedules")
    assert [tuple(row) for row in found] == [("otp", 0)] * 3


def test_an_upsert_keeps_and_changes_the_category(at_nine: psycopg.Connection) -> None:
    first = given_schedule(at_nine, category="digest", schedule_at=_DUE, key="k")
    same = given_schedule(at_nine, category="digest", schedule_at=_DUE, key="k")
    assert (same.schedule_id, same.version, same.is_duplicate) == (first.schedule_id, 1, True)
    changed = given_schedule(at_nine, category="otp", schedule_at=_DUE, key="k")
    assert (changed.schedule_id, changed.version) == (first.schedule_id, 2)
    listed = one(at_nine, "select category, version from gnomon.schedules")
    assert tuple(listed) == ("otp", 2)
    assert one(at_nine, "select lane from gnomon_data.timers").lane == 0


def test_an_edit_that_changes_nothing_of_the_request_leaves_the_key_as_it_is(at_nine: psycopg.Connection) -> None:
    """A rebuild after an edit and its undoing finds the request it knows: lane and category are merged as they were said."""
    request = {"category": "otp", "lane": "transactional", "schedule_at": _DUE, "key": "k"}
    made = given_schedule(at_nine, request)
    reschedule(at_nine, made.schedule_id, {"params": {"a": 1}})
    reschedule(at_nine, made.schedule_id, {"params": None})
    again = given_schedule(at_nine, request)
    assert (again.version, again.is_duplicate) == (3, True)


@pytest.mark.parametrize(
    "call",
    [
        "schedule_at('u', 't', gnomon.clock_utc() + interval '1 h', %s)",
        "schedule_in('u', 't', '1 h', %s)",
        "schedule_local('u', 't', '18:00', null, 'UTC', %s)",
        "schedule_cron('u', 't', '0 9 * * *', 'UTC', %s)",
    ],
)
def test_the_short_forms_take_it_as_an_option(untouched: psycopg.Connection, call: str) -> None:
    with untouched.transaction(force_rollback=True):
        untouched.execute(f"select gnomon.{call}", [Jsonb({"category": "marketing"})])
        row = one(untouched, "select category, lane from gnomon_data.schedules")
        assert (row.category, row.lane) == ("marketing", 2)


def test_an_extra_run_has_what_the_category_says_too(at_nine: psycopg.Connection) -> None:
    set_category(at_nine, "kind", lane="critical", channels=["sms"], expires_in="PT5M")
    made = given_schedule(at_nine, category="kind", schedule_at="18:00", timezone="UTC", recurrence={"pattern": "daily"})
    at_nine.execute("select gnomon.run_schedule(%s)", [made.schedule_id])
    assert [tuple(d) for d in deliveries(at_nine)] == [("critical", "sms", _NINE + timedelta(minutes=5))]


def test_warnings_and_details_speak_of_the_categorys_channels(at_nine: psycopg.Connection) -> None:
    set_category(at_nine, "kind", channels=["sms"])
    made = given_schedule(at_nine, category="kind", schedule_at=_DUE)
    assert ["sms" in warning for warning in made.warnings] == [True]
    request = {"user_id": "u", "template_id": "t", "schedule_at": _DUE, "category": "kind"}
    assert {tuple(item.warnings) for item in schedule_many(at_nine, [request] * 40)} == {tuple(made.warnings)}
    assert reschedule(at_nine, made.schedule_id, {"params": {"a": 1}}).warnings == made.warnings
    assert one(at_nine, "select channels from gnomon.find_schedule(%s)", made.schedule_id).channels == ["sms"]
    summary = value(at_nine, "select gnomon.explain_schedule(%s) ->> 'summary'", made.schedule_id)
    assert "Its category is kind, of which it has the lane transactional, the channels sms." in summary
