"""The API with two paths more, as a process of its own: what `gnomon bench http` compares POST schedule with.

    POST /constant   the body is read and an answer of the same size and headers comes back: what the web costs
    POST /bare       one row is inserted and committed first: what the web and one durable commit cost

Both stand in the very application that answers POST schedule, behind the same guard. It is told where to listen and what
to serve as `gnomon serve` is, by GNOMON_* variables, and prints its address once it takes requests.
"""

from typing import Any, Final

import uvloop
from litestar import Response, post

from gnomon.database.call import rows
from gnomon.settings import read_settings
from gnomon.web.asgi import build_app
from gnomon.web.asked import Asked, pool_of
from gnomon.web.bodies import SINGLE_LIMIT, body_of
from gnomon.web.server import bound, run_server

CONSTANT: Final = "/constant"
BARE: Final = "/bare"
BARE_TABLE: Final = "public.gnomon_bench_bare"

_BODY: Final = (
    b'{"schedule_id":"sch_6ff5v4y0008r0pn6ks8csnjw2f","fire_at_utc":"2030-01-01T12:00:00Z","status":"scheduled",'
    b'"timezone":null,"timezone_source":null,"resolution":null,"if_past":null,"version":1,"warnings":[]}'
)
_HEADERS: Final = {"Location": "/v1/notifications/schedule/sch_6ff5v4y0008r0pn6ks8csnjw2f", "ETag": '"1"'}


@post(CONSTANT, request_max_body_size=SINGLE_LIMIT)
async def constant(request: Asked) -> Response[bytes]:
    """Read the body and answer."""
    await body_of(request)
    return _answer()


@post(BARE, request_max_body_size=SINGLE_LIMIT)
async def bare(request: Asked) -> Response[bytes]:
    """Read the body, keep it in one row, and answer."""
    body = await body_of(request)
    await rows(pool_of(request), f"insert into {BARE_TABLE} (body) values (%s)", (body.decode(),))  # noqa: S608  # ours
    return _answer()


def main() -> None:
    """Serve until SIGTERM."""
    settings = read_settings()
    listener = bound(settings.host, settings.port)
    app = build_app(settings, str(settings.database_url))
    more: tuple[Any, ...] = (constant, bare)
    for route in more:
        app.register(route)
    with listener:
        address = f"http://{settings.host}:{listener.getsockname()[1]}"
        uvloop.run(
            run_server(
                app,
                listener,
                lambda: print(address, flush=True),  # noqa: T201  # read by whoever started it
            )
        )


def _answer() -> Response[bytes]:
    return Response(_BODY, status_code=201, media_type="application/json", headers=_HEADERS)


if __name__ == "__main__":
    main()
