"""HTTP for many schedules: a user's list, batches, previews."""

from typing import Final

from litestar import Response, get, post

from gnomon.errors import GnomonError
from gnomon.schedules import calls, examples
from gnomon.schedules.batch import BATCH_TYPES, BatchAnswer, schedule_batch
from gnomon.schedules.pages import page_of_key, pending_page
from gnomon.schedules.routes import REFUSALS, SCHEDULE_PATH
from gnomon.schedules.shapes import PendingPage, Preview, PreviewRequest, ScheduleRequest
from gnomon.web.answers import answer, json_answer
from gnomon.web.asked import Asked, hint, pool_of, pressure_of
from gnomon.web.bodies import BATCH_LIMIT, JSON_TYPE, SINGLE_LIMIT, check_media_type, pieces_of, shape_of
from gnomon.web.documented import Query, documented
from gnomon.web.paths import path_text
from gnomon.web.queries import count_of, query_of

PAGE: Final = 20
LONGEST_PAGE: Final = 200
LONGEST_PREVIEW: Final = 100

# What stands beside the recurrence in a request, and within it in a rule.
_BESIDE: Final = ("schedule_at", "offset", "on_gap", "on_overlap")

_LIMIT: Final = Query("limit", "How many.", {"type": "integer", "minimum": 1, "maximum": LONGEST_PAGE, "default": PAGE})
_AFTER: Final = Query("after", "`next` of the page before.", {"type": "string"})
_KEY: Final = Query("key", "Only the schedule of this key.", {"type": "string", "minLength": 1, "maxLength": 255})
_N: Final = Query("n", "How many.", {"type": "integer", "minimum": 1, "maximum": LONGEST_PREVIEW, "default": 10})


@get(
    f"{SCHEDULE_PATH}/{{user_id:str}}/pending",
    opt=documented(
        summary="What a user has pending, soonest first",
        query=(_LIMIT, _AFTER),
        answer=PendingPage,
        answer_example=examples.PENDING,
        problems=("GN024",),
    ),
)
async def pending_schedules(request: Asked) -> Response[bytes]:
    """One page of the user's pending schedules."""
    asked = query_of(request, "limit", "after")
    return answer(await _page(request, asked))


@get(
    "/v1/users/{user_id:str}/schedules",
    opt=documented(
        summary="What a user has pending, or the one schedule of a key",
        query=(_KEY, _LIMIT, _AFTER),
        answer=PendingPage,
        answer_example=examples.PENDING,
        problems=("GN024",),
    ),
)
async def schedules_of_user(request: Asked) -> Response[bytes]:
    """One page of the user's pending schedules, or the one of a key: total_pending then is 1 or 0."""
    asked = query_of(request, "key", "limit", "after")
    return answer(await _page(request, asked))


@post(
    f"{SCHEDULE_PATH}/batch",
    status_code=200,
    request_max_body_size=BATCH_LIMIT,
    opt=documented(
        summary="Schedule up to 10,000 notifications",
        body=list[ScheduleRequest],
        body_examples={"two": [examples.ONCE, examples.PILL]},
        body_types=BATCH_TYPES,
        answer=BatchAnswer,
        answer_example={"accepted": 1, "refused": 0, "results": [{"schedule": examples.SCHEDULED}]},
        problems=("GN024",),
    ),
)
async def schedule_many(request: Asked) -> Response[bytes]:
    """One result an item, in order; one bad item spoils no other. A JSON array, or one object a line (NDJSON)."""
    media_type = check_media_type(request, BATCH_TYPES)
    pressure = pressure_of(request)
    with pressure.batch(request.content_length or BATCH_LIMIT):
        body, turns = pieces_of(request), pressure.batch_turns
        done, earliest = await schedule_batch(pool_of(request), turns, body, is_array=media_type == JSON_TYPE)
    hint(request, earliest)
    return json_answer(done)


@get(
    f"{SCHEDULE_PATH}/{{schedule_id:str}}/preview",
    opt=documented(
        summary="The next occurrences of a schedule",
        query=(_N,),
        answer=Preview,
        answer_example=examples.PREVIEW,
        problems=("GN020", "GN024"),
    ),
)
async def preview_schedule(request: Asked) -> Response[bytes]:
    """What this schedule will do next, with wall time, offset and kind."""
    at_most = count_of(query_of(request, "n"), "n", otherwise=10, most=LONGEST_PREVIEW)
    schedule_id = path_text(request, "schedule_id")
    sentence = await calls.describe_schedule(pool_of(request), schedule_id)
    found = await calls.preview_schedule(pool_of(request), schedule_id, at_most)
    return answer(Preview(sentence=sentence, occurrences=found))


@post(
    f"{SCHEDULE_PATH}/preview",
    status_code=200,
    request_max_body_size=SINGLE_LIMIT,
    opt=documented(
        summary="The next occurrences of a rule, before anything is scheduled",
        body=PreviewRequest,
        body_examples={"over a gap": examples.PREVIEW_REQUEST},
        answer=Preview,
        answer_example=examples.PREVIEW,
        problems=tuple(code for code in REFUSALS if code not in {"GN022", "GN023", "GN026", "GN027"}),
    ),
)
async def preview_rule(request: Asked) -> Response[bytes]:
    """What a rule would do; nothing is written."""
    asked = await shape_of(request, PreviewRequest)
    rule = asked.recurrence | {name: word for name in _BESIDE if (word := getattr(asked, name)) is not None}
    try:
        sentence = await calls.describe_rule(pool_of(request), rule, asked.timezone, asked.after)
        found = await calls.next_occurrences(pool_of(request), rule, asked.timezone, asked.after, asked.n)
    except GnomonError as fault:
        # The function takes one flat rule; what it points at stands one level deeper in our request.
        if fault.pointer and fault.pointer.removeprefix("/") not in {*_BESIDE, "timezone"}:
            fault.pointer = f"/recurrence{fault.pointer}"
        raise
    return answer(Preview(sentence=sentence, occurrences=found))


async def _page(request: Asked, asked: dict[str, str]) -> PendingPage:
    at_most = count_of(asked, "limit", otherwise=PAGE, most=LONGEST_PAGE)
    user_id = path_text(request, "user_id")
    if (key := asked.get("key")) is not None:
        return await page_of_key(pool_of(request), user_id, key)
    return await pending_page(pool_of(request), user_id, at_most, asked.get("after"))


ROUTES: Final = (pending_schedules, schedules_of_user, schedule_many, preview_schedule, preview_rule)
