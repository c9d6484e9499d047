"""What the demo asks for: every kind of schedule in many zones, and callers who change their minds.

Local times are chosen so that they come due within the run, wherever they are read. That is only what is wished: what
was promised stands in the answers, so a zone whose rules differ between here and the database does no harm.
"""

import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import ceil
from typing import Any, Final
from zoneinfo import ZoneInfo

from gnomon.demo.wishes import Cancel, Change, Move, Then, Times, Wish

ZONES: Final = (
    *("Pacific/Honolulu", "America/Anchorage", "America/Los_Angeles", "America/Phoenix", "America/Denver"),
    *("America/Chicago", "America/Mexico_City", "America/New_York", "America/Lima", "America/Halifax", "America/St_Johns"),
    *("America/Sao_Paulo", "America/Argentina/Buenos_Aires", "Atlantic/Azores", "Atlantic/Reykjavik", "Africa/Lagos"),
    *("Europe/London", "Europe/Berlin", "Europe/Paris", "Africa/Cairo", "Europe/Athens", "Africa/Johannesburg"),
    *("Europe/Istanbul", "Africa/Nairobi", "Asia/Tehran", "Asia/Dubai", "Asia/Kabul", "Asia/Karachi", "Asia/Kolkata"),
    *("Asia/Kathmandu", "Asia/Dhaka", "Asia/Yangon", "Asia/Bangkok", "Asia/Singapore", "Asia/Shanghai", "Australia/Eucla"),
    *("Asia/Tokyo", "Australia/Darwin", "Australia/Adelaide", "Australia/Sydney", "Pacific/Auckland", "Pacific/Chatham"),
)

# Parts of all that is asked for, beside the herd. Movers come into a zone in which they are due soon; leavers go from one.
_KINDS: Final = {
    "daily": 22,
    "weekly": 14,
    "relative": 18,
    "absolute": 16,
    "local": 12,
    "far": 12,
    "mover": 3,
    "leaver": 3,
}
_HERD: Final = timedelta(seconds=1)
_HTTP: Final = 1 / 4
_CRITICAL: Final = 1 / 4
_TWO_CHANNELS: Final = 1 / 10
_FOLLOWS_USER: Final = 1 / 2
_SHIFTED: Final = 1 / 8

# What becomes of schedules that are due soon, and of those that are far: parts of all, the rest is left alone.
_SOON: Final = {"cancel": 0.06, "cancel late": 0.05, "change": 0.06}
_FAR: Final = {"cancel": 0.35, "hasten": 0.35}

SOONEST: Final = timedelta(seconds=1.2)
"""Nothing is asked for that is due earlier: the demo shows how punctual delivery is, not how quick a request."""
_LATEST: Final = timedelta(seconds=5)
_AFTERWARDS: Final = timedelta(seconds=0.7)
"""After the last request the last ones become due."""

_FAR_AWAY: Final = timedelta(hours=1)
_LAST_MOMENT: Final = timedelta(milliseconds=60)
_SECOND: Final = timedelta(seconds=1)
_WEEKDAYS: Final = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")


