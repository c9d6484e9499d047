"""The commands `gnomon poll` and `gnomon work`."""

import asyncio
import os
import socket
from collections.abc import Callable, Coroutine
from contextlib import nullcontext
from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Any, Final

import typer

from gnomon.log import start_log
from gnomon.settings import Settings, read_settings


class Role(StrEnum):
    """What a poller may do."""

    DUE = "due"
    UPKEEP = "upkeep"


class Lane(StrEnum):
    """Which deliveries a worker may send."""

    CRITICAL = "critical"
    TRANSACTIONAL = "transactional"
    BULK = "bulk"


_HIGHEST_PORT: Final = 65_535

_Listen = Annotated[
    str | None,
    typer.Option(metavar="HOST:PORT", help="Serve /healthz, /readyz and /metrics here. Not served when absent."),
]
_Name = Annotated[str | None, typer.Option(help="Name of this process in heartbeats and claims. Default: host and pid.")]


def poll(
    role: Annotated[
        list[Role] | None, typer.Option(help="What this process does; repeat for several. Default: both.")
    ] = None,
    listen: _Listen = None,
    name: _Name = None,
) -> None:
    """Fire what is due and keep the tables in shape, until SIGTERM.

    Run as many as you like: they share the work, and one is enough.

    Example: gnomon poll --role due --listen 127.0.0.1:8081
    """
    from gnomon_pollers.process import run_poll

    roles = {str(one) for one in role or Role}
    _run("poll", listen, name, lambda place: run_poll(place, roles))


def work(  # each is an option of the command line
    lane: Annotated[list[Lane] | None, typer.Option(help="Lane to work in; repeat for several. Default: all.")] = None,
    channel: Annotated[list[str] | None, typer.Option(help="Channel to send; repeat for several. Default: all.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=1000, help="Sends at a time, in each lane.")] = 64,
    stop_within: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="How long running sends may go on after SIGTERM.")
    ] = 10.0,
    listen: _Listen = None,
    name: _Name = None,
) -> None:
    """Send what is ready and settle what became of it, until SIGTERM.

    Run as many as you like. A worker for the critical lane alone keeps it
    apart from everything else. Whoever keeps workers to lanes or channels
    needs some for each that is used: gnomon lanes shows what nobody takes.

    Examples:
        gnomon work
        gnomon work --lane critical --channel push
        gnomon work --lane transactional --lane bulk --concurrency 32
    """
    from gnomon_pollers.lanes import LANES
    from gnomon_pollers.process import Work, run_work

    lanes = tuple(name for name in LANES if lane is None or Lane(name) in lane)
    what = Work(lanes, _channels(channel), concurrency, timedelta(seconds=stop_within))
    _run("work", listen, name, lambda place: run_work(place, what))


def _channels(given: list[str] | None) -> tuple[str, ...] | None:
    """The channels of a worker, None for all. A name that no delivery can have would idle for ever without a word."""
    from importlib.metadata import entry_points

    from gnomon_pollers.channels.routing import GROUP
    from gnomon_pollers.lanes import CHANNELS

    if not given:
        return None
    known = dict.fromkeys([*CHANNELS, *(entry.name for entry in entry_points(group=GROUP))])
    if wrong := [name for name in given if name not in known]:
        raise typer.BadParameter(f"{wrong[0]!r} is no channel; known: {', '.join(known)}", param_hint="--channel")
    return tuple(sorted(set(given)))


def _run(role: str, listen: str | None, name: str | None, main: Callable[[Any], Coroutine[Any, Any, None]]) -> None:
    from gnomon.embedded import database_for
    from gnomon_pollers.process import Place

    address = _address(listen)
    settings: Settings = read_settings()
    start_log(role)
    # A server of the user's own may be away just now: then this process waits for it, where a command would end.
    with database_for(settings) if settings.database_url is None else nullcontext(settings.database_url) as url:
        place = Place(url, settings, name or f"{role}@{socket.gethostname()}:{os.getpid()}", address)
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(main(place))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


def _address(listen: str | None) -> tuple[str, int] | None:
    if listen is None:
        return None
    host, _, port = listen.rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or int(port) > _HIGHEST_PORT:
        raise typer.BadParameter(
            f"{listen!r} is no address with a port; use for example 127.0.0.1:8081", param_hint="--listen"
        )
    return host.strip("[]"), int(port)
