"""The ledger: accepted = pending + ended, and each row has those that belong to it."""

from random import Random
from typing import Final

from gnomon.doctor import calls
from gnomon.doctor.exam import Exam, Finding, Ward, plural

_SHARDS: Final = 64
_SAMPLE: Final = 3
"""Shards looked at anew; upkeep goes round all of them."""

_LOOK_AT: Final = 500
_LOOK_CLOSER: Final = 50_000
"""Rows of each kind, in a shard as it comes and in one that is off."""

_NAMED: Final = 5

_MEANT: Final = {
    "schedule gone": "has a timer, and is neither live nor known to have ended",
    "timer gone": "is live and has no timer: it will not fire",
    "delivery gone": "has fired, and of the notification there is neither a delivery nor what became of it",
    "end gone": "was delivered, and is neither live nor known to have ended",
}

_WHY: Final = "What was accepted is neither pending nor told as ended, or something is there that nobody accepted."
_REMEDY: Final = (
    "Look who writes to gnomon_data beside Gnomon's functions, and compare with a backup. Once it is understood, a row in"
    " gnomon_data.acceptances with the difference (accepted_on, shard, accepted_count) balances that day again."
)


async def ledger(ward: Ward) -> Exam:
    """Whether the ledger balances, and what is missing where it does not."""
    checks = await calls.ledger_checks(ward.pool)
    off = {one.shard for one in checks if one.missing_count}
    sample = Random().sample(range(_SHARDS), _SAMPLE)  # noqa: S311  # which are looked at is no secret
    shards = sorted({*sample, *sorted(off)[:_SAMPLE]})
    days = [one for one in await calls.ledger(ward.pool, shards) if one.missing_count]
    findings = [
        Finding(what=f"Shard {day.shard}, accepted on {day.accepted_on}: {_difference(day)}.", why=_WHY, remedy=_REMEDY)
        for day in days
    ]
    for shard in shards:
        closer = _LOOK_CLOSER if any(day.shard == shard for day in days) else _LOOK_AT
        findings += [
            Finding(
                what=f"{fault.schedule_id} {_MEANT[fault.what]} ({fault.at_utc:%Y-%m-%d %H:%M:%S} UTC).",
                why="A row that belongs to it was taken out, or was never written.",
                remedy=f"gnomon explain {fault.schedule_id} shows what is known of it.",
            )
            for fault in await calls.ledger_faults(ward.pool, shard, closer, _NAMED)
        ]
    seen = (
        f"{'balanced' if not findings else 'off'}, {plural(len(shards), 'shard')} now, {len(checks)} of {_SHARDS} by upkeep"
    )
    return Exam(check="ledger", seen=seen, findings=tuple(findings))


def _difference(day: calls.DayBalance) -> str:
    told = f"{day.accepted_count:,} accepted, {day.pending_count:,} pending, {day.ended_count:,} ended"
    return f"{told}; {abs(day.missing_count):,} {'missing' if day.missing_count > 0 else 'too many'}"
