"""Query strings and conditional headers, read as strictly as bodies: a misspelt name must not be ignored."""

import re
from datetime import UTC, datetime
from typing import Annotated, Final, TypeAlias

import msgspec
from litestar.exceptions import HTTPException

from gnomon.errors import RequestInvalid
from gnomon.web.asked import Asked
from gnomon.web.paths import decoded
from gnomon.web.strict_json import escaped

_Instant: TypeAlias = Annotated[datetime, msgspec.Meta(tz=True)]

_ETAG: Final = re.compile(r'(?:W/)?"([^"]*)"')
_VERSION: Final = re.compile(r"[1-9][0-9]{0,8}")

# Versions begin at 1: a tag that none of our answers can have carried matches nothing, and the database says so (GN021)
# after it has looked whether the schedule exists.
_NO_VERSION: Final = 0


class VersionRequired(HTTPException):
    """If-Match is missing: without it one of two writers would undo the other's change unseen."""

    status_code = 428


def query_of(request: Asked, *names: str) -> dict[str, str]:
    """The query's texts by name. Raises RequestInvalid for names this call does not know or gets twice."""
    found: dict[str, str] = {}
    for pair in filter(None, request.scope["query_string"].decode("latin-1").split("&")):
        name, _, value = (part.replace("+", "%20") for part in pair.partition("="))
        name = decoded(name, "/query")
        if name not in names:
            known = f"known: {', '.join(names)}" if names else "this call takes none"
            raise RequestInvalid(f"no query parameter is called {name!r}", hint=known, pointer=f"/{escaped(name)}")
        if name in found:
            raise RequestInvalid(f"the query parameter {name} is given twice", pointer=f"/{name}")
        found[name] = decoded(value, f"/{name}")
    return found


def count_of(texts: dict[str, str], name: str, *, otherwise: int, most: int) -> int:
    """A number from 1 to `most` out of the query. Raises RequestInvalid."""
    text = texts.get(name)
    if text is None:
        return otherwise
    if not re.fullmatch("[0-9]{1,9}", text) or not 1 <= int(text) <= most:
        raise RequestInvalid(f"{name} is {text[:40]!r}; it is a number from 1 to {most}", pointer=f"/{name}")
    return int(text)


def instant_of(texts: dict[str, str], name: str) -> datetime | None:
    """An instant (RFC 3339) out of the query, in UTC; None when it is not there. Raises RequestInvalid."""
    if (text := texts.get(name)) is None:
        return None
    try:
        return msgspec.convert(text, _Instant).astimezone(UTC)
    except (msgspec.ValidationError, OverflowError):
        told = f"{name} is {text[:40]!r}; it is an instant such as 2027-03-28T09:00:00Z"
        raise RequestInvalid(told, pointer=f"/{name}") from None


def expected_version(request: Asked) -> int | None:
    """The version If-Match names; None for `*`. Raises VersionRequired (428) when the header is missing."""
    if not request.headers.get("if-match", "").strip():
        raise VersionRequired("Send If-Match with the ETag of the version you read, or * for any.")
    return version_if_given(request)


def version_if_given(request: Asked) -> int | None:
    """The version If-Match names; None for `*` and without the header."""
    given = request.headers.get("if-match", "").strip()
    if given in {"", "*"}:
        return None
    tag = _ETAG.fullmatch(given)
    if tag is None:
        raise RequestInvalid(f"If-Match is {given[:40]!r}; it takes one ETag in quotes, or *", pointer="/If-Match")
    return int(tag[1]) if _VERSION.fullmatch(tag[1]) else _NO_VERSION
