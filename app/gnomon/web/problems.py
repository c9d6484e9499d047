"""Every error as problem+json (RFC 9457), from the database's codes and from HTTP's own.

GnomonError (GN0xx)   -> the status of its code       422 {"code": "GN010", "errors": [{"pointer": "/timezone", ...}]}
DatabaseUnavailable   -> 503 and Retry-After
Overloaded            -> 503 and Retry-After, longer for what matters less
HTTPException         -> its status                   405 {"code": "HTTP405", ...}
anything else         -> 500 that tells only an id; the log has the rest under that id
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final
from uuid import uuid4

import msgspec
from litestar import Response
from litestar.exceptions import HTTPException

from gnomon.errors import DatabaseUnavailable, GnomonError, Overloaded, RightMissing
from gnomon.log import logger
from gnomon.web.asked import Asked

PROBLEM_TYPE: Final = "application/problem+json"

# Seconds. A fail-over takes longer, but a client that asks once a second is no load.
RETRY_AFTER: Final = 1

# What is wrong with the text is 400; text that is well formed and cannot be done here and now is 422.
STATUS_OF_CODE: Final[Mapping[str, int]] = {
    "GN010": 422,
    "GN011": 400,
    "GN012": 422,
    "GN013": 400,
    "GN014": 400,
    "GN015": 400,
    "GN020": 404,
    "GN021": 412,
    "GN022": 422,
    "GN023": 422,
    "GN024": 400,
    "GN025": 409,
    "GN026": 422,
    "GN027": 400,
    "GN028": 400,
    "GN029": 409,
}
# A code that only a newer database knows.
_REFUSED: Final = 422

_log = logger(__name__)


class FieldProblem(msgspec.Struct, frozen=True):
    """One field of the request and what is wrong with it; an empty pointer is the request as a whole."""

    pointer: str
    detail: str


class Problem(msgspec.Struct, frozen=True):
    """The body of every error. `instance` is given for a 500 only: the id under which the log tells the rest."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: list[FieldProblem] = []
    instance: str | msgspec.UnsetType = msgspec.UNSET


def problem_of(fault: GnomonError) -> Problem:
    """The problem of an error of the contract, also as one item's result in a batch."""
    detail = fault.message if not fault.hint else f"{fault.message} ({fault.hint})"
    return Problem(
        type=f"urn:gnomon:error:{fault.code}",
        title=str(fault.__doc__).rstrip("."),
        status=STATUS_OF_CODE.get(fault.code, _REFUSED),
        detail=detail,
        code=fault.code,
        errors=[] if fault.pointer is None else [FieldProblem(fault.pointer, fault.message)],
    )


def http_problem(status: int, detail: str, *, instance: str | msgspec.UnsetType = msgspec.UNSET) -> Problem:
    """The problem of an error that HTTP itself has a word for."""
    title = HTTPStatus(status).phrase
    return Problem("about:blank", title, status, detail, f"HTTP{status}", instance=instance)


def _refused(_request: Asked, fault: GnomonError) -> Response[bytes]:
    return response_of(problem_of(fault))


def _away(_request: Asked, fault: DatabaseUnavailable) -> Response[bytes]:
    _log.warning("database_away", error=str(fault))
    problem = http_problem(503, f"{str(fault.__doc__).partition(chr(10))[0]} {fault.hint}")
    return response_of(problem, {"Retry-After": str(RETRY_AFTER)})


def _overloaded(_request: Asked, fault: Overloaded) -> Response[bytes]:
    # No line in the log for each: there are many, and counting them is what /metrics is for.
    problem = http_problem(503, f"{str(fault.__doc__).rstrip('.')}: {fault}. {fault.hint}")
    return response_of(problem, {"Retry-After": str(fault.retry_after)})


def _denied(_request: Asked, fault: RightMissing) -> Response[bytes]:
    _log.warning("right_missing", error=str(fault))
    return response_of(http_problem(403, f"{fault}. {fault.hint}"))


def _unanswered(request: Asked, fault: HTTPException) -> Response[bytes]:
    if fault.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _broken(request, fault)
    return response_of(http_problem(fault.status_code, fault.detail), fault.headers)


def _broken(request: Asked, fault: Exception) -> Response[bytes]:
    instance = f"urn:uuid:{uuid4()}"
    _log.error("request_failed", instance=instance, method=request.method, path=request.scope["path"], exc_info=fault)
    detail = "The server met an error of its own; its log has the rest under the id in `instance`."
    return response_of(http_problem(500, detail, instance=instance))


def response_of(problem: Problem, headers: Mapping[str, str] | None = None) -> Response[bytes]:
    """The problem as an HTTP answer."""
    return Response(msgspec.json.encode(problem), status_code=problem.status, media_type=PROBLEM_TYPE, headers=headers)


EXCEPTION_HANDLERS: Final = {
    GnomonError: _refused,
    DatabaseUnavailable: _away,
    Overloaded: _overloaded,
    RightMissing: _denied,
    HTTPException: _unanswered,
    Exception: _broken,
}
