"""`gnomon serve`: the HTTP API as one process."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gnomon.settings import Settings


def serve(
    listen: Annotated[
        str | None, typer.Option(help="Address and port; GNOMON_LISTEN, else 127.0.0.1:8080.", metavar="HOST:PORT")
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the address as JSON once requests are taken.")] = False,
) -> None:
    """Serve the HTTP API until SIGTERM.

    Without GNOMON_API_TOKENS it listens on loopback only. Example:

        GNOMON_API_TOKENS=$(openssl rand -hex 16) gnomon serve --listen 0.0.0.0:8080
    """
    import dataclasses

    from gnomon.log import start_log
    from gnomon.settings import read_settings
    from gnomon.web.access import check_address

    settings = read_settings()
    if listen is not None:
        settings = dataclasses.replace(settings, listen=read_settings({"GNOMON_LISTEN": listen}).listen)
    check_address(settings)
    start_log("serve")
    _run(settings, as_json=as_json)


def _run(settings: "Settings", *, as_json: bool) -> None:
    import json

    import uvloop

    from gnomon.commands.ask import ready_database
    from gnomon.web.asgi import build_app
    from gnomon.web.server import bound, run_server

    listener = bound(settings.host, settings.port)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = f"http://{host}:{listener.getsockname()[1]}"

    def say() -> None:
        print(json.dumps({"address": address}) if as_json else f"Gnomon answers at {address}", flush=True)

    with listener, ready_database(settings) as url:
        uvloop.run(run_server(build_app(settings, url), listener, say))
