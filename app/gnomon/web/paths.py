"""Paths whose parameters may hold any character.

Litestar routes on the decoded path, where a user called `a/b` is two segments and one called `batch` is the batch call.
So the application routes on the path as it was sent, and a parameter is decoded only when a route asks for it:

    /v1/notifications/schedule/a%2Fb/pending    routed as .../%61%2Fb/pending; user_id = a/b
    /v1/notifications/schedule/batch/pending    routed as .../%62atch/pending; user_id = batch
    /v1/notifications/schedule//pending         routed as .../%/pending; user_id is empty (GN024, said by the database)
"""

import re
from typing import Final
from urllib.parse import unquote_to_bytes

from gnomon.errors import RequestInvalid
from gnomon.web.asked import Asked

_SCHEDULES: Final = ["v1", "notifications", "schedule"]
_UNRESERVED: Final = re.compile(r"[A-Za-z0-9._~-]+")
_BROKEN: Final = re.compile(r"%(?![0-9A-Fa-f]{2})|[^\x21-\x7e]")

# A lone percent sign is no encoding of anything, so no client can mean something else by it.
_EMPTY: Final = "%"


def routed_path(raw_path: bytes) -> str:
    """The path to route on: segments as sent, plain words in their shortest form, no parameter mistaken for a word."""
    sent = raw_path.partition(b"?")[0].decode("latin-1").strip("/").split("/")
    segments = [_shortest(segment) for segment in sent]
    if segments[:3] == _SCHEDULES and len(segments) == len(_SCHEDULES) + 2 and segments[3] != _EMPTY:
        # /schedule/X/Y: X is always a parameter, even when it reads like one of the words that stand beside it.
        segments[3] = _escaped(segments[3])
    return "/" + "/".join(segments)


def path_text(request: Asked, name: str) -> str:
    """The decoded path parameter. Raises RequestInvalid when it is not percent-encoded UTF-8 or holds a NUL."""
    segment = str(request.path_params[name])
    return "" if segment == _EMPTY else decoded(segment, f"/{name}")


def decoded(segment: str, pointer: str) -> str:
    """Percent-decode text of a URL strictly. Raises RequestInvalid."""
    if _BROKEN.search(segment):
        raise RequestInvalid(f"{pointer[1:]} in the address is not percent-encoded", pointer=pointer)
    try:
        text = unquote_to_bytes(segment).decode()
    except UnicodeDecodeError as fault:
        raise RequestInvalid(f"{pointer[1:]} in the address is not UTF-8", pointer=pointer) from fault
    if "\0" in text:
        raise RequestInvalid(f"{pointer[1:]} contains a NUL character", pointer=pointer)
    return text


def _shortest(segment: str) -> str:
    if not segment:
        return _EMPTY
    plain = unquote_to_bytes(segment).decode("latin-1")
    return plain if _UNRESERVED.fullmatch(plain) else segment


def _escaped(segment: str) -> str:
    return f"%{ord(segment[0]):02X}{segment[1:]}" if segment[0] != "%" else segment
