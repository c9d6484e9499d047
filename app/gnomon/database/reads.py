"""Filtered lists over the public view gnomon.schedules: any mix of conditions, a page at a time.

These are composed and not written as SQL functions: each pair of filters would be one more. What has one way to be asked
(one user's list) is a function of SQL.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

from gnomon.database.call import rows
from gnomon.database.pool import Pool

_SCHEDULES: Final = sa.table(
    "schedules",
    sa.column("schedule_id", sa.Text),
    sa.column("user_id", sa.Text),
    sa.column("template_id", sa.Text),
    sa.column("key", sa.Text),
    sa.column("labels", JSONB),
    sa.column("status", sa.Text),
    sa.column("fire_at_utc", postgresql.TIMESTAMP(timezone=True)),
    sa.column("time_zone", sa.Text),
    sa.column("time_zone_source", sa.Text),
    sa.column("version", sa.Integer),
    sa.column("category", sa.Text),
    schema="gnomon",
)
_DIALECT: Final[sa.Dialect] = PGDialect_psycopg()  # type: ignore[no-untyped-call]


@dataclass(frozen=True, slots=True)
class ListedSchedule:
    """One row of the view: a pending one-shot or an active recurrence."""

    schedule_id: str
    user_id: str
    template_id: str
    key: str | None
    labels: dict[str, str] | None
    status: str
    fire_at_utc: datetime
    time_zone: str | None
    time_zone_source: str | None
    version: int
    category: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What the schedules of a list have in common; None leaves a question out."""

    user_id: str | None = None
    template_id: str | None = None
    key: str | None = None
    labels: dict[str, str] | None = None
    """All of these labels, beside any others."""
    fires_before_utc: datetime | None = None


async def schedules(
    pool: Pool, wanted: Filter, *, at_most: int = 100, after: ListedSchedule | None = None
) -> list[ListedSchedule]:
    """Schedules by instant, then id; after is the last row of the page before. Raises as call.rows does."""
    s = _SCHEDULES.c
    conditions: list[sa.ColumnElement[bool]] = []
    for column, value in ((s.user_id, wanted.user_id), (s.template_id, wanted.template_id), (s.key, wanted.key)):
        if value is not None:
            conditions.append(column == value)
    if wanted.labels is not None:
        conditions.append(s.labels.contains(sa.cast(json.dumps(wanted.labels), JSONB)))
    if wanted.fires_before_utc is not None:
        conditions.append(s.fire_at_utc < wanted.fires_before_utc)
    if after is not None:
        conditions.append(sa.tuple_(s.fire_at_utc, s.schedule_id) > sa.tuple_(after.fire_at_utc, after.schedule_id))
    found = sa.select(_SCHEDULES).where(*conditions).order_by(s.fire_at_utc, s.schedule_id).limit(at_most)
    return await rows(pool, *_composed(found), shape=ListedSchedule)


def _composed(statement: sa.Select[Any]) -> tuple[str, Mapping[str, Any]]:
    """The text and its values, as our own pool takes them: SQLAlchemy composes, it does not connect."""
    compiled = statement.compile(dialect=_DIALECT)
    return compiled.string, compiled.construct_params()
