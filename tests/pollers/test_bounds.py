from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from gnomon_pollers.bounds import BEGINNING, LOOK_BACK, NIL, WIDE_EVERY, Bounds, Focus, View, array_of, before, clock_bound

NOW = datetime(2026, 11, 30, 17, 5, 0, 250_000, tzinfo=UTC)
ROW = UUID("0192f000-0000-7000-8000-000000000007")
PLACES = [(lane, shard) for lane in range(3) for shard in (0, 1)]
ALL = frozenset({0, 1, 2})


@pytest.fixture
def bounds() -> Bounds[tuple[int, int]]:
    bounds: Bounds[tuple[int, int]] = Bounds()
    bounds.begin(PLACES, NOW - timedelta(hours=1))
    return bounds


def test_a_drained_place_begins_two_seconds_behind_the_clock(bounds: Bounds[tuple[int, int]]) -> None:
    bounds.seen(NOW, {}, lanes=ALL)
    at, row = bounds.view().keys[0, 0]
    assert NOW - LOOK_BACK - timedelta(seconds=1) < at <= NOW - LOOK_BACK
    assert row == NIL


def test_a_row_that_was_seen_stays_above_its_bound(bounds: Bounds[tuple[int, int]]) -> None:
    for age in (timedelta(seconds=-1), timedelta(0), timedelta(seconds=1), timedelta(seconds=2), timedelta(days=1)):
        key = (NOW - age, ROW)
        bounds.seen(NOW, {(1, 1): key}, lanes=ALL)
        assert bounds.view().keys[1, 1] < key
        assert bounds.view().keys[1, 1] <= clock_bound(NOW)


def test_an_old_row_leaves_nothing_between_itself_and_its_bound(bounds: Bounds[tuple[int, int]]) -> None:
    key = (NOW - timedelta(minutes=1), ROW)
    bounds.seen(NOW, {(1, 1): key}, lanes=ALL)
    assert bounds.view().keys[1, 1] == (key[0], UUID(int=ROW.int - 1))


def test_the_first_of_all_ids_has_a_bound_that_cannot_show_it_twice() -> None:
    assert before((NOW, NIL)) == (NOW, NIL)


def test_a_narrow_look_begins_right_before_the_row_seen_last_wherever_that_is(bounds: Bounds[tuple[int, int]]) -> None:
    ahead = (NOW + timedelta(seconds=1), ROW)
    bounds.seen(NOW, {(2, 0): ahead}, lanes=ALL)
    assert bounds.view(frozenset({2})).keys[2, 0] == before(ahead)
    assert bounds.view(frozenset({2})).keys[2, 1] == clock_bound(NOW)
    assert bounds.view(frozenset({1})).keys[2, 0] == clock_bound(NOW)


def test_a_narrow_look_moves_no_bound_of_a_wide_one(bounds: Bounds[tuple[int, int]]) -> None:
    old = (NOW - timedelta(minutes=5), ROW)
    bounds.seen(NOW, {(2, 0): old}, lanes=ALL)
    narrow = frozenset({2})
    bounds.seen(NOW + timedelta(seconds=9), {(2, 0): (NOW, ROW)}, lanes=ALL, narrow=narrow)
    assert bounds.view().keys[2, 0] == before(old)
    assert bounds.view(narrow).keys[2, 0] == before((NOW, ROW))
    assert bounds.view().keys[0, 0] == clock_bound(NOW + timedelta(seconds=9))


def test_lanes_that_were_not_looked_at_keep_their_bounds(bounds: Bounds[tuple[int, int]]) -> None:
    was = bounds.view().keys[0, 0]
    bounds.seen(NOW, {}, lanes=frozenset({1}))
    assert bounds.view().keys[0, 0] == was
    assert bounds.view().keys[1, 0] == clock_bound(NOW)


def test_what_the_sweep_finds_below_lowers_the_bound_and_nothing_else_does(bounds: Bounds[tuple[int, int]]) -> None:
    bounds.seen(NOW, {(0, 0): (NOW, ROW)}, lanes=ALL)
    late = (NOW - timedelta(seconds=70), ROW)
    assert bounds.is_below((0, 0), late)
    assert not bounds.is_below((0, 0), (NOW, ROW))
    bounds.lower({(0, 0): late, (0, 1): (NOW, ROW)})
    assert bounds.view().keys[0, 0] == before(late)
    assert bounds.view(frozenset({0})).keys[0, 0] == before(late)
    assert bounds.view().keys[0, 1] == clock_bound(NOW)


def test_idle_looks_send_the_same_text(bounds: Bounds[tuple[int, int]]) -> None:
    bounds.seen(NOW, {}, lanes=ALL)
    view = bounds.view()
    bounds.seen(NOW + timedelta(milliseconds=300), {}, lanes=ALL)
    assert bounds.view() is view
    assert view.common == clock_bound(NOW)
    bounds.seen(NOW + timedelta(milliseconds=300), {(0, 1): (NOW - timedelta(minutes=1), ROW)}, lanes=ALL)
    assert bounds.view().common is None


def test_a_place_that_is_no_longer_ours_is_forgotten(bounds: Bounds[tuple[int, int]]) -> None:
    bounds.keep({(0, 0)})
    assert list(bounds.places) == [(0, 0)]
    assert not bounds.is_below((1, 1), BEGINNING)


def test_a_view_speaks_the_array_literals_of_postgresql() -> None:
    view: View[tuple[int, str, int]] = View({(1, 'a "b"', 3): (NOW, ROW), (2, "log", 4): (NOW, NIL)})
    assert view.columns == ("{1,2}", '{"a \\"b\\"","log"}', "{3,4}")
    assert view.after_at == '{"2026-11-30T17:05:00.250000+00:00","2026-11-30T17:05:00.250000+00:00"}'
    assert view.after_id == f"{{{ROW},{NIL}}}"
    assert array_of([]) == "{}"


def test_part_of_a_view_keeps_its_bounds_and_begins_at_the_start_elsewhere() -> None:
    view = View({(0, 1): (NOW, ROW)})
    assert list(view.of([(0, 2), (0, 1)]).keys.items()) == [((0, 2), BEGINNING), ((0, 1), (NOW, ROW))]


def test_a_backlog_is_looked_at_narrowly_but_widely_every_100_ms() -> None:
    focus = Focus()
    at = timedelta(hours=5)
    focus.looked_widely(ALL, at)
    assert focus.narrow(at) == frozenset()
    focus.was_full(2)
    assert focus.narrow(at + timedelta(milliseconds=99)) == {2}
    assert focus.narrow(at + WIDE_EVERY) == frozenset()
    focus.was_not_full(2)
    assert focus.narrow(at) == frozenset()
