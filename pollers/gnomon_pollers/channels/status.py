"""What an HTTP status says of an attempt, for every channel that speaks HTTP and has no list of its own.

2xx                         sent
410                         gone
401, 403, 407               unauthorised
429, 503 with Retry-After   throttled
404, 408, 421, 425          transient: 404 is what an ingress answers while its route is missing
any other 4xx               refused
everything else             transient: 5xx, and redirects, which are not followed
"""

from typing import Final

from gnomon_pollers.channels.channel import Verdict

SAYS_WHEN: Final = frozenset({429, 503})
"""Whose Retry-After is read."""

_OK: Final = range(200, 300)
_OUR_FAULT: Final = range(400, 500)
_ONE_BY_ONE: Final = {
    401: Verdict.UNAUTHORISED,
    403: Verdict.UNAUTHORISED,
    404: Verdict.TRANSIENT,
    407: Verdict.UNAUTHORISED,
    408: Verdict.TRANSIENT,
    410: Verdict.GONE,
    421: Verdict.TRANSIENT,
    425: Verdict.TRANSIENT,
    429: Verdict.THROTTLED,
}


def verdict_of(status: int, *, says_when: bool) -> Verdict:
    """The verdict of a status; `says_when`: it came with a Retry-After that can be read."""
    if status in _OK:
        return Verdict.SENT
    if says_when and status in SAYS_WHEN:
        return Verdict.THROTTLED
    return _ONE_BY_ONE.get(status) or (Verdict.REFUSED if status in _OUR_FAULT else Verdict.TRANSIENT)
