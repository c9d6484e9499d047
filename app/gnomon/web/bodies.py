"""Bodies: read whole, bounded, of a named media type, and decoded by us.

Litestar's own decoding is lax ("5" becomes 5, 0 becomes 1970), so no route lets it near a body.
"""

import re
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final, TypeVar

import msgspec
from litestar.exceptions import ClientException, HTTPException, InternalServerException

from gnomon.errors import RequestInvalid
from gnomon.web.asked import Asked
from gnomon.web.strict_json import escaped, strict_object, utf8_text

JSON_TYPE: Final = "application/json"
MERGE_PATCH_TYPE: Final = "application/merge-patch+json"
NDJSON_TYPES: Final = ("application/x-ndjson", "application/ndjson", "application/jsonl")

# Bytes. A request holds at most 64 KB of params; the rest is names.
SINGLE_LIMIT: Final = 1 << 20
BATCH_LIMIT: Final = 32 << 20

Shape = TypeVar("Shape", bound=msgspec.Struct)


class MediaTypeRefused(HTTPException):
    """The body is of a media type that this call does not read."""

    status_code = 415


async def body_of(request: Asked) -> bytes:
    """The whole body; its limit is the route's request_max_body_size (413)."""
    try:
        return await request.body()
    except InternalServerException as fault:
        # Litestar's word for a client that left before its body ended: no fault of ours, and nobody reads the answer.
        raise ClientException("The body ended early.") from fault


async def pieces_of(request: Asked) -> AsyncIterator[bytes]:
    """The body as it comes; its limit is the route's request_max_body_size (413)."""
    try:
        async for piece in request.stream():
            yield piece
    except InternalServerException as fault:
        raise ClientException("The body ended early.") from fault


def check_media_type(request: Asked, media_types: Sequence[str]) -> str:
    """The media type of the body. Raises MediaTypeRefused (415)."""
    given = request.headers.get("content-type", "")
    media_type, _, parameters = given.partition(";")
    media_type = media_type.strip().lower()
    # A missing type is refused too: a page of another origin may send a body without one, and no preflight asks us.
    if media_type not in media_types:
        raise MediaTypeRefused(f"The body is {media_type or 'of no type'}; this call reads {' or '.join(media_types)}.")
    charset = parameters.replace(" ", "").replace('"', "").lower()
    if "charset=" in charset and "charset=utf-8" not in charset:
        raise MediaTypeRefused("The body is not UTF-8; JSON is read in UTF-8 only.")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise MediaTypeRefused("The body is compressed; this call reads it as it is only.")
    return media_type


async def object_of(request: Asked, media_types: Sequence[str] = (JSON_TYPE,)) -> tuple[dict[str, Any], str]:
    """The body's object and its text, which is what the database reads. Raises RequestInvalid, MediaTypeRefused."""
    check_media_type(request, media_types)
    text = utf8_text(await body_of(request))
    return strict_object(text), text


async def shape_of(request: Asked, shape: type[Shape]) -> Shape:
    """The body as this shape, types taken at their word. Raises RequestInvalid with a pointer, MediaTypeRefused."""
    members, _ = await object_of(request)
    return shaped(members, shape)


def shaped(members: dict[str, Any], shape: type[Shape]) -> Shape:
    """An object as this shape, types taken at their word. Raises RequestInvalid with a pointer."""
    try:
        return msgspec.convert(members, shape, strict=True)
    except msgspec.ValidationError as fault:
        detail, _, path = str(fault).partition(" - at `$")
        raise RequestInvalid(detail, pointer=_pointer(path.rstrip("`")) + _unknown_field(detail)) from fault


def _pointer(path: str) -> str:
    return path.replace("[", ".").replace("]", "").replace(".", "/")


def _unknown_field(detail: str) -> str:
    """The one complaint whose path stops at the object that holds what is wrong."""
    found = re.fullmatch("Object contains unknown field `(.*)`", detail, re.DOTALL)
    return f"/{escaped(found[1])}" if found else ""
