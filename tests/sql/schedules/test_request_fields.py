"""Every field, value and pattern of the contract is built, or refused by name; none is accepted and ignored."""

from typing import Any, Final

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.given import rows, value

_BASE: Final[dict[str, Any]] = {
    "user_id": "u_abc123",
    "template_id": "pill",
    "schedule_at": "18:00",
    "timezone": "UTC",
    "recurrence": {"pattern": "weekly"},
}

# The contract's table of the request, each with a value that it allows.
_FIELDS: Final[dict[str, list[Any]]] = {
    "user_id": ["u"],
    "template_id": ["t"],
    "schedule_type": ["user_local_time"],
    "schedule_at": ["18:00", "18:00:30"],
    "schedule_date": ["2036-01-01"],
    "timezone": ["Europe/Berlin"],
    "offset": ["PT5M", "-PT5M"],
    "channels": [["push"], ["email"], ["sms"], ["inbox"], ["webhook"], ["log"]],
    "params": [{"a": None}],
    "category": ["news"],
    "lane": ["critical", "transactional", "bulk"],
    "dedup_key": ["d"],
    "key": ["k"],
    "window": ["PT1H"],
    "expires_in": ["PT1H"],
    "collapse_key": ["c"],
    "if_past": ["next", "now", "skip", "reject"],
    "on_gap": ["next_valid", "skip"],
    "on_overlap": ["first", "second"],
    "misfire": ["fire_once", "skip", "catch_up"],
    "misfire_limit": [3],
    "max_lateness": ["PT1H"],
    "condition": [{"name": "is_subscribed", "args": {}}],
    "labels": [{"course": "7"}],
}
_NOT_BUILT: Final = {
    ("category", "news"),
    ("collapse_key", "c"),
    ("misfire", "skip"),
    ("misfire", "catch_up"),
    ("misfire_limit", 3),
    ("max_lateness", "PT1H"),
    ("condition", "{...}"),
}
_ALIASES: Final = {
    "template": "template_id",
    "send_at": "schedule_at",
    "variables": "params",
    "priority": "lane",
    "idempotency_key": "dedup_key",
}

_RECURRENCE: Final[dict[str, Any]] = {
    "interval": 2,
    "weekdays": ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"],
    "start_date": "2036-01-01",
    "end_date": "2036-12-31",
    "end_after": 90,
    "days_of_month": [1, -1],
    "nth": {"weekday": "MON", "n": -1},
    "on_missing_day": "last",
    "every": "PT15M",
    "cron_expr": "0 9 * * 1",
    "rrule": "FREQ=DAILY",
    "exclude_dates": ["2036-01-02"],
    "exclude_calendars": ["holidays"],
}
_RECURRENCE_BUILT: Final = {"interval", "weekdays", "start_date", "end_date", "end_after"}
_JSON: Final = "%s::jsonb"
_PATTERNS: Final = ["daily", "weekly", "monthly", "yearly", "elapsed", "cron", "rrule"]


def _code(connection: psycopg.Connection, request: dict[str, Any]) -> tuple[str | None, str | None, str]:
    try:
        with connection.transaction(force_rollback=True):
            connection.execute("select gnomon.schedule(%s)", [Jsonb(request)])
    except psycopg.Error as fault:
        return fault.sqlstate, fault.diag.column_name, fault.diag.message_primary or ""
    return None, None, ""


@pytest.mark.parametrize(("field", "given"), [(field, given) for field, values in _FIELDS.items() for given in values])
def test_each_field_and_value_is_built_or_refused_by_name(untouched: psycopg.Connection, field: str, given: Any) -> None:
    request = {name: said for name, said in _BASE.items() if name != field}
    shown = "{...}" if field == "condition" else given
    is_built = not isinstance(given, str | int) or (field, shown) not in _NOT_BUILT
    is_built = is_built and field != "condition"

    code, pointer, message = _code(untouched, request | {field: given})

    if is_built:
        assert code is None, message
    else:
        assert (code, pointer) == ("GN028", f"/{field}")
        assert "not available in this version" in message
        assert field in message


def test_the_walk_misses_no_field(untouched: psycopg.Connection) -> None:
    known = rows(untouched, "select field, alias from gnomon_data.request_fields()")
    assert {row.field for row in known} == {*_FIELDS, "recurrence", "expires_at"}
    assert {row.alias: row.field for row in known if row.alias} == _ALIASES


@pytest.mark.parametrize("pattern", _PATTERNS)
def test_each_pattern(untouched: psycopg.Connection, pattern: str) -> None:
    code, pointer, message = _code(untouched, _BASE | {"recurrence": {"pattern": pattern}})
    if pattern in {"daily", "weekly"}:
        assert code is None
    else:
        assert (code, pointer) == ("GN028", "/recurrence/pattern")
        assert message == f"recurrence.pattern {pattern} is not available in this version"


@pytest.mark.parametrize("field", _RECURRENCE)
def test_each_field_of_a_recurrence(untouched: psycopg.Connection, field: str) -> None:
    code, pointer, message = _code(untouched, _BASE | {"recurrence": {"pattern": "weekly", field: _RECURRENCE[field]}})
    if field in _RECURRENCE_BUILT:
        assert code is None, message
    else:
        assert (code, pointer) == ("GN028", f"/recurrence/{field}")


@pytest.mark.parametrize("field", [*_FIELDS, "recurrence", "expires_at"])
def test_null_means_absent(untouched: psycopg.Connection, field: str) -> None:
    required = {"user_id", "template_id", "schedule_at"}
    code, pointer, _ = _code(untouched, _BASE | {field: None})
    if field in required:
        assert (code, pointer) == ("GN024", f"/{field}")
    elif field == "timezone":
        assert code == "GN026"
    else:
        assert code is None


@pytest.mark.parametrize(("alias", "field"), _ALIASES.items())
def test_an_alias_is_the_field_and_both_are_one_too_many(untouched: psycopg.Connection, alias: str, field: str) -> None:
    given = _FIELDS[field][0]
    request = {name: said for name, said in _BASE.items() if name != field}
    assert _code(untouched, request | {alias: given})[0] is None
    assert _code(untouched, request | {alias: given, field: given})[0] == "GN024"
    assert _code(untouched, request | {alias: given, field: None})[0] is None


@pytest.mark.parametrize(
    "call",
    [
        "schedule_at('u', 't', gnomon.clock_utc(), {})",
        "schedule_in('u', 't', '1 h', {})",
        "schedule_local('u', 't', '18:00', null, 'UTC', {})",
    ],
)
def test_what_is_not_built_is_refused_in_the_short_forms_too(untouched: psycopg.Connection, call: str) -> None:
    with untouched.transaction(force_rollback=True):
        assert value(untouched, f"select (gnomon.{call.format(_JSON)}).status", "{}") == "scheduled"
    with pytest.raises(psycopg.Error) as fault:
        untouched.execute(f"select gnomon.{call.format(_JSON)}", ['{"collapse_key": "c"}'])
    assert fault.value.sqlstate == "GN028"
