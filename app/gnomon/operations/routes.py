"""HTTP for mass operations: cancel, pause, resume and reschedule many at once, and look how far the sweep is."""

from typing import Any, Final

import msgspec
from litestar import Response, get, post

from gnomon.errors import GnomonError
from gnomon.operations import calls
from gnomon.operations.shapes import Kind, Operation, RescheduleRequest, TargetRequest
from gnomon.operations.targets import target_of
from gnomon.web.answers import answer
from gnomon.web.asked import Asked, pool_of
from gnomon.web.bodies import SINGLE_LIMIT, object_of, shape_of, shaped
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


_TARGETS: Final[dict[str, dict[str, object]]] = {
    "by label": {"label": {"name": "season", "value": "spring"}},
    "by user": {"user_id": "u_abc123"},
    "by template": {"template_id": "spring-sale"},
}
_CHANGE: Final = {"schedule_at": "19:30"}
_RESCHEDULE_EXAMPLE: Final = _EXAMPLE | {"kind": "reschedule", "change": _CHANGE, "refused_count": 0, "refusals": []}


def _documented(kind: Kind, summary: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401  # fields of Documented
    return documented(
        **{
            "summary": summary,
            "body": TargetRequest,
            "body_examples": _TARGETS,
            "answer": Operation,
            "answer_example": _EXAMPLE | {"kind": kind},
            "answer_headers": {"Location": "Where the operation is."},
            "statuses": (202,),
            "problems": ("GN024", "GN028"),
        }
        | more
    )


async def _begin(request: Asked, kind: Kind) -> Response[bytes]:
    return _begun(await calls.begin(pool_of(request), kind, target_of(await shape_of(request, TargetRequest))))


def _begun(operation: Operation) -> Response[bytes]:
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


@post(
    "/v1/notifications/schedule/reschedule",
    status_code=202,
    request_max_body_size=SINGLE_LIMIT,
    opt=_documented(
        "reschedule",
        "Reschedule by label, user or template (RFC 7396)",
        body=RescheduleRequest,
        body_examples={name: target | {"change": _CHANGE} for name, target in _TARGETS.items()},
        answer_example=_RESCHEDULE_EXAMPLE,
        problems=("GN010", "GN011", "GN012", "GN013", "GN014", "GN015", "GN023", "GN024", "GN027", "GN028"),
    ),
)
async def reschedule_many(request: Asked) -> Response[bytes]:
    """Once this is answered, nothing that was accepted before fires by its old plan; each takes the change as by PATCH."""
    members, text = await object_of(request)
    target = target_of(shaped(members, RescheduleRequest))
    # As it came, so that numbers keep their digits.
    change = msgspec.json.decode(text, type=dict[str, msgspec.Raw])["change"]
    try:
        return _begun(await calls.begin_reschedule(pool_of(request), target, bytes(change).decode()))
    except GnomonError as fault:
        if fault.pointer is not None:
            fault.pointer = f"/change{fault.pointer}"
        raise


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


ROUTES: Final = (cancel_many, pause_many, resume_many, reschedule_many, find_operation)
