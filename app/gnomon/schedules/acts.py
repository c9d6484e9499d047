"""HTTP for what is done to a schedule as it stands: pause, resume, run; and to ask it why."""

from typing import Final

from litestar import Response, get, post

from gnomon.errors import RequestInvalid
from gnomon.schedules import calls, examples
from gnomon.schedules.routes import SCHEDULE_PATH
from gnomon.schedules.shapes import Scheduled
from gnomon.schedules.told import Explained, ExtraRun
from gnomon.web.answers import answer, etag
from gnomon.web.asked import Asked, hint, pool_of
from gnomon.web.bodies import SINGLE_LIMIT
from gnomon.web.documented import documented
from gnomon.web.paths import path_text
from gnomon.web.queries import version_if_given

_REFUSALS: Final = ("GN020", "GN021", "GN024", "GN025", "GN029")
_VERSION: Final = {"ETag": "The version it has now."}


@post(
    f"{SCHEDULE_PATH}/{{schedule_id:str}}/pause",
    status_code=200,
    request_max_body_size=SINGLE_LIMIT,
    opt=documented(
        summary="Pause a schedule",
        answer=Scheduled,
        answer_example=examples.SCHEDULED | {"status": "paused", "version": 2},
        answer_headers=_VERSION,
        may_be_conditional=True,
        problems=_REFUSALS,
    ),
)
async def pause_schedule(request: Asked) -> Response[bytes]:
    """Nothing of the schedule fires until it is resumed. A repeat changes nothing."""
    await _refuse_body(request)
    paused = await calls.pause_schedule(pool_of(request), path_text(request, "schedule_id"), version_if_given(request))
    return answer(paused, headers=etag(paused.version))


@post(
    f"{SCHEDULE_PATH}/{{schedule_id:str}}/resume",
    status_code=200,
    request_max_body_size=SINGLE_LIMIT,
    opt=documented(
        summary="Resume a schedule",
        answer=Scheduled,
        answer_example=examples.SCHEDULED | {"version": 3},
        answer_headers=_VERSION,
        may_be_conditional=True,
        problems=_REFUSALS,
    ),
)
async def resume_schedule(request: Asked) -> Response[bytes]:
    """Let a paused schedule go on. What became overdue is a misfire, as after an outage. A repeat changes nothing."""
    await _refuse_body(request)
    resumed = await calls.resume_schedule(pool_of(request), path_text(request, "schedule_id"), version_if_given(request))
    hint(request, resumed.fire_at_utc)
    return answer(resumed, headers=etag(resumed.version))


@post(
    f"{SCHEDULE_PATH}/{{schedule_id:str}}/run",
    status_code=202,
    request_max_body_size=SINGLE_LIMIT,
    opt=documented(
        summary="Fire an extra notification now",
        answer=ExtraRun,
        answer_example=examples.EXTRA_RUN,
        statuses=(202,),
        may_be_conditional=True,
        problems=_REFUSALS,
    ),
)
async def run_schedule(request: Asked) -> Response[bytes]:
    """Beside the series: no occurrence moves and none is counted. Each call makes one."""
    await _refuse_body(request)
    run = await calls.run_schedule(pool_of(request), path_text(request, "schedule_id"), version_if_given(request))
    return answer(run, status=202)


@get(
    f"{SCHEDULE_PATH}/{{schedule_id:str}}/explain",
    opt=documented(
        summary="Explain a schedule",
        answer=Explained,
        answer_example=examples.EXPLAINED,
        problems=("GN020",),
    ),
)
async def explain_schedule(request: Asked) -> Response[bytes]:
    """Every decision that was taken for it, in sentences and as data; also of one that is over."""
    return answer(await calls.explain_schedule(pool_of(request), path_text(request, "schedule_id")))


async def _refuse_body(request: Asked) -> None:
    # Somebody who sends {"until": ...} expects something that does not happen.
    if (await request.body()).strip() not in {b"", b"{}"}:
        raise RequestInvalid("this call takes no body")


ROUTES: Final = (pause_schedule, resume_schedule, run_schedule, explain_schedule)
