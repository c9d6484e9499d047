"""Cancel, pause and resume by label, user and template, over HTTP and from the command line; GET /v1/operations/{id}."""

import json
from typing import Any

import psycopg
import pytest
import typer

from gnomon.commands.cancel import cancel
from gnomon.commands.pause import pause
from gnomon.commands.resume import resume
from tests.app.http import Client, problem, scheduled
from tests.support.given import given_schedule, value

_CANCEL = "/v1/notifications/schedule/cancel"
_LABEL = {"name": "season", "value": "spring"}


def test_a_label_is_cancelled_and_its_operation_can_be_watched(client: Client, connection: psycopg.Connection) -> None:
    made = scheduled(client, labels={"season": "spring"})
    answer = client.post(_CANCEL, json={"label": _LABEL})
    assert answer.status_code == 202, answer.text
    operation = answer.json()
    assert operation.items() >= {"kind": "cancel", "scope": "label", **_LABEL, "status": "running", "done_at": None}.items()
    assert answer.headers["location"] == f"/v1/operations/{operation['operation_id']}"
    assert client.get(f"/v1/notifications/schedule/{made['schedule_id']}").json()["status"] == "cancelled"
    while value(connection, "select gnomon.sweep_operations()"):
        pass
    told = client.get(answer.headers["location"]).json()
    assert (told["status"], told["swept_count"], told["walked"]) == ("done", 1, 1.0)
    for body, scope in (({"user_id": "u_1"}, "user"), ({"template_id": "t"}, "template")):
        assert client.post(_CANCEL, json=body).json()["scope"] == scope


def test_a_template_is_paused_and_resumed(client: Client) -> None:
    made = scheduled(client)
    body = {"template_id": _template_of(client, made)}
    for act, status in (("pause", "paused"), ("resume", "scheduled")):
        answer = client.post(f"/v1/notifications/schedule/{act}", json=body)
        assert answer.status_code == 202, answer.text
        assert answer.json().items() >= {"kind": act, "scope": "template", "status": "running"}.items()
        assert client.get(answer.headers["location"]).json()["kind"] == act
        assert client.get(f"/v1/notifications/schedule/{made['schedule_id']}").json()["status"] == status
        problem(client.post(f"/v1/notifications/schedule/{act}", json={}), 400, "GN024")


def _template_of(client: Client, made: dict[str, Any]) -> str:
    return str(client.get(f"/v1/notifications/schedule/{made['schedule_id']}").json()["template_id"])


def test_what_is_no_target(client: Client) -> None:
    for body in (
        {},
        {"user_id": "u_1", "template_id": "t"},
        {"label": {"name": "season"}},
        {"label": "season=spring"},
        {"users": "u_1"},
        {"user_id": ""},
        {"user_id": 1},
    ):
        problem(client.post(_CANCEL, json=body), 400, "GN024")
    problem(client.post(_CANCEL, json={"campaign_id": "c"}), 400, "GN028")
    problem(client.get("/v1/operations/op_1"), 404, "GN020")


def test_from_the_command_line(
    database_url: str, connection: psycopg.Connection, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GNOMON_DATABASE_URL", database_url)
    given_schedule(connection, user_id="u_1", labels={"season": "a=b"})
    cancel(label="season=a=b")
    assert "Swept in the background as op_" in capsys.readouterr().out
    assert value(connection, "select gnomon.pending_count('u_1')") == 0
    cancel(user="u_1", as_json=True)
    assert json.loads(capsys.readouterr().out)["scope"] == "user"
    cancel(template="t", as_json=True)
    assert json.loads(capsys.readouterr().out)["value"] == "t"
    for wrong in ({}, {"label": "season"}, {"schedule_id": "sch_1", "user": "u_1"}):
        with pytest.raises(typer.BadParameter):
            cancel(**wrong)  # type: ignore[arg-type]  # texts by name


def test_pause_and_resume_from_the_command_line(
    database_url: str, connection: psycopg.Connection, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GNOMON_DATABASE_URL", database_url)
    made = given_schedule(connection, user_id="u_1", labels={"season": "spring"})
    for command, status in ((pause, "paused"), (resume, "scheduled")):
        command(label="season=spring")
        assert "Swept in the background as op_" in capsys.readouterr().out
        command(user="u_1", as_json=True)
        assert json.loads(capsys.readouterr().out)["kind"] == command.__name__
        assert value(connection, "select (gnomon.find_schedule(%s)).status", made.schedule_id) == status
        with pytest.raises(typer.BadParameter):
            command()
