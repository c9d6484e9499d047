"""Leases: a fair share without a leader, taken over after three seconds of silence."""

from datetime import timedelta
from uuid import uuid4

import psycopg
import pytest

from tests.support.clock import advance, clock, set_clock
from tests.support.given import rows, value

_GROUP = "due"


@pytest.fixture
def stopped(connection: psycopg.Connection) -> psycopg.Connection:
    """The clock stands."""
    set_clock(connection, clock(connection))
    return connection


def _beat(connection: psycopg.Connection, owner: str, group: str = _GROUP) -> set[int]:
    return {row.shard for row in rows(connection, "select * from gnomon.beat(%s, %s, 'test')", owner, group)}


def _owners(count: int) -> list[str]:
    return [str(uuid4()) for _ in range(count)]


def test_one_alone_has_all_and_learns_which_are_new(stopped: psycopg.Connection) -> None:
    [owner] = _owners(1)
    first = rows(stopped, "select * from gnomon.beat(%s, %s, 'test')", owner, _GROUP)
    again = rows(stopped, "select * from gnomon.beat(%s, %s, 'test')", owner, _GROUP)

    assert [row.shard for row in first] == [row.shard for row in again] == list(range(64))
    assert ({row.is_new for row in first}, {row.is_new for row in again}) == ({True}, {False})


@pytest.mark.parametrize("count", [2, 3, 5, 9, 20, 40])
def test_shares_become_fair_and_never_overlap(stopped: psycopg.Connection, count: int) -> None:
    owners = _owners(count)
    # They come one after the other: who is there already holds all.
    for number in range(1, count + 1):
        for owner in owners[:number]:
            _beat(stopped, owner)
    for owner in owners * 2:
        _beat(stopped, owner)
    held = [_beat(stopped, owner) for owner in owners]

    assert sum(len(shards) for shards in held) == 64
    assert set().union(*held) == set(range(64))
    assert {len(shards) for shards in held} <= {64 // count, -(-64 // count)}


def test_a_lease_row_changes_only_with_its_owner(stopped: psycopg.Connection) -> None:
    [owner] = _owners(1)
    _beat(stopped, owner)
    before = rows(stopped, "select ctid, shard from gnomon_data.shard_leases order by shard")
    _beat(stopped, owner)
    assert rows(stopped, "select ctid, shard from gnomon_data.shard_leases order by shard") == before


def test_a_silent_owner_loses_its_shards_after_three_seconds(stopped: psycopg.Connection) -> None:
    silent, alive = _owners(2)
    assert len(_beat(stopped, silent)) == 64
    advance(stopped, timedelta(seconds=2, milliseconds=900))
    assert _beat(stopped, alive) == set()
    advance(stopped, timedelta(milliseconds=200))
    assert len(_beat(stopped, alive)) == 64
    # It comes back to life, and knows at once that it holds nothing.
    assert len(_beat(stopped, silent)) == 0
    _beat(stopped, alive)
    assert len(_beat(stopped, silent)) == 32


def test_a_dead_owner_of_the_future_loses_its_shards(stopped: psycopg.Connection) -> None:
    """The clock went back by an hour, and the process that had beaten before died."""
    dead, alive = _owners(2)
    _beat(stopped, dead)
    advance(stopped, -timedelta(hours=1))
    assert len(_beat(stopped, alive)) == 64


def test_who_leaves_is_followed_at_the_next_beat(stopped: psycopg.Connection) -> None:
    leaving, staying = _owners(2)
    for owner in (leaving, staying, leaving, staying):
        _beat(stopped, owner)
    stopped.execute("select gnomon.leave(%s)", [leaving])
    assert len(_beat(stopped, staying)) == 64
    assert value(stopped, "select count(*) from gnomon_data.heartbeats") == 1


def test_groups_share_nothing(stopped: psycopg.Connection) -> None:
    one, two = _owners(2)
    assert len(_beat(stopped, one, "due")) == len(_beat(stopped, two, "delivery/all/all")) == 64


def test_upkeep_has_one_holder(stopped: psycopg.Connection) -> None:
    one, two = _owners(2)
    assert (_beat(stopped, one, "upkeep"), _beat(stopped, two, "upkeep")) == ({0}, set())
    advance(stopped, timedelta(seconds=4))
    assert _beat(stopped, two, "upkeep") == {0}
