"""Where a look into the time plane begins, so that it does not step over what is already gone.

A poll asks each place, (lane, shard) or (lane, channel, shard), for its first row. Rows that were taken leave dead entries
at the left edge of the index, and a poll that begins at the edge steps over all of them, every time: that is what kills
queues in PostgreSQL. So a poll begins behind a key (instant, id) that is kept here, in memory, and is only a hint.

    now - 2 s   where a drained place begins: a row that commits late has an instant a little behind the clock
    low         the smaller of that and of the first row seen; everything visible lies above it
    high        just before the first row seen, wherever that is; used between the batches of a backlog only

The naive form keeps an instant and not a key. A herd shares one instant, so its own dead rows lie above the bound and
are stepped over with every batch (measured under a held snapshot: 24 to 115 ms a batch against 16).

What commits later than 2 s behind the clock lies below `low`. The sweep (sweep.py) finds it.
"""

from collections.abc import Container, Iterable, KeysView, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Final, Generic, TypeAlias, TypeVar
from uuid import UUID

Key: TypeAlias = tuple[datetime, UUID]
"""Instant and id of a row, in the order of the index. A bound is exclusive: rows above it are seen."""

NIL: Final = UUID(int=0)

LOOK_BACK: Final = timedelta(seconds=2)
"""How far behind the clock a drained place begins. Longer steps over more dead entries, shorter leaves more to the sweep."""

WIDE_EVERY: Final = timedelta(milliseconds=100)

_Place = TypeVar("_Place", bound=tuple[int | str, ...])


def before(key: Key) -> Key:
    """The greatest bound that still lets the row of this key be seen."""
    instant, row = key
    return (instant, UUID(int=max(row.int - 1, 0)))


def clock_bound(now_utc: datetime) -> Key:
    """Where a drained place begins: 2 s behind the clock, in whole seconds, so that idle polls send the same text."""
    return ((now_utc - LOOK_BACK).replace(microsecond=0), NIL)


@dataclass(frozen=True)
class View(Generic[_Place]):
    """The bounds of one look, as the array literals that PostgreSQL reads; each is made once."""

    keys: Mapping[_Place, Key]

    @cached_property
    def after_at(self) -> str:
        """The instants, a timestamptz[]."""
        return "{" + ",".join(f'"{instant.isoformat()}"' for instant, _ in self.keys.values()) + "}"

    @cached_property
    def after_id(self) -> str:
        """The ids, a uuid[]."""
        return "{" + ",".join(str(row) for _, row in self.keys.values()) + "}"

    @cached_property
    def common(self) -> Key | None:
        """The bound that all places have, or None when they differ.

        Most looks of an idle system are such: they need not send the same instant and id 192 times, ten times a second.
        """
        different = set(self.keys.values())
        return different.pop() if len(different) == 1 else None

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The parts of the places, an array each: lanes, (channels,) shards."""
        return tuple(array_of(part) for part in zip(*self.keys, strict=True))

    def of(self, places: Iterable[_Place]) -> "View[_Place]":
        """The same bounds for some of the places, in the order given; one that has no bound begins at the very start."""
        return View({place: self.keys.get(place, BEGINNING) for place in places})


def array_of(values: Iterable[int | str]) -> str:
    """An array literal of numbers or texts."""
    return "{" + ",".join(str(value) if isinstance(value, int) else _quoted(value) for value in values) + "}"


BEGINNING: Final[Key] = (datetime.fromisoformat("0001-01-01T00:00:00+00:00"), NIL)


class Bounds(Generic[_Place]):
    """The bounds of all places of one role in one process. The first part of a place is its lane."""

    def __init__(self) -> None:
        """Know no place yet."""
        self._low: dict[_Place, Key] = {}
        self._high: dict[_Place, Key] = {}
        self._views: dict[frozenset[int], View[_Place]] = {}
        self._drained: tuple[Key, frozenset[int]] | None = None

    @property
    def places(self) -> KeysView[_Place]:
        """The places that have a bound."""
        return self._low.keys()

    def begin(self, places: Iterable[_Place], at_utc: datetime) -> None:
        """Let places begin at an instant: gained a moment ago, or no longer to be trusted."""
        for place in places:
            self._low[place] = (at_utc, NIL)
            self._high.pop(place, None)
        self._changed()

    def keep(self, places: Container[_Place]) -> None:
        """Forget all places but these."""
        gone = [place for place in self._low if place not in places]
        for place in gone:
            del self._low[place]
            self._high.pop(place, None)
        if gone:
            self._changed()

    def view(self, narrow: frozenset[int] = frozenset()) -> View[_Place]:
        """Where to begin: above `low`, in the lanes named right before the rows seen last."""
        if narrow not in self._views:
            self._views[narrow] = View(
                {place: self._high.get(place, key) if place[0] in narrow else key for place, key in self._low.items()}
            )
        return self._views[narrow]

    def seen(
        self, now_utc: datetime, first: Mapping[_Place, Key], *, lanes: frozenset[int], narrow: frozenset[int] = frozenset()
    ) -> None:
        """Move the bounds after a look at some lanes that read this clock and found these first rows, one a place.

        A look that was narrow says nothing of what lies below where it began: there only `high` moves.
        """
        drained = clock_bound(now_utc)
        if not first and self._drained == (drained, lanes):
            return
        low = {
            place: min(before(first[place]), drained) if place in first else drained
            for place in self._low
            if place[0] in lanes and place[0] not in narrow
        }
        high = {place: before(key) for place, key in first.items() if place in self._low}
        if not (low.items() <= self._low.items() and high.items() <= self._high.items()):
            self._low |= low
            self._high |= high
            self._changed()
        if not first and not narrow:
            self._drained = (drained, lanes)

    def lower(self, first: Mapping[_Place, Key]) -> None:
        """Go back to rows that the sweep found below the bounds."""
        for place, key in first.items():
            if self.is_below(place, key):
                self._low[place] = before(key)
                self._high.pop(place, None)
        self._changed()

    def is_below(self, place: _Place, key: Key) -> bool:
        """Whether a row would not be seen by a look that is not narrow."""
        return place in self._low and key <= self._low[place]

    def _changed(self) -> None:
        self._views.clear()
        self._drained = None


class Focus:
    """Which lanes have a backlog: looks at them begin right behind the batch taken before.

    Every 100 ms one look of such a lane is wide all the same, or a row that is inserted below the backlog's front would
    wait until the backlog is gone.
    """

    def __init__(self) -> None:
        """Begin with no backlog."""
        self._full: set[int] = set()
        self._wide_at: dict[int, timedelta] = {}

    def narrow(self, at: timedelta) -> frozenset[int]:
        """The lanes to look at narrowly now; `at` is the steady clock."""
        return frozenset(lane for lane in self._full if at - self._wide_at.get(lane, -WIDE_EVERY) < WIDE_EVERY)

    def looked_widely(self, lanes: Iterable[int], at: timedelta) -> None:
        """Remember when."""
        for lane in lanes:
            self._wide_at[lane] = at

    def was_full(self, lane: int) -> None:
        """The last batch of the lane was as large as it may be."""
        self._full.add(lane)

    def was_not_full(self, lane: int) -> None:
        """The lane has no backlog, or may have something new below its front."""
        self._full.discard(lane)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
