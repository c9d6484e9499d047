"""A database whose clock is set by hand, and the calls that pollers and workers make, one after the other.

Only for databases that are marked for tests: gnomon_data.now_utc, the one clock of the product, is replaced there by one
that reads a table, so every session on it sees the same instant and none sees time run.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import psycopg
from psycopg import sql
from psycopg.rows import kwargs_row, scalar_row

from gnomon.database import connecting
from gnomon.files import sql_folder

#: What marks a database for tests. It stands in the catalogue of the server, not in the database, so a copy of its
#: contents is not marked, and no session can claim it.
MARK: Final = "gnomon.is_for_tests=on"

_BATCH: Final = 500
_LEASE: Final = timedelta(seconds=30)
_EVERY_SHARD: Final = list(range(64))
_NIL: Final = "00000000-0000-0000-0000-000000000000"

_IS_MARKED: Final = """
select exists (select from pg_db_role_setting as s join pg_database as d on d.oid = s.setdatabase
                where d.datname = current_database() and s.setrole = 0 and %s = any (s.setconfig))
"""
# Not what beat in the virtual time of an earlier test, years ahead.
_IS_BUSY: Final = """
select exists (select from gnomon_data.heartbeats as h
                where h.beat_at_utc between clock_timestamp() - interval '10 s' and clock_timestamp() + interval '10 s')
"""

# plpgsql, since it keeps its plan for the session: a function in SQL would be planned at every call.
_REPLACE: Final = """
create table if not exists gnomon_data.virtual_clock (
    one_row boolean not null default true constraint virtual_clock_pkey primary key check (one_row),
    shown_at_utc timestamptz not null
) with (fillfactor = 10);
insert into gnomon_data.virtual_clock (shown_at_utc) values (clock_timestamp()) on conflict do nothing;
create or replace function gnomon_data.now_utc() returns timestamptz
language plpgsql volatile parallel safe set search_path = ''
as $clock$ begin return (select c.shown_at_utc from gnomon_data.virtual_clock as c); end $clock$;
"""
_REMOVE: Final = "drop table if exists gnomon_data.virtual_clock"

_SHOWN: Final = "select gnomon_data.now_utc()"
_SHOW: Final = "update gnomon_data.virtual_clock set shown_at_utc = %s"

# What can be done at an instant, and when there is more. Rows of a plane:
#   near    timers due, by lane and slice, each shard with the key right before its first one
#   far     timers due among the far ones
#   ready   deliveries to hand over, by lane and channel
#   later   after_at holds the next instant: a timer comes into the look-ahead, or a delivery becomes ready
_LOOK: Final = """
with look as materialized (
    select %(at)s::timestamptz as at_utc, gnomon_data.fire_ahead() as ahead
), near as (
    select t.lane, t.shard, min(t.fire_at_utc) as first_at_utc, t.fire_at_utc <= l.at_utc + l.ahead as is_due
      from gnomon_data.timers as t, look as l group by 1, 2, 4
), far as (
    select array_agg(distinct t.shard) as shards, min(t.fire_at_utc) as first_at_utc,
           t.fire_at_utc <= l.at_utc + l.ahead as is_due
      from gnomon_data.timers_far as t, look as l group by 3
), ready as (
    select d.lane, d.channel, array_agg(distinct d.shard) as shards, min(d.ready_at_utc) as first_at_utc,
           d.ready_at_utc <= l.at_utc as is_due
      from gnomon_data.deliveries as d, look as l where d.ready_at_utc < 'infinity' group by 1, 2, 5
)
select 'near' as plane, n.lane, null as channel, array_agg(n.shard order by n.first_at_utc) as shards,
       array_agg(n.first_at_utc order by n.first_at_utc) as after_at
  from near as n join gnomon_data.shard_slices as s on n.shard between s.first_shard and s.last_shard
 where n.is_due group by n.lane, s.slice
 union all
select 'far', null, null, f.shards, null from far as f where f.is_due
 union all
select 'ready', r.lane, r.channel, r.shards, null from ready as r where r.is_due
 union all
select 'later', null, null, null, array[least(
           (select min(n.first_at_utc) from near as n where not n.is_due) - l.ahead,
           (select f.first_at_utc from far as f where not f.is_due) - l.ahead,
           (select min(r.first_at_utc) from ready as r where not r.is_due))]
  from look as l
 order by 1, 2
"""
_FIRE_NEAR: Final = """
select taken_count
  from gnomon.fire_slice(%s::smallint, %s::smallint[], %s::timestamptz[], array_fill(%s::uuid, array[%s]), %s)
"""
_FIRE_FAR: Final = "select taken_count from gnomon.fire_far(%s::smallint[], %s)"
_EXCHANGE: Final = """
select delivery_id, claim_id::text, event
  from gnomon.exchange_deliveries(
        array(select row(o.delivery_id, o.claim_id, o.outcome, null, null, null)::gnomon.delivery_outcome
                from unnest(%s::text[], %s::text[], %s::text[]) as o (delivery_id, claim_id, outcome)),
        gnomon_data.lane_name(%s::smallint), %s, %s::smallint[], %s, %s, 'virtual time')
 where event is not null
