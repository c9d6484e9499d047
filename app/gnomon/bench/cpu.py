"""CPU time of processes, from /proc: ours by their ids, a PostgreSQL server with all its backends, ended ones included."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from gnomon.database.call import one
from gnomon.database.pool import Pool

_TICKS: Final = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_PROC: Final = Path("/proc")

# Places behind the name in /proc/PID/stat.
_PARENT: Final = 1
_OWN: Final = slice(11, 13)
_WITH_ENDED_CHILDREN: Final = slice(11, 15)


class NotHere(RuntimeError):
    """CPU time cannot be read: this system has no /proc, or the server runs on another machine."""

    hint = "Run it on Linux, with the database on the same machine."


def seconds_of(pid: int) -> float:
    """CPU seconds of a process and of its children that have ended. Raises NotHere."""
    return sum(int(ticks) for ticks in _stat(pid)[_WITH_ENDED_CHILDREN]) / _TICKS


async def server_of(pool: Pool) -> int:
    """The process id of the server's postmaster. Raises NotHere."""
    found = await one(pool, "select pg_backend_pid() as pid, pg_is_in_recovery() as is_standby")
    return int(_stat(found["pid"])[_PARENT])


def seconds_of_server(postmaster: int) -> float:
    """CPU seconds of a whole server so far: its postmaster, backends, workers, and all that have ended. Raises NotHere."""
    total = seconds_of(postmaster)
    for place in _PROC.iterdir():
        if place.name.isdigit():
            try:
                stat = _stat(int(place.name))
            except NotHere:  # it ended meanwhile, and its parent has its time
                continue
            if int(stat[_PARENT]) == postmaster:
                total += sum(int(ticks) for ticks in stat[_OWN]) / _TICKS
    return total


def seconds_of_trees(*pids: int) -> float:
    """CPU seconds of these processes with all that descends from them, what has ended included. Raises NotHere."""
    found = {}
    for place in _PROC.iterdir() if _PROC.is_dir() else ():
        if place.name.isdigit():
            with suppress(NotHere):  # it ended meanwhile
                found[int(place.name)] = _stat(int(place.name))
    counted = set(pids)
    if not counted <= found.keys():
        raise NotHere(str(NotHere.__doc__))
    while more := {pid for pid, stat in found.items() if int(stat[_PARENT]) in counted} - counted:
        counted |= more
    return sum(int(ticks) for pid in counted for ticks in found[pid][_WITH_ENDED_CHILDREN]) / _TICKS


def _stat(pid: int) -> list[str]:
    """The fields behind the name, which may contain spaces and brackets."""
    try:
        return (_PROC / str(pid) / "stat").read_text().rpartition(") ")[2].split()
    except OSError as fault:
        raise NotHere(str(NotHere.__doc__)) from fault
