import json
from typing import Any

import pytest
from litestar.routes import HTTPRoute

from gnomon.schedules.shapes import KeyedRequest, Recurrence, ScheduleRequest
from gnomon.web.documented import OPT
from gnomon.web.later import LATER
from tests.app.http import Client, send
from tests.support.given import rows


@pytest.fixture
def document(client: Client) -> dict[str, Any]:
    answer = client.get("/schema")
    assert answer.headers["content-type"].startswith("application/vnd.oai.openapi+json")
    found: dict[str, Any] = answer.json()
    return found


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    names = set(document["components"]["schemas"])
    used = {part.partition('"')[0] for part in json.dumps(document).split('"#/components/schemas/')[1:]}
    assert used == names


def test_every_operation_is_whole(document: dict[str, Any]) -> None:
    ids = []
    for path, methods in document["paths"].items():
        for operation in methods.values():
            ids.append(operation["operationId"])
            assert operation["summary"]
            named = {parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "path"}
            assert named == {part.partition("}")[0] for part in path.split("{")[1:]}
            assert any(status.startswith("2") for status in operation["responses"])
            for answer in operation["responses"].values():
                assert answer["description"]
                assert answer["content"]
    assert len(ids) == len(set(ids))


def test_no_route_is_left_out(client: Client, document: dict[str, Any]) -> None:
    later = {path for _, path, _ in LATER} | {"/schema"}
    routed = {route.path_format for route in client.app.routes if isinstance(route, HTTPRoute) and route.path not in later}
    assert set(document["paths"]) == routed
    for route in client.app.routes:
        for handler in getattr(route, "route_handlers", ()):
            is_own = route.path not in later and "OPTIONS" not in handler.http_methods
            assert (OPT in handler.opt) == is_own


def test_the_examples_are_accepted_as_they_stand(client: Client, document: dict[str, Any]) -> None:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method == "patch" or "requestBody" not in operation:
                continue
            content = operation["requestBody"]["content"]["application/json"]
            for name, example in content["examples"].items():
                sent = path.replace("{user_id}", f"u_{name}").replace("{key}", "k").replace("{name}", "kind")
                answer = send(client, json.dumps(example["value"]), sent, method)
                assert str(answer.status_code) in operation["responses"], answer.text
                assert answer.is_success, answer.text
                told = operation["responses"][str(answer.status_code)]["content"]["application/json"]["example"]
                assert answer.json().keys() == told.keys()


def test_the_documented_fields_are_those_that_the_database_has_built(client: Client, connection: Any) -> None:
    built = {row.field for row in rows(connection, "select field from gnomon_data.request_fields() where is_built")}
    assert set(ScheduleRequest.__struct_fields__) == built
    assert built - set(KeyedRequest.__struct_fields__) == {"user_id", "key"}
    assert "pattern" in Recurrence.__struct_fields__
    assert client.get("/schema").status_code == 200


def test_nothing_of_it_loads_from_elsewhere(client: Client) -> None:
    text = client.get("/schema").text
    assert "http://" not in text
    assert "https://" not in text
