"""The calls of the contract that this version has not built: one table, refused with GN028 and never ignored."""

from typing import Final, cast

from litestar import route
from litestar.handlers import HTTPRouteHandler
from litestar.types import Method

from gnomon.errors import NotAvailable
from gnomon.web.asked import Asked

_ANY: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")

# Methods, path, and what it is called in the refusal.
LATER: Final[tuple[tuple[tuple[str, ...], str, str], ...]] = (
    (("POST",), "/v1/notifications", "send now"),
    (("GET",), "/v1/notifications/{notification_id:str}", "the status of a notification"),
    (("GET",), "/v1/notifications/{notification_id:str}/events", "the events of a notification"),
    (("GET",), "/v1/notifications/{notification_id:str}/explain", "explain"),
    *(
        (_ANY, f"/v1/{name}{rest}", name)
        for name in (
            *("templates", "campaigns", "dead-letters"),
            *("provider-callbacks", "unsubscribe"),
        )
        for rest in ("", "/{rest:path}")
    ),
    *(
        (_ANY, f"/v1/users/{{user_id:str}}/{name}{rest}", f"a user's {name}")
        for name in ("preferences", "devices", "inbox")
        for rest in ("", "/{rest:path}")
    ),
)


def later_routes() -> list[HTTPRouteHandler]:
    """A route for every row of the table."""
    return [_refusal(methods, path, name) for methods, path, name in LATER]


def _refusal(methods: tuple[str, ...], path: str, name: str) -> HTTPRouteHandler:
    @route(path, http_method=cast("list[Method]", list(methods)), status_code=200, include_in_schema=False)
    async def refuse(request: Asked) -> None:
        raise NotAvailable(f"{name} is not available in this version", hint=f"{request.method} {path.replace(':str', '')}")

    return refuse
