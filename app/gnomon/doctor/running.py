"""What runs and keeps up: processes, periods made ahead, what is overdue."""

from datetime import UTC, timedelta
from typing import Final

from gnomon.doctor import calls
from gnomon.doctor.exam import Exam, Finding, Ward, plural

_NEEDED: Final = {
    "due": ("No poller fires.", "Nothing that is due is fired.", "gnomon poll, or gnomon up"),
    "upkeep": (
        "Nobody does upkeep.",
        "Partitions are made and taken away by it; without it everything works on, slower from day to day.",
        "gnomon poll --role upkeep, or gnomon up",
    ),
    "delivery": ("No worker sends.", "What was fired waits and reaches nobody.", "gnomon work, or gnomon up"),
}

_FEWEST_AHEAD: Final = 2
"""Days beyond today that have partitions; upkeep makes three."""

_DAY: Final = timedelta(days=1)
_LATE: Final = timedelta(seconds=10)
"""What waits longer than this is not just on its way."""


async def processes(ward: Ward) -> Exam:
    """Whether a poller, upkeep and a worker are alive."""
    alive = [one for one in await calls.known_processes(ward.pool) if one.is_alive]
    roles = {one.lease_group.partition("/")[0] for one in alive}
    findings = tuple(
        Finding(what=what, why=why, remedy=remedy) for role, (what, why, remedy) in _NEEDED.items() if role not in roles
    )
    names = sorted({one.process_name for one in alive})
    return Exam(check="processes", seen=", ".join(names) or "none alive", findings=findings)


async def periods(ward: Ward) -> Exam:
    """Whether partitions exist for the days to come."""
    now_utc = await calls.clock_utc(ward.pool)
    ahead = await calls.periods_ahead(ward.pool)
    ready = await calls.periods_ready(ward.pool)
    needed_utc = now_utc.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0) + _DAY * (1 + _FEWEST_AHEAD)
    short = [one.parent_table for one in ahead if one.until_utc < needed_utc]
    findings: tuple[Finding, ...] = ()
    if short or not ahead:
        findings = (
            Finding(
                what=f"{plural(max(ready, 0), 'day')} beyond today with partitions: {', '.join(short) or 'there are none'}.",
                why="Timers go to a slower table then, and what writes to a log has to make its partition first.",
                remedy="gnomon poll --role upkeep; once, by hand: select gnomon.make_periods();",
            ),
        )
    first = min((one.until_utc for one in ahead), default=None)
    return Exam(check="periods", seen=f"until {first:%Y-%m-%d}" if first else "none", findings=findings)


async def overdue(ward: Ward) -> Exam:
    """Whether something waits that should have been fired or claimed."""
    now_utc = await calls.clock_utc(ward.pool)
    waiting = [one for one in await calls.oldest_overdue(ward.pool) if now_utc - one.since_utc > _LATE]
    findings = tuple(
        Finding(
            what=f"{'Something due' if one.plane == 'timers' else 'A delivery'} in the {one.lane} lane"
            f" waits since {one.since_utc:%Y-%m-%d %H:%M:%S} UTC.",
            why=f"It is {plural(int((now_utc - one.since_utc).total_seconds()), 'second')} late.",
            remedy=(
                "See whether pollers run, and what their log says."
                if one.plane == "timers"
                else "See whether workers for this lane and its channels run, and whether the receiver answers."
            ),
        )
        for one in waiting
    )
    return Exam(check="overdue", seen=f"{len(waiting)} lanes behind" if waiting else "nothing", findings=findings)
