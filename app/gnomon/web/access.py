"""Who may call: a bearer token, or a process of this machine.

Without tokens the door listens on loopback only, and a browser of this machine is the one stranger who can still reach
it: it sends JSON only after a preflight that nobody answers, and a name that an attacker points at 127.0.0.1 is no name
of ours.
"""

import hmac
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final

from litestar.exceptions import NotAuthorizedException, PermissionDeniedException

from gnomon.settings import Settings

if TYPE_CHECKING:
    from litestar.connection import ASGIConnection
    from litestar.handlers import BaseRouteHandler

Guard = Callable[["ASGIConnection[Any, Any, Any, Any]", "BaseRouteHandler"], Awaitable[None]]

# Set in a route's opt: probes of an orchestrator carry no token.
PUBLIC: Final = "is_public"


class AddressRefused(Exception):
    """Without GNOMON_API_TOKENS the API listens on loopback only."""

    exit_code = 2
    hint = "Set GNOMON_API_TOKENS, or listen on 127.0.0.1."


def check_address(settings: Settings) -> None:
    """Raises AddressRefused when the address to listen on would let anybody in."""
    if not settings.api_tokens and not settings.is_loopback_only:
        raise AddressRefused(f"{settings.listen} can be reached from outside, and no GNOMON_API_TOKENS are set.")


def guard_of(tokens: Sequence[str]) -> Guard:
    """The guard of every route: raises 401 without one of the tokens, 403 for a foreign Host where there are none."""
    hashes = [sha256(token.encode()).digest() for token in tokens]

    # async, though it waits for nothing: Litestar runs a plain function in a thread of its own, which triples the cost
    # of a request.
    async def guard(connection: "ASGIConnection[Any, Any, Any, Any]", route: "BaseRouteHandler") -> None:
        if route.opt.get(PUBLIC):
            return
        if not hashes:
            _check_host(connection.headers.get("host", ""))
        elif not _is_known(connection.headers.get("authorization", ""), hashes):
            raise NotAuthorizedException("Send Authorization: Bearer and a token.", headers={"WWW-Authenticate": "Bearer"})

    return guard


def _is_known(authorization: str, hashes: Sequence[bytes]) -> bool:
    scheme, _, token = authorization.partition(" ")
    given = sha256(token.strip().encode("latin-1", "replace")).digest()
    # All are compared, and hashes of one length: the time tells neither which one matched nor how far.
    matches = [hmac.compare_digest(given, known) for known in hashes]
    return scheme.lower() == "bearer" and any(matches)


def _check_host(given: str) -> None:
    name = given.rpartition(":")[0] if given.rpartition(":")[2].isdigit() else given
    if not _is_loopback(name.strip("[]")):
        raise PermissionDeniedException("Without tokens this API answers to localhost only.")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
