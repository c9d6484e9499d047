"""uvicorn inside our process, ended by our signals.

Left to itself uvicorn takes the signals over and raises them again after its stop, which ends the process in the middle
of everything else that still wants to close.
"""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Final

import uvicorn
from litestar.types import ASGIApp

# Seconds that requests in flight get after SIGTERM.
GRACE: Final = 10


class Server(uvicorn.Server):
    """uvicorn that leaves signals to whoever runs it, and says when it listens."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        """`on_ready` runs once, when requests are taken."""
        super().__init__(config)
        self._on_ready = on_ready

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take no signal over."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        if self.started:
            self._on_ready()


async def run_server(app: ASGIApp, listener: socket.socket, on_ready: Callable[[], None]) -> None:
    """Serve until SIGTERM or SIGINT, then answer what is in flight and return."""
    config = uvicorn.Config(
        app,
        http="httptools",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
    )
    server = Server(config, on_ready)

    def stop() -> None:
        server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    await server.serve([listener])


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 lets the system choose. Raises OSError when the address is taken."""
    family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(address)
    return listener
