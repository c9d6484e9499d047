"""HTTP for mass operations: cancel many at once, and look how far the sweep is."""

from typing import Final

from litestar import Response, get, post

from gnomon.errors import NotAvailable, RequestInvalid
from gnomon.operations import calls
from gnomon.operations.shapes import CancelRequest, Operation
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


@post(
    "/v1/notifications/schedule/cancel",
    status_code=202,
    request_max_body_size=SINGLE_LIMIT,
    opt=documented(
        summary="Cancel by label, user or template",
        body=CancelRequest,
        body_examples={
            "by label": {"label": {"name": "season", "value": "spring"}},
            "by user": {"user_id": "u_abc123"},
            "by template": {"template_id": "spring-sale"},
        },
        answer=Operation,
        answer_example=_EXAMPLE,
        answer_headers={"Location": "Where the operation is."},
        statuses=(202,),
        problems=("GN024", "GN028"),
    ),
)
async def cancel_many(request: Asked) -> Response[bytes]:
    """Once this is answered, nothing that was accepted before is ever handed over; what is made later lives."""
    asked = await shape_of(request, CancelRequest)
    pool = pool_of(request)
    given = [name for name in CancelRequest.__struct_fields__ if getattr(asked, name) is not None]
    if len(given) != 1:
        raise RequestInvalid(
            "name exactly one of label, user_id and template_id", hint=f"given: {', '.join(given) or 'none'}"
        )
    if asked.label is not None:
        operation = await calls.cancel_by_label(pool, asked.label.name, asked.label.value)
    elif asked.user_id is not None:
        operation = await calls.cancel_by_user(pool, asked.user_id)
    elif asked.template_id is not None:
        operation = await calls.cancel_by_template(pool, asked.template_id)
    else:
        raise NotAvailable("cancel by campaign is not available in this version", pointer="/campaign_id")
    return answer(operation, status=202, headers={"Location": f"/v1/operations/{operation.operation_id}"})


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


ROUTES: Final = (cancel_many, find_operation)
