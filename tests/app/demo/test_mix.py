"""What the demo asks for is accepted, and comes due when it should."""

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from gnomon.demo.mix import SOONEST, ZONES, Mix, users_of
from gnomon.demo.wishes import Cancel, Change, Move, Times, Wish
from tests.support.given import rows, value

LENGTH = timedelta(seconds=10)


def drawn(begin: datetime, count: int = 600, seed: int = 1) -> list[tuple[datetime, Wish]]:
    times = Times(begin_utc=begin, end_utc=begin + LENGTH, herd_utc=begin + LENGTH / 2)
    mix = Mix(times, users_of(len(ZONES)), random.Random(seed))  # noqa: S311  # a mix, no secret
    instants = [begin + LENGTH * number / count for number in range(count)]
    return [(at, mix.wish(number, at)) for number, at in enumerate(instants)]


def test_every_kind_and_every_afterthought_is_drawn() -> None:
    wishes = [wish for _, wish in drawn(datetime(2026, 11, 30, 12, 0, 0, 1234, tzinfo=UTC), 2_000)]
    kinds = Counter(wish.request["template_id"] for wish in wishes)
    assert set(kinds) == {"herd", "daily", "weekly", "relative", "absolute", "local", "far", "mover", "leaver"}
    assert {type(wish.then) for wish in wishes} == {Cancel, Change, Move, type(None)}
    assert {wish.request["lane"] for wish in wishes} == {"critical", "transactional"}
    assert {wish.is_by_http for wish in wishes} == {True, False}
    assert 100 < kinds["herd"] < 300, "about as many as come in a second"


def test_the_same_seed_draws_the_same() -> None:
    begin = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
    assert drawn(begin, 50) == drawn(begin, 50)
    assert drawn(begin, 50) != drawn(begin, 50, seed=2)


def test_all_of_it_is_accepted_and_soon_due(connection: psycopg.Connection) -> None:
    begin: datetime = value(connection, "select gnomon.clock_utc()")
    users = [{"user_id": user_id, "time_zone": zone} for user_id, zone in users_of(len(ZONES))]
    assert not rows(connection, "select * from gnomon.set_users(%s) where error_code is not null", Jsonb(users))
    wishes = [wish for _, wish in drawn(begin)]
    for wish in wishes:
        if wish.home is not None:
            connection.execute("select gnomon.set_user(%s, %s)", [wish.user_id, wish.home])
    requests = [wish.request for wish in wishes]
    answers: list[Any] = rows(connection, "select * from gnomon.schedule_many(%s) order by ordinal", Jsonb(requests))
    assert [answer.error_detail for answer in answers if answer.error_code] == []
    # Some zone may have other rules in the database than here; few do, and never for long.
    is_soon = Counter(answer.fire_at_utc < begin + LENGTH + 3 * SOONEST for answer in answers)
    kinds = Counter(wish.request["template_id"] for wish in wishes)
    assert is_soon[False] <= kinds["far"] + kinds["mover"] + len(wishes) // 100
    for wish, answer in zip(wishes, answers, strict=True):
        if wish.request["template_id"] == "mover":
            assert answer.fire_at_utc > begin + timedelta(minutes=20)
