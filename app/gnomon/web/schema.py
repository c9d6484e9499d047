"""The OpenAPI 3.1 document at /schema: composed from the routes and from msgspec's reading of the shapes.

JSON only, no page: the usual viewers load their scripts from other people's servers.
"""

import re
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any, Final

import msgspec
from litestar import Response, get
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute

from gnomon.web.access import PUBLIC
from gnomon.web.asked import Asked
from gnomon.web.documented import OPT, Documented
from gnomon.web.problems import PROBLEM_TYPE, STATUS_OF_CODE, Problem

_PARAMETER: Final = re.compile(r"\{(\w+)\}")
_REFERENCE: Final = "#/components/schemas/{name}"
_TEXT: Final = {"type": "string"}

# What any call can answer, and what any call that needs a token can.
_ALWAYS: Final = (500, 503)
_ACCESS: Final = (401, 403)
_MEANINGS: Final = {
    200: "Done.",
    201: "Created.",
    202: "Accepted: workers find it.",
    400: "The request cannot be read, or this version cannot do it.",
    401: "No known token.",
    403: "Without tokens, localhost only; or the database login of this process lacks the right.",
    404: "No such thing.",
    409: "Too late to change.",
    412: "The version is stale.",
    413: "Too long.",
    415: "Not a media type this call reads.",
    422: "Readable, and cannot be done.",
    428: "If-Match is missing.",
    500: "Our error; the log has the rest under the id in `instance`.",
    503: "The database is away, or this process is not ready.",
}


def schema_document(routes: Iterable[HTTPRoute]) -> dict[str, Any]:
    """The document for the documented ones of these routes."""
    found = [
        (path, method.lower(), handler)
        for path, method, handler in _handlers(routes)
        if isinstance(handler.opt.get(OPT), Documented)
    ]
    shapes = [shape for _, _, handler in found for shape in _shapes(handler.opt[OPT])]
    schemas, components = msgspec.json.schema_components([*shapes, Problem], ref_template=_REFERENCE)
    by_shape = dict(zip(map(str, [*shapes, Problem]), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for path, method, handler in sorted(found, key=lambda row: row[:2]):
        paths.setdefault(path, {})[method] = _operation(path, handler, by_shape)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Gnomon",
            "version": version("gnomon"),
            "summary": "Schedules notifications and delivers them, inside one PostgreSQL database.",
            "description": "Instants are RFC 3339 in UTC. null means absent, but in PATCH, where it removes. "
            "Fields and calls that are not listed here are refused (GN024, GN028).",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


@get("/schema")
async def schema(request: Asked) -> Response[bytes]:
    """The OpenAPI document of this process."""
    routes = (route for route in request.app.routes if isinstance(route, HTTPRoute))
    return Response(msgspec.json.encode(schema_document(routes)), media_type="application/vnd.oai.openapi+json")


def _handlers(routes: Iterable[HTTPRoute]) -> Iterable[tuple[str, str, HTTPRouteHandler]]:
    for route in routes:
        for handler in route.route_handlers:
            for method in handler.http_methods:
                yield route.path_format, str(method), handler


def _shapes(what: Documented) -> list[Any]:
    return [shape for shape in (what.body, what.answer) if shape is not None]


def _operation(path: str, handler: HTTPRouteHandler, by_shape: Mapping[str, Any]) -> dict[str, Any]:
    what: Documented = handler.opt[OPT]
    operation: dict[str, Any] = {
        "operationId": handler.handler_name,
        "summary": what.summary,
        "description": str(handler.fn.__doc__),
        "parameters": [*_path_parameters(path), *_query_parameters(what), *_header_parameters(what)],
        "responses": _responses(what, by_shape, is_public=bool(handler.opt.get(PUBLIC))),
    }
    if handler.opt.get(PUBLIC):
        operation["security"] = []
    if what.body is not None:
        examples = {name: {"value": value} for name, value in (what.body_examples or {}).items()}
        content = {"schema": by_shape[str(what.body)], "examples": examples}
        operation["requestBody"] = {"required": True, "content": dict.fromkeys(what.body_types, content)}
    return operation


def _path_parameters(path: str) -> list[dict[str, Any]]:
    return [{"name": name, "in": "path", "required": True, "schema": _TEXT} for name in _PARAMETER.findall(path)]


def _query_parameters(what: Documented) -> list[dict[str, Any]]:
    return [
        {"name": query.name, "in": "query", "description": query.meaning, "schema": query.schema} for query in what.query
    ]


def _header_parameters(what: Documented) -> list[dict[str, Any]]:
    meaning = "The ETag of the version that was read, or * for any."
    given = {"name": "If-Match", "in": "header", "required": what.is_conditional, "description": meaning, "schema": _TEXT}
    return [given] if what.is_conditional or what.may_be_conditional else []


def _responses(what: Documented, by_shape: Mapping[str, Any], *, is_public: bool) -> dict[str, Any]:
    codes: dict[int, list[str]] = {status: [] for status in _problem_statuses(what, is_public=is_public)}
    for code in what.problems:
        codes.setdefault(STATUS_OF_CODE[code], []).append(code)
    answer = {"schema": _TEXT if what.answer is None else by_shape[str(what.answer)], "example": what.answer_example}
    headers = {name: {"description": text, "schema": _TEXT} for name, text in (what.answer_headers or {}).items()}
    responses: dict[str, Any] = {}
    for status, listed in sorted(codes.items()):
        meaning = f"{_MEANINGS[status]} {', '.join(listed)}".strip()
        responses[str(status)] = {"description": meaning, "content": {PROBLEM_TYPE: {"schema": by_shape[str(Problem)]}}}
    good = {"headers": headers, "content": {what.answer_type: answer}}
    for status in what.statuses:
        responses[str(status)] = {"description": _MEANINGS[status], **good}
    return responses


def _problem_statuses(what: Documented, *, is_public: bool) -> list[int]:
    access = () if is_public else _ACCESS
    body = [400, 413, 415] if what.body is not None else []
    return [*_ALWAYS, *access, *body, *([400] if what.query else []), *([428] if what.is_conditional else [])]
