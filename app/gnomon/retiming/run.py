"""Reads the plan and applies it, each in a session of its own that has loaded no zone before."""

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Final

import msgspec

from gnomon.database.pool import Pool, open_pool
from gnomon.retiming import calls
from gnomon.retiming.plan import Plan

Tell = Callable[[float, int], None]
"""Told how far the walk is (0 to 1) and how many have moved."""

BATCH: Final = 500
"""Schedules that one transaction moves: so many a fire passes by for as long as that takes."""

_SESSIONS_WITHIN: Final = timedelta(seconds=10)
"""For our own processes to make theirs anew: they look every two seconds, and end what they are at."""
_LOOK_EVERY: Final = timedelta(milliseconds=200)
_PAUSE: Final = timedelta(milliseconds=500)
"""Before schedules that somebody held are looked at again, or a walk that somebody else is at."""


class Applied(msgspec.Struct, frozen=True, kw_only=True):
    """What an application did; old_sessions are those that did not end in time, by their application names."""

    moved_count: int
    old_sessions: list[str]


async def read_plan(url: str, *, zones: Sequence[str] | None, is_for_all: bool, limit: int) -> Plan:
    """The zones that changed (or those asked for) and the first `limit` schedules that move. Raises ZoneUnknown."""
    async with _new_session(url) as pool:
        if is_for_all:
            looked_at = await calls.zones_in_use(pool)
        else:
            looked_at = list(zones) if zones else await calls.zone_drift(pool)
        moves = await calls.retime_plan(pool, limit + 1, looked_at) if looked_at else []
    return Plan(time_zones=looked_at, moves=moves[:limit], has_more=len(moves) > limit)


async def apply_plan(url: str, plan: Plan, tell: Tell = lambda _walked, _moved: None) -> Applied:
    """Let old sessions go, then move batch by batch until nothing is left to move; safe to interrupt and to repeat."""
    async with _new_session(url) as pool:
        old_sessions = await _let_sessions_go(pool)
        moved_count = 0
        while True:
            piece = await calls.retime_apply(pool, BATCH, plan.time_zones)
            moved_count += piece.moved_count
            if piece.walked is not None:
                tell(piece.walked, moved_count)
            if piece.is_done:
                return Applied(moved_count=moved_count, old_sessions=old_sessions)
            if not piece.moved_count and (piece.passed_by_count or piece.walked is None):
                await asyncio.sleep(_PAUSE.total_seconds())


async def _let_sessions_go(pool: Pool) -> list[str]:
    """Before anything moves: what an old session computes after we have passed by would stay wrong."""
    at_utc = await calls.renew_sessions(pool)
    end = time.monotonic() + _SESSIONS_WITHIN.total_seconds()
    while True:
        left = await calls.sessions_before(pool, at_utc)
        if not left or time.monotonic() > end:
            return left
        await asyncio.sleep(_LOOK_EVERY.total_seconds())


def _new_session(url: str) -> Pool:
    return open_pool(url, min_size=1, max_size=1, application_name="gnomon retime")
