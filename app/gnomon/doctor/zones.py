"""Zone data: whether the server's rules are the newest, and whether what is pending was computed by them."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from gnomon.doctor import calls, iana
from gnomon.doctor.calls import ZoneRules
from gnomon.doctor.exam import Exam, Finding, Ward, plural
from gnomon.doctor.iana import Difference, Reading
from gnomon.embedded.rules import BUNDLED, source_version, zic_program

_AHEAD: Final = timedelta(days=730)
_SHOWN: Final = 12


async def zone_data(ward: Ward) -> Exam:
    """Whether the server computes by the rules that the package tzdata has."""
    package = source_version()
    server = (await calls.settings(ward.pool, ["gnomon.zone_rules"])).get("gnomon.zone_rules")
    now_utc = (await calls.clock_utc(ward.pool)).replace(second=0, microsecond=0)
    rules = await calls.zone_rules(ward.pool, now_utc, now_utc + _AHEAD)
    found = await asyncio.to_thread(differences, rules, now_utc)
    seen = f"server: {_source(server, is_embedded=ward.is_embedded)}; package tzdata: {package or 'not installed'}"
    if not found:
        return Exam(check="zone data", seen=f"{seen}; {plural(len(rules), 'zone')} alike")
    counts = await calls.pending_by_zone(ward.pool, [one.time_zone for one in found])
    lines = [_line(one, counts.get(one.time_zone, 0)) for one in found]
    finding = Finding(
        what=f"The server's rules of {plural(len(found), 'zone')} are not those of tzdata {package}:\n" + _listed(lines),
        why=f"{plural(sum(counts.values()), 'pending schedule')} in these zones may fire at the wrong hour.",
        remedy=_remedy(server, package, is_embedded=ward.is_embedded),
    )
    return Exam(check="zone data", seen=seen, findings=(finding,))


async def zone_drift(ward: Ward) -> Exam:
    """Whether the server's rules are still those that pending schedules were computed by."""
    sources = await calls.zone_sources(ward.pool)
    seen = "; ".join(f"{one.taken_from}, {plural(one.zone_count, 'zone')}" for one in sources) or "none"
    found = await calls.zone_drift(ward.pool)
    counts = await calls.pending_by_zone(ward.pool, [one.time_zone for one in found]) if found else {}
    changed = [one for one in found if one.offset_now is not None]
    gone = [one.time_zone for one in found if one.offset_now is None and counts.get(one.time_zone)]
    findings = []
    if changed:
        lines = [
            f"{one.time_zone}: {_offset(one.offset_before)} is now {_offset(one.offset_now or timedelta())}"
            f" from {_minute(one.differs_from_utc)} on, {plural(counts.get(one.time_zone, 0), 'pending schedule')}"
            for one in changed
        ]
        findings.append(
            Finding(
                what=f"The rules of {plural(len(changed), 'zone')} changed since {_minute(changed[0].taken_at_utc)}:\n"
                + _listed(lines),
                why="What was pending then still has the instants of the old rules.",
                remedy="gnomon retime shows what moves; gnomon retime --apply moves it.",
            )
        )
    if gone:
        findings.append(
            Finding(
                what=f"The server no longer knows zones in use: {', '.join(gone)}.",
                why=f"{plural(sum(counts.get(zone, 0) for zone in gone), 'pending schedule')} cannot be advanced any more.",
                remedy="Install zone data with the old names (IANA's backward file), or give these schedules another zone.",
            )
        )
    return Exam(check="zone changes", seen=f"computed by {seen}", findings=tuple(findings))


def differences(rules: Sequence[ZoneRules], from_utc: datetime) -> list[Difference]:
    """The zones in which the server's rules over two years are not the package's, and where they part first."""
    found = []
    for zone in rules:
        theirs = iana.package_reading(zone.time_zone, from_utc, from_utc + _AHEAD)
        if theirs is None:
            continue
        mine = Reading(zone.first_offset, zone.changes_at_utc, zone.offsets)
        if parting := mine.parts_from(theirs, from_utc):
            found.append(Difference(zone.time_zone, *parting))
    return found


def _source(server: str | None, *, is_embedded: bool) -> str:
    if server is None:
        return "its own, of a version that it does not tell"
    if server == BUNDLED:
        return "those that come with the embedded PostgreSQL"
    return f"{server}, compiled for the embedded PostgreSQL" if is_embedded else server


def _remedy(server: str | None, package: str | None, *, is_embedded: bool) -> str:
    if not is_embedded and server is None:
        return (
            "Upgrade the server's zone data: PostgreSQL's next minor version, or the system's tzdata where the server was"
            " built with it, and restart it; or the package, if it is the older one. Then gnomon retime."
        )
    if server != BUNDLED:
        return (
            f"The server was started with {server}, and the package is {package} by now: stop all that uses it, start again."
        )
    if zic_program() is None:
        return "Install zic (Debian, Ubuntu: libc-bin; Fedora: glibc-common) and start again: then the package's are used."
    return "zic is there, but did not compile the package's rules; see whether the data folder may hold programs."


def _line(one: Difference, count: int) -> str:
    return (
        f"{one.time_zone}: {_offset(one.server_offset)} instead of {_offset(one.package_offset)}"
        f" from {_minute(one.from_utc)} on, {plural(count, 'pending schedule')}"
    )


def _listed(lines: Sequence[str]) -> str:
    more = [f"and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else []
    return "\n".join(f"  {line}" for line in [*lines[:_SHOWN], *more])


def _minute(at_utc: datetime) -> str:
    return f"{at_utc:%Y-%m-%d %H:%M} UTC"


def _offset(offset: timedelta) -> str:
    minutes = round(offset.total_seconds() / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
