"""Answers: a shape as JSON, encoded once and by one encoder."""

from collections.abc import Mapping
from typing import Final

import msgspec
from litestar import Response

# Instants are aware datetimes in UTC: msgspec writes them as RFC 3339 with Z and no fraction when it is zero.
_ENCODER: Final = msgspec.json.Encoder()


def answer(body: msgspec.Struct, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response[bytes]:
    """The shape as an HTTP answer."""
    return json_answer(_ENCODER.encode(body), status=status, headers=headers)


def json_answer(body: bytes, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response[bytes]:
    """JSON that is encoded already as an HTTP answer."""
    return Response(body, status_code=status, media_type="application/json", headers=headers)


def etag(version: int | None) -> dict[str, str]:
    """The header that names a schedule's version; If-Match takes it back. None, for one that is over, has no header."""
    return {} if version is None else {"ETag": f'"{version}"'}
