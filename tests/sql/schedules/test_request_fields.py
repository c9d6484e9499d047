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
    "category": ["otp", "marketing"],
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
    ("collapse_key", "c"),
    ("condition", "{...}"),
}
_ALIASES: Final = {
    "template": "template_id",
    "send_at": "schedule_at",
    "variables": "params",
    "priority": "lane",
    "idempotency_key": "dedup_key",
}

# Each pattern of the contract with what it needs, and each field of a recurrence with a pattern and a value for it.
_PATTERNS: Final[dict[str, dict[str, Any]]] = {
    "daily": {},
    "weekly": {},
    "monthly": {},
    "yearly": {},
    "elapsed": {"every": "PT15M"},
    "cron": {"cron_expr": "0 9 * * 1"},
    "rrule": {"rrule": "FREQ=DAILY"},
}
_RECURRENCE: Final[dict[str, tuple[str, Any]]] = {
    "interval": ("yearly", 2),
    "weekdays": ("weekly", ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]),
    "start_date": ("rrule", "2036-01-01"),
    "end_date": ("cron", "2036-12-31"),
    "end_after": ("elapsed", 90),
    "days_of_month": ("monthly", [1, -1]),
    "nth": ("yearly", {"weekday": "MON", "n": -1}),
    "on_missing_day": ("monthly", "last"),
    "every": ("elapsed", "PT1H"),
    "cron_expr": ("cron", "@daily"),
    "rrule": ("rrule", "FREQ=YEARLY"),
    "exclude_dates": ("cron", ["2036-01-02"]),
    "exclude_calendars": ("daily", ["holidays"]),
}
_JSON: Final = "%s::jsonb"


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
    request |= {"misfire": "catch_up"} if field == "misfire_limit" else {}
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


def _recurring(pattern: str, **fields: Any) -> dict[str, Any]:
    """The base with a recurrence of this pattern, and a time only where one belongs."""
    without = {"elapsed", "cron"} & {pattern} and {"schedule_at"}
    request = {name: said for name, said in _BASE.items() if name not in (without or ())}
    return request | {"recurrence": {"pattern": pattern} | _PATTERNS[pattern] | fields}


@pytest.mark.parametrize("pattern", _PATTERNS)
def test_each_pattern(untouched: psycopg.Connection, pattern: str) -> None:
    code, _, message = _code(untouched, _recurring(pattern))
    assert code is None, message


@pytest.mark.parametrize("field", _RECURRENCE)
def test_each_field_of_a_recurrence(untouched: psycopg.Connection, field: str) -> None:
    pattern, given = _RECURRENCE[field]
    with untouched.transaction(force_rollback=True):
        untouched.execute("select gnomon.set_calendar('holidays', '{2036-01-01}')")
        code, _, message = _code(untouched, _recurring(pattern, **{field: given}))
    assert code is None, message


def test_the_walk_misses_no_field_of_a_recurrence(untouched: psycopg.Connection) -> None:
    known = value(
        untouched,
        "select array_agg(distinct f) from unnest(%s::text[]) as p, unnest(gnomon_data.recurrence_fields(p)) as f",
        list(_PATTERNS),
    )
    assert set(known) == {*_RECURRENCE, "pattern"}


@pytest.mark.parametrize("field", _RECURRENCE)
def test_a_field_of_another_pattern_is_refused_by_name(untouched: psycopg.Connection, field: str) -> None:
    pattern, given = _RECURRENCE[field]
    others = value(
        untouched,
        "select array_agg(p) from unnest(%s::text[]) as p where not %s = any (gnomon_data.recurrence_fields(p))",
        list(_PATTERNS),
        field,
    )
    for other in others or ():
        assert _code(untouched, _recurring(other, **{field: given}))[:2] == ("GN015", f"/recurrence/{field}"), (
            pattern,
            other,
        )


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
