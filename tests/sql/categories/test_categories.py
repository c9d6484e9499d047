"""Categories as rows: made, read, dropped, refused, and left alone by an upgrade."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.sql.acts import utc
from tests.support.clock import advance, set_clock
from tests.support.given import one, rows, value

_BEGUN_WITH = {
    "security": "critical",
    "otp": "critical",
    "transaction": "transactional",
    "reminder": "transactional",
    "social": "bulk",
    "digest": "bulk",
    "marketing": "bulk",
}
# The table of the contract: every field of a category, with a value that it may have.
_FIELDS: dict[str, tuple[Any, bool]] = {
    "lane": ("critical", True),
    "channels": (["push"], True),
    "expires_in": ("PT10M", True),
    "description": ("For people.", True),
    "mandatory": (True, False),
    "retry": ({"tries": 3}, False),
    "delivery": ("at_most_once", False),
    "one_time_code": (True, False),
    "provider_ttl": ("PT2M", False),
    "fallback_channel": ("sms", False),
}


def _set(connection: psycopg.Connection, name: Any, settings: Any) -> Any:
    return one(connection, "select * from gnomon.set_category(%s, %s)", name, Jsonb(settings))


def test_an_installation_begins_with_a_few_on_the_default_channels(untouched: psycopg.Connection) -> None:
    found = rows(untouched, "select * from gnomon.categories()")
    assert {category.name: category.lane for category in found} == _BEGUN_WITH
    assert {(category.channels, category.expires_for) for category in found} == {(None, None)}
    assert all(category.description for category in found)


def test_an_upgrade_overwrites_none_and_brings_none_back(connection: psycopg.Connection) -> None:
    _set(connection, "social", {"lane": "critical", "channels": ["inbox"]})
    connection.execute("select gnomon.drop_category('digest')")
    _set(connection, "own", {})
    before = rows(connection, "select * from gnomon_data.categories order by name")
    connection.execute("select gnomon_data.install()")
    assert rows(connection, "select * from gnomon_data.categories order by name") == before
    assert "digest" not in {row.name for row in rows(connection, "select * from gnomon.categories()")}


def test_set_says_the_whole_of_it(connection: psycopg.Connection) -> None:
    set_clock(connection, utc("2026-12-01T12:00:00"))
    whole = {"lane": "bulk", "channels": ["email", "inbox"], "expires_in": "P1D", "description": "The weekly letter"}
    made = _set(connection, "news.letter_2-x", whole)
    assert made[:5] == ("news.letter_2-x", "bulk", ["email", "inbox"], timedelta(days=1), "The weekly letter")
    advance(connection, timedelta(minutes=1))
    assert _set(connection, "news.letter_2-x", whole) == made, "the same again changes nothing"
    bare = _set(connection, "news.letter_2-x", {"channels": None})
    assert bare[:5] == ("news.letter_2-x", "transactional", None, None, None)
    assert bare.changed_at_utc == made.changed_at_utc + timedelta(minutes=1)
    assert one(connection, "select * from gnomon.find_category('news.letter_2-x')") == bare


def test_what_was_dropped_is_not_known_until_it_is_set_again(connection: psycopg.Connection) -> None:
    drop = "select gnomon.drop_category('otp')"
    assert [value(connection, drop), value(connection, drop)] == [True, False]
    assert rows(connection, "select * from gnomon.find_category('otp')") == []
    assert _set(connection, "otp", {"lane": "critical"}).name == "otp"
    assert value(connection, drop)


@pytest.mark.parametrize("field", _FIELDS)
def test_each_field_is_built_or_refused_by_name(untouched: psycopg.Connection, field: str) -> None:
    given, is_built = _FIELDS[field]
    with untouched.transaction(force_rollback=True):
        if is_built:
            assert _set(untouched, "kind", {field: given}).name == "kind"
            return
        with pytest.raises(psycopg.Error, match=f"^{field} is not available in this version") as fault:
            _set(untouched, "kind", {field: given})
    assert (fault.value.sqlstate, fault.value.diag.column_name) == ("GN028", f"/{field}")
    assert rows(untouched, "select * from gnomon.find_category('kind')") == []


def test_the_walk_misses_no_field(untouched: psycopg.Connection) -> None:
    known = rows(untouched, "select field, is_built from gnomon_data.category_fields()")
    assert {row.field: row.is_built for row in known} == {field: is_built for field, (_, is_built) in _FIELDS.items()}


@pytest.mark.parametrize(
    ("name", "settings", "code", "pointer"),
    [
        ("Marketing", {}, "GN024", "/name"),
        ("", {}, "GN024", "/name"),
        (None, {}, "GN024", "/name"),
        ("x" * 65, {}, "GN024", "/name"),
        ("-x", {}, "GN024", "/name"),
        ("a b", {}, "GN024", "/name"),
        ("a\n", {}, "GN024", "/name"),
        ("kind", [], "GN024", ""),
        ("kind", None, "GN024", ""),
        ("kind", {"colour": "red"}, "GN024", "/colour"),
        ("kind", {"a/b~": 1}, "GN024", "/a~1b~0"),
        ("kind", {"lane": "fast"}, "GN024", "/lane"),
        ("kind", {"lane": 1}, "GN024", "/lane"),
        ("kind", {"channels": "push"}, "GN024", "/channels"),
        ("kind", {"channels": []}, "GN024", "/channels"),
        ("kind", {"channels": ["push", "pigeon"]}, "GN027", "/channels/1"),
        ("kind", {"expires_in": "soon"}, "GN024", "/expires_in"),
        ("kind", {"expires_in": "PT0S"}, "GN024", "/expires_in"),
        ("kind", {"expires_in": "P1M"}, "GN024", "/expires_in"),
        ("kind", {"description": "x" * 256}, "GN024", "/description"),
    ],
)
def test_what_cannot_be_is_refused(untouched: psycopg.Connection, name: Any, settings: Any, code: str, pointer: str) -> None:
    with pytest.raises(psycopg.Error) as fault:
        _set(untouched, name, settings)
    assert (fault.value.sqlstate, fault.value.diag.column_name or "") == (code, pointer)


@pytest.mark.parametrize(
    ("role", "may_write"),
    [("gnomon_caller", False), ("gnomon_reader", False), ("gnomon_worker", False), ("gnomon_admin", True)],
)
def test_admins_write_and_everybody_looks(untouched: psycopg.Connection, role: str, *, may_write: bool) -> None:
    may = "select has_function_privilege(%s, %s, 'execute')"
    looks = {value(untouched, may, role, f"gnomon.{call}") for call in ("categories()", "find_category(text)")}
    writes = {value(untouched, may, role, f"gnomon.{call}") for call in ("set_category(text, jsonb)", "drop_category(text)")}
    assert (looks, writes) == ({True}, {may_write})
