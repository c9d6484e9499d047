"""HTTP for mass operations: cancel, pause and resume many at once, and look how far the sweep is."""

from typing import Any, Final

from litestar import Response, get, post

from gnomon.operations import calls
from gnomon.operations.shapes import Kind, Operation, TargetRequest
from gnomon.operations.targets import target_of
from gnomon.web.answers import answer
from gnomon.web.asked import Asked, pool_of
from gnomon.web.bodies import SINGLE_LIMIT, shape_of
from gnomon.web.documented import documented
from gnomon.web.paths import path_text

_EXAMPLE: Final = {
    "operation_id": "op_01M8Q6CMC1E00BG2FD55KBHYP4",
    "kind": "cancel",
    "scope": "label",
    "name": "season",
    "value": "spring",
    "status": "running",
    "swept_count": 0,
    "walked": 0.0,
    "created_at": "2026-11-30T21:39:47.201066Z",
    "done_at": None,
}


def _documented(kind: Kind, summary: str) -> dict[str, Any]:
    return documented(
        summary=summary,
        body=TargetRequest,
        body_examples={
            "by label": {"label": {"name": "season", "value": "spring"}},
            "by user": {"user_id": "u_abc123"},
            "by template": {"template_id": "spring-sale"},
        },
        answer=Operation,
        answer_example=_EXAMPLE | {"kind": kind},
        answer_headers={"Location": "Where the operation is."},
        statuses=(202,),
        problems=("GN024", "GN028"),
    )


async def _begin(request: Asked, kind: Kind) -> Response[bytes]:
    operation = await calls.begin(pool_of(request), kind, target_of(await shape_of(request, TargetRequest)))
    return answer(operation, status=202, headers={"Location": f"/v1/operations/{operation.operation_id}"})


@post(
    "/v1/notifications/schedule/cancel",
    status_code=202,
    request_max_body_size=SINGLE_LIMIT,
    opt=_documented("cancel", "Cancel by label, user or template"),
)
async def cancel_many(request: Asked) -> Response[bytes]:
    """Once this is answered, nothing that was accepted before is ever handed over; what is made later lives."""
    return await _begin(request, "cancel")


@post(
    "/v1/notifications/schedule/pause",
    status_code=202,
    request_max_body_size=SINGLE_LIMIT,
    opt=_documented("pause", "Pause by label, user or template"),
)
async def pause_many(request: Asked) -> Response[bytes]:
    """Once this is answered, nothing that was accepted before fires any more but what is due within 2 s."""
    return await _begin(request, "pause")


@post(
    "/v1/notifications/schedule/resume",
    status_code=202,
    request_max_body_size=SINGLE_LIMIT,
    opt=_documented("resume", "Resume by label, user or template"),
)
async def resume_many(request: Asked) -> Response[bytes]:
    """What was accepted before goes on, paused alone or with many; what became overdue is a misfire."""
    return await _begin(request, "resume")


@get(
    "/v1/operations/{operation_id:str}",
    opt=documented(
        summary="Read a mass operation",
        answer=Operation,
        answer_example=_EXAMPLE | {"status": "done", "swept_count": 48112, "walked": 1.0, "done_at": "2026-11-30T21:41:02Z"},
        problems=("GN020",),
    ),
)
async def find_operation(request: Asked) -> Response[bytes]:
    """How far its sweep has come; kept for 7 days after its end."""
    return answer(await calls.find_operation(pool_of(request), path_text(request, "operation_id")))


ROUTES: Final = (cancel_many, pause_many, resume_many, find_operation)
