"""docs/alarms.yml speaks of metrics and labels that the processes really give, and of nothing else."""

import re
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
import yaml
from litestar.testing import TestClient
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from gnomon.settings import Settings
from gnomon.web.asgi import build_app
from gnomon_pollers.metrics import Metrics
from tests.app.http import LOCAL, Client
from tests.docs.documents import TOP
from tests.sql.acts import claim, fire, settle
from tests.support.given import given_schedule

RULES: Final = Path(TOP, "docs", "alarms.yml")

_NAME: Final = re.compile(r"\bgnomon_\w+")
_SELECTED: Final = re.compile(r"\b(gnomon_\w+)\{([^}]*)\}")
_LABEL: Final = re.compile(r"(\w+)\s*(?:=~|!=|!~|=)")
_GROUPED: Final = re.compile(r"by \(([^)]*)\) \((?:rate\(|increase\()?(gnomon_\w+)")


def _rules() -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def _labels(families: Iterable[Metric]) -> dict[str, set[str]]:
    """The labels of each series, by its name."""
    found: dict[str, set[str]] = {}
    for family in families:
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


@pytest.fixture
def client(database_url: str) -> Iterator[Client]:
    """The API on the test's database."""
    with TestClient(build_app(Settings(), database_url), base_url=LOCAL) as opened:
        yield opened


@pytest.fixture
def given(client: Client, connection: psycopg.Connection) -> dict[str, set[str]]:
    """What API, pollers and workers tell once something was delivered and something waits."""
    for user_id in ("u_1", "u_2"):
        given_schedule(connection, user_id=user_id, schedule_at="PT0S", lane="critical")
    fire(connection)
    settle(connection, claim(connection, "critical", at_most=1))
    metrics = Metrics()
    metrics.failed("beat due")
    texts = [client.get("/metrics").text, metrics.text().decode()]
    return _labels(family for text in texts for family in text_string_to_metric_families(text))


def test_each_metric_and_label_is_there(given: dict[str, set[str]]) -> None:
    named = {name for rule in _rules() for name in _NAME.findall(rule["expr"])}
    assert len(named) > 10
    assert named - given.keys() == set()
    for rule in _rules():
        for name, chosen in _SELECTED.findall(rule["expr"]):
            assert set(_LABEL.findall(chosen)) <= given[name], rule["alert"]
        for grouped, name in _GROUPED.findall(rule["expr"]):
            assert set(re.split(r"[,\s]+", grouped)) <= given[name], rule["alert"]


def test_each_rule_says_what_is_wrong_and_what_to_do() -> None:
    rules = _rules()
    assert len({rule["alert"] for rule in rules}) == len(rules)
    for rule in rules:
        assert rule.keys() <= {"alert", "expr", "for", "labels", "annotations"}
        assert rule["labels"] in ({"severity": "page"}, {"severity": "ticket"})
        assert rule["annotations"].keys() == {"summary", "action"}
        kept = set(re.split(r"[,\s]+", ",".join(re.findall(r"by \(([^)]*)\)", rule["expr"]))))
        assert set(re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"])) <= kept, rule["alert"]


def test_a_lane_without_an_end_has_no_drain_time_and_is_told_by_another_rule(
    given: dict[str, set[str]], client: Client, connection: psycopg.Connection
) -> None:
    assert "gnomon_lane_drain_seconds" in given
    connection.execute("update gnomon_data.delivery_log set settled_at_utc = settled_at_utc - %s", [timedelta(minutes=2)])
    text = client.get("/metrics").text
    assert "gnomon_lane_drain_seconds{" not in text
    assert 'gnomon_lane_ends_per_second{channel="log",lane="critical"} 0.0' in text