@dataclass(slots=True)
class Mix:
    """Draws wishes; the same seed draws the same."""

    times: Times
    users: tuple[tuple[str, str], ...]
    """Users whose zone is known, each with it."""
    _random: random.Random = field(default_factory=lambda: random.Random(7))  # noqa: S311  # a mix, no secret

    def wish(self, number: int, now_utc: datetime) -> Wish:
        """What the request of this number asks for, made at this instant."""
        kind = "herd" if self._is_in_herd(now_utc) else self._kind()
        user_id = f"u_{number}"
        request: dict[str, Any] = {
            "user_id": user_id,
            "template_id": kind,
            "lane": "transactional",
            "dedup_key": f"demo-{number}",
        }
        if self._happens(_CRITICAL):
            request["lane"] = "critical"
        due = self._due(now_utc)
        home: str | None = None
        then: Then | None = None
        match kind:
            case "herd":
                words: dict[str, Any] = {"schedule_at": text_of(self.times.herd_utc)}
            case "relative":
                words = {"schedule_at": f"PT{(due - now_utc).total_seconds():.3f}S"}
                then = self._soon(now_utc, due, {"schedule_at": text_of(due + _SECOND)})
            case "absolute":
                words = {"schedule_at": text_of(due)}
                then = self._soon(now_utc, due, {"schedule_at": text_of(due + _SECOND)})
            case "far":
                words = {"schedule_at": "in 1 hour"}
                then = self._far(now_utc, due)
            case "mover" | "leaver":
                words, home, then = self._moving(kind, now_utc, due)
            case _:
                user_id, zone, words = self._local(kind, user_id, due)
                request["user_id"] = user_id
                then = self._soon(now_utc, due, {"schedule_at": reading_of(_whole(due) + _SECOND, zone)})
        if self._happens(_TWO_CHANNELS):
            request["channels"] = ["push", "email"]
        return Wish(request=request | words, is_by_http=self._happens(_HTTP), home=home, then=then)

    def _is_in_herd(self, now_utc: datetime) -> bool:
        """As many as come in a second, asked for before the herd's instant comes near."""
        open_for = self.times.herd_utc - SOONEST - self.times.begin_utc
        return now_utc < self.times.herd_utc - SOONEST and self._happens(_HERD / open_for)

    def _kind(self) -> str:
        return self._random.choices(tuple(_KINDS), tuple(_KINDS.values()))[0]

    def _happens(self, part: float) -> bool:
        return self._random.random() < part

    def _due(self, now_utc: datetime) -> datetime:
        first = now_utc + SOONEST
        last = max(first, min(now_utc + _LATEST, self.times.end_utc + _AFTERWARDS))
        due = first + (last - first) * self._random.random()
        return due.replace(microsecond=due.microsecond // 1000 * 1000)

    def _local(self, kind: str, user_id: str, due: datetime) -> tuple[str, str, dict[str, Any]]:
        """A local time: of a user who is known, or in a zone that the request names."""
        words: dict[str, Any] = {}
        if self._happens(_FOLLOWS_USER):
            user_id, zone = self._random.choice(self.users)
        else:
            zone = self._random.choice(ZONES)
            words["timezone"] = zone
        due = _whole(due)
        if self._happens(_SHIFTED):
            words["offset"] = "PT5M"
            due -= timedelta(minutes=5)
        words["schedule_at"] = reading_of(due, zone)
        weekday = _WEEKDAYS[due.astimezone(ZoneInfo(zone)).weekday()]
        if kind == "daily":
            words["recurrence"] = {"pattern": "daily", "end_after": 90}
        elif kind == "weekly":
            words["recurrence"] = {"pattern": "weekly", "weekdays": sorted({weekday, "MON"}, key=_WEEKDAYS.index)}
        else:
            words["schedule_date"] = due.astimezone(ZoneInfo(zone)).date().isoformat()
        return user_id, zone, words

    def _moving(self, kind: str, now_utc: datetime, due: datetime) -> tuple[dict[str, Any], str, Then]:
        """A daily reading that is soon in one zone and hours away in another one where it is the same day."""
        due = _whole(due)
        soon, later = self._pair(due)
        words = {"schedule_at": reading_of(due, soon), "recurrence": {"pattern": "daily"}}
        moves_at = now_utc + (due - now_utc) * self._random.uniform(0.2, 0.7)
        if kind == "mover":
            return words, later, Move(moves_at, soon)
        return words, soon, Move(moves_at, later)

    def _pair(self, due: datetime) -> tuple[str, str]:
        """Two zones with the same date: the first reads a later time of day, so that its clock gets there sooner."""
        while True:
            soon, later = self._random.sample(ZONES, 2)
            here, there = (due.astimezone(ZoneInfo(zone)).replace(tzinfo=None) for zone in (soon, later))
            if here.date() == there.date() and here - there >= timedelta(minutes=30):
                return soon, later

    def _soon(self, now_utc: datetime, due: datetime, change: dict[str, Any]) -> Then | None:
        match self._choice(_SOON):
            case "cancel":
                return Cancel(now_utc + (due - now_utc) * self._random.random())
            case "cancel late":
                return Cancel(due + _LAST_MOMENT * self._random.uniform(-1, 1))
            case "change":
                return Change(now_utc + (due - now_utc) * self._random.uniform(0.1, 0.6), change)
            case _:
                return None

    def _far(self, now_utc: datetime, due: datetime) -> Then | None:
        at_utc = now_utc + (due - now_utc) * self._random.uniform(0.1, 0.6)
        match self._choice(_FAR):
            case "cancel":
                return Cancel(at_utc)
            case "hasten":
                return Change(at_utc, {"schedule_at": text_of(due)})
            case _:
                return None

    def _choice(self, parts: dict[str, float]) -> str | None:
        return self._random.choices((*parts, None), (*parts.values(), 1 - sum(parts.values())))[0]


def users_of(count: int) -> tuple[tuple[str, str], ...]:
    """So many users, spread over all zones."""
    return tuple((f"u_known_{number}", ZONES[number % len(ZONES)]) for number in range(count))


def text_of(at_utc: datetime) -> str:
    """RFC 3339 in UTC."""
    return at_utc.isoformat().replace("+00:00", "Z")


def reading_of(at_utc: datetime, time_zone: str) -> str:
    """What the wall of a zone reads, HH:MM:SS."""
    return at_utc.astimezone(ZoneInfo(time_zone)).strftime("%H:%M:%S")


def _whole(at_utc: datetime) -> datetime:
    """The next whole second: wall times have no fractions."""
    return at_utc.replace(microsecond=0) + timedelta(seconds=ceil(at_utc.microsecond / 1e6))
