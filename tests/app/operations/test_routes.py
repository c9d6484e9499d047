"""Cancel, pause, resume and reschedule by label, user and template, over HTTP and from the command line."""

import json
from typing import Any

import psycopg
import pytest
import typer

from gnomon.commands.cancel import cancel
from gnomon.commands.pause import pause
from gnomon.commands.reschedule import reschedule
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


_RESCHEDULE = "/v1/notifications/schedule/reschedule"


def test_a_label_is_rescheduled_and_what_refuses_is_told(client: Client, connection: psycopg.Connection) -> None:
    made = scheduled(client, labels={"season": "spring"})
    weekly = {"pattern": "weekly"}
    local = {"schedule_at": "09:00", "timezone": "UTC", "recurrence": weekly, "user_id": "u_2"}
    taking = scheduled(client, **local, labels={"season": "spring"})
    change = {"recurrence": {"weekdays": ["FRI"]}, "params": {"price": 1}}
    body = json.dumps({"label": _LABEL, "change": change}).replace('"price": 1', '"price": 1.10')
    answer = client.post(_RESCHEDULE, content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 202, answer.text
    told = answer.json()
    assert (
        told.items() >= {"kind": "reschedule", "scope": "label", **_LABEL, "status": "running", "refused_count": 0}.items()
    )
    for one in (made, taking):
        assert client.get(f"/v1/notifications/schedule/{one['schedule_id']}").json()["status"] == "rescheduling"
    while value(connection, "select gnomon.sweep_operations()"):
        pass
    told = client.get(answer.headers["location"])
    assert '"price": 1.10' in told.text
    assert told.json().items() >= {"status": "done", "swept_count": 2, "walked": 1.0, "refused_count": 1}.items()
    assert [refusal["schedule_id"] for refusal in told.json()["refusals"]] == [made["schedule_id"]]
    assert client.get(f"/v1/notifications/schedule/{taking['schedule_id']}").json()["version"] == 2


def test_a_change_that_is_none(client: Client) -> None:
    for change, code, pointer in (
        ({"schedule_at": "25:00"}, "GN013", "/change/schedule_at"),
        ({"timezone": "Mars/Olympus"}, "GN010", "/change/timezone"),
        ({"key": "k"}, "GN024", "/change/key"),
        ([], "GN024", "/change"),
    ):
        status = 422 if code == "GN010" else 400
        told = problem(client.post(_RESCHEDULE, json={"user_id": "u_1", "change": change}), status, code)
        assert [error["pointer"] for error in told["errors"]] == [pointer]
    problem(client.post(_RESCHEDULE, json={"user_id": "u_1"}), 400, "GN024")
    problem(client.post(_RESCHEDULE, json={"change": {}}), 400, "GN024")
    problem(client.post(_RESCHEDULE, json={"campaign_id": "c", "change": {}}), 400, "GN028")


def test_reschedule_from_the_command_line(
    database_url: str, connection: psycopg.Connection, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GNOMON_DATABASE_URL", database_url)
    made = given_schedule(connection, user_id="u_1", labels={"season": "spring"})
    reschedule(label="season=spring", at="PT5H")
    assert "Swept in the background as op_" in capsys.readouterr().out
    reschedule(user="u_1", change='{"params": {"a": 1.10}}', as_json=True)
    assert '"change":{"params": {"a": 1.10}}' in capsys.readouterr().out
    assert value(connection, "select (gnomon.find_schedule(%s)).status", made.schedule_id) == "rescheduling"
    reschedule(made.schedule_id, at="09:00", timezone="UTC")
    assert "Its pending occurrence is that of" in capsys.readouterr().out
    reschedule(made.schedule_id, change='{"offset": "PT5M"}', as_json=True)
    assert json.loads(capsys.readouterr().out)["version"] == 5
    for wrong in (
        {"label": "season=spring"},
        {"at": "PT1H"},
        {"user": "u_1", "at": "PT1H", "change": "{}"},
        {"user": "u_1", "change": "[]"},
    ):
        with pytest.raises(typer.BadParameter):
            reschedule(**wrong)  # type: ignore[arg-type]  # texts by name