"""


class NotForTests(RuntimeError):
    """The database is not marked for tests."""

    hint = (
        "alter database shop_test set gnomon.is_for_tests = 'on'; as its owner, and never where something real is pending."
    )


class ProcessesAtWork(RuntimeError):
    """A poller or worker is running on the database; with a clock set by hand it would fire and send what a test expects."""


class Work(NamedTuple):
    """What can be done at an instant in one plane: near, far, ready."""

    plane: str
    lane: int | None
    channel: str | None
    shards: list[int] | None
    after_at: list[datetime | None] | None


class Claim(NamedTuple):
    """A delivery taken over: what a receiver gets is event."""

    delivery_id: str
    claim_id: str
    event: dict[str, Any]


Row = TypeVar("Row", Work, Claim)
Parameters: TypeAlias = Sequence[Any] | Mapping[str, Any] | None


class VirtualClock:
    """The clock of a marked database, and one call for each thing that a process of Gnomon does."""

    def __init__(self, url: str) -> None:
        """Take the clock over; it shows now and stands.

        The login must own the schema gnomon_data. Raises NotForTests, ProcessesAtWork, psycopg.Error.
        """
        options = connecting.options(url, application_name="gnomon virtual time")
        self._connection = psycopg.connect(url, autocommit=True, **options)
        try:
            self._refuse_what_is_real()
            self._connection.execute(_REPLACE)
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        """Give the real clock back."""
        with self._connection:
            self._connection.execute((sql_folder() / "base" / "now_utc.sql").read_bytes())
            self._connection.execute(_REMOVE)

    def shown(self) -> datetime:
        """What the clock shows, in UTC."""
        at: datetime = self._value(_SHOWN)
        return at.astimezone(UTC)

    def show(self, at: datetime) -> None:
        """Set it, for every session."""
        self._connection.execute(_SHOW, [at])

    def look(self, at: datetime) -> tuple[list[Work], datetime | None]:
        """What can be done at an instant, and the next instant, in UTC, at which there is more; None: nothing is pending."""
        found = self._rows(Work, _LOOK, {"at": at})
        [later] = [row.after_at[0] for row in found if row.plane == "later" and row.after_at]
        return [row for row in found if row.plane != "later"], later.astimezone(UTC) if later else None

    def fire(self, due: Work) -> int:
        """Fire the timers that `look` found; how many were taken."""
        count = len(due.shards or ())
        taken: int
        if due.plane == "far":
            taken = self._value(_FIRE_FAR, [due.shards, _BATCH])
        else:
            taken = self._value(_FIRE_NEAR, [due.lane, due.shards, due.after_at, _NIL, count, max(_BATCH // count, 1)])
        return taken

    def claim(self, ready: Work) -> list[Claim]:
        """Take over deliveries that `look` found."""
        return self._exchange(ready, [], _BATCH)

    def settle(self, ready: Work, outcomes: Sequence[tuple[str, str, str]]) -> None:
        """Settle what was claimed: delivery_id, claim_id, outcome."""
        self._exchange(ready, outcomes, 0)

    def keep_up(self) -> None:
        """What upkeep does in the course of days: periods of timers made ahead and taken away behind, keys forgotten.

        The logs stay, so that a test can read the whole of them. Periods of timers do not: a fire looks at each.
        """
        self._connection.execute("select gnomon.make_periods()")
        for task in ("move_far", "forget_keys", "forget_payloads", "release_parked"):
            while self._value(f"select gnomon.{task}(%s)", [_BATCH]) >= _BATCH:
                pass
        [proof] = self._connection.execute("select * from gnomon.begin_proof()").fetchall()
        for plane in ("timers", "deliveries"):
            self._value("select gnomon.prove_marks(%s, %s::smallint[], %s, %s)", [plane, _EVERY_SHARD, *proof])
        behind = self._connection.execute("select period_table from gnomon.periods_behind() where parent_table = 'timers'")
        for (period,) in behind.fetchall():
            self._take_away(period)

    def _refuse_what_is_real(self) -> None:
        if not self._value(_IS_MARKED, [MARK]):
            raise NotForTests(f"{self._connection.info.dbname} is not marked for tests")
        if self._value(_IS_BUSY):
            raise ProcessesAtWork(ProcessesAtWork.__doc__)

    def _exchange(self, ready: Work, outcomes: Sequence[tuple[str, str, str]], at_most: int) -> list[Claim]:
        columns = [[outcome[n] for outcome in outcomes] for n in range(3)]
        return self._rows(Claim, _EXCHANGE, [*columns, ready.lane, ready.channel, ready.shards, at_most, _LEASE])

    def _take_away(self, period: str) -> None:
        self._value("select gnomon.leave_period(%s)", [period])
        detach = sql.SQL("alter table gnomon_data.timers detach partition gnomon_data.{}")
        self._connection.execute(detach.format(sql.Identifier(period)))
        self._value("select gnomon.reread_period(%s)", [period])
        self._value("select gnomon.drop_period(%s)", [period])

    def _rows(self, shape: type[Row], query: str, parameters: Parameters) -> list[Row]:
        with self._connection.cursor(row_factory=kwargs_row(shape)) as cursor:
            return cursor.execute(query.encode(), parameters).fetchall()

    def _value(self, query: str, parameters: Parameters = None) -> Any:  # noqa: ANN401  # of any type
        with self._connection.cursor(row_factory=scalar_row) as cursor:
            return cursor.execute(query.encode(), parameters).fetchone()
