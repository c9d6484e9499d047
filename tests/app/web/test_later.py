import re

from gnomon.web.later import LATER
from tests.app.http import Client, problem

CALLS = [(method, path) for methods, path, _ in LATER for method in methods]
_NAMED_IN_THE_CONTRACT = """
    POST /v1/notifications
    GET /v1/notifications/ntf_1 · GET /v1/notifications/ntf_1/events
    GET /v1/notifications/ntf_1/explain · PUT /v1/users/u_1/preferences · GET /v1/users/u_1/devices
    GET /v1/users/u_1/inbox · GET /v1/users/u_1/inbox/stream
    POST /v1/templates · POST /v1/campaigns · GET /v1/dead-letters · POST /v1/dead-letters/redrive
    POST /v1/provider-callbacks/apns · GET /v1/unsubscribe/t · POST /v1/unsubscribe/t
"""


def test_every_call_that_is_not_built_is_refused_by_name(client: Client) -> None:
    for method, path in CALLS:
        sent = re.sub(r"\{\w+:\w+\}", "sch_1", path)
        told = problem(client.request(method, sent), 400, "GN028")
        assert "not available in this version" in told["detail"]


def test_what_the_contract_names_is_in_the_table(client: Client) -> None:
    for method, path in re.findall(r"([A-Z]+) (/\S+)", _NAMED_IN_THE_CONTRACT):
        problem(client.request(method, path), 400, "GN028")
