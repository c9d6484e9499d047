"""The server: its version, its settings, its room for sessions, its clock."""

import time
from typing import Final

from gnomon.doctor import calls
from gnomon.doctor.exam import Exam, Finding, Ward

_SUPPORTED: Final = (17, 18)

_NAMES: Final = [
    *("server_version_num", "server_version", "default_transaction_isolation", "max_connections", "autovacuum"),
    *("track_counts", "fsync", "full_page_writes", "synchronous_commit", "max_locks_per_transaction"),
]

_FEWEST_LOCKS: Final = 256

_FULL: Final = 0.8
"""Share of max_connections from which on there is no room for another process."""

_LARGEST_SKEW: Final = 100
"""Milliseconds between the database's clock and ours; what /readyz allows."""

_MUST_BE_ON: Final = {
    "autovacuum": "What fires and settles leaves dead rows behind; without autovacuum every look gets slower, without end.",
    "track_counts": "Autovacuum does not know what to do without it.",
    "fsync": "What was accepted may be lost when the machine stops.",
    "full_page_writes": "A page half written when the machine stops cannot be repaired.",
}


async def server(ward: Ward) -> Exam:
    """Version and settings."""
    found = await calls.settings(ward.pool, _NAMES)
    findings = [
        Finding(what=f"{name} is off.", why=why, remedy=f"alter system set {name} = on; and restart the server.")
        for name, why in _MUST_BE_ON.items()
        if found.get(name) == "off"
    ]
    major = int(found["server_version_num"]) // 10_000
    if major not in _SUPPORTED:
        findings.append(
            Finding(
                what=f"The server is PostgreSQL {major}.",
                why="This version of Gnomon was tried on PostgreSQL 17 and 18 only.",
                remedy="Look whether there is a newer Gnomon.",
            )
        )
    if found["default_transaction_isolation"] != "read committed":
        findings.append(
            Finding(
                what=f"Transactions are {found['default_transaction_isolation']} by default.",
                why="Fire, claim and settle refuse to work in anything but READ COMMITTED.",
                remedy="For the clockwork's logins: alter role ... set default_transaction_isolation = 'read committed';",
            )
        )
    if found["synchronous_commit"] == "off":
        findings.append(
            Finding(
                what="synchronous_commit is off.",
                why="What was accepted in the last moments before a crash is lost.",
                remedy="Set it on for whoever schedules, or know that it is so.",
            )
        )
    if int(found["max_locks_per_transaction"]) < _FEWEST_LOCKS:
        findings.append(
            Finding(
                what=f"max_locks_per_transaction is {found['max_locks_per_transaction']}.",
                why="A migration touches every partition in one transaction, and fails without room for so many locks.",
                remedy=f"alter system set max_locks_per_transaction = {_FEWEST_LOCKS}; and restart the server.",
            )
        )
    return Exam(check="server", seen=f"PostgreSQL {found['server_version'].split()[0]}", findings=tuple(findings))


async def sessions(ward: Ward) -> Exam:
    """Whether there is room for more sessions."""
    most = int((await calls.settings(ward.pool, ["max_connections"]))["max_connections"])
    used = await calls.session_count(ward.pool)
    findings: tuple[Finding, ...] = ()
    if used >= most * _FULL:
        findings = (
            Finding(
                what=f"{used} of {most} sessions are in use.",
                why="A process that starts, or one that makes its sessions anew, finds no place.",
                remedy="Raise max_connections, put a pooler before the callers, or run fewer processes.",
            ),
        )
    return Exam(check="sessions", seen=f"{used} of {most}", findings=findings)


async def clock(ward: Ward) -> Exam:
    """Whether the database's clock and ours agree; what the round trip leaves open is held against neither."""
    before = time.time()
    told = (await calls.clock_utc(ward.pool)).timestamp()
    after = time.time()
    skew_ms = 0 if before <= told <= after else round((told - (after if told > after else before)) * 1000)
    findings: tuple[Finding, ...] = ()
    if abs(skew_ms) > _LARGEST_SKEW:
        findings = (
            Finding(
                what=f"The database's clock is {skew_ms:+,} ms from this machine's.",
                why="The database's clock decides when things fire; one of the two tells the wrong time.",
                remedy="Look whether time is synchronised (chrony, systemd-timesyncd) on both machines.",
            ),
        )
    return Exam(check="clock", seen=f"{skew_ms:+d} ms", findings=findings)
