"""Plans of the statements inside functions, as they really ran: auto_explain sends each to the client as a notice."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg.errors import Diagnostic

_SETTINGS: Final = {
    "log_min_duration": "0",
    "log_nested_statements": "on",
    "log_analyze": "on",
    "log_timing": "off",
    "log_buffers": "on",
    "log_format": "json",
    "log_level": "notice",
}


@dataclass(frozen=True)
class Plan:
    """What one statement did."""

    text: str
    nodes: list[dict[str, Any]]
    """Every node of the plan, the topmost first."""

    @property
    def buffers(self) -> int:
        """Pages looked at, in memory or not."""
        top = self.nodes[0]
        return int(top["Shared Hit Blocks"]) + int(top["Shared Read Blocks"])

    @property
    def kinds(self) -> set[str]:
        """The node types."""
        return {node["Node Type"] for node in self.nodes}

    def seq_scans_of(self, relation: str) -> list[str]:
        """Relations with this beginning that are read from end to end."""
        scanned = [node["Relation Name"] for node in self.nodes if node["Node Type"] == "Seq Scan"]
        return [name for name in scanned if name.startswith(relation)]

    def indexes_of(self, relation: str) -> set[str]:
        """Indexes that relations with this beginning are read by."""
        return {
            node["Index Name"] for node in self.nodes if "Index Name" in node and node["Index Name"].startswith(relation)
        }


def plans_of(connection: psycopg.Connection, run: Callable[[], object], containing: str) -> list[Plan]:
    """Run something and give the plans of the statements that contain a text; the connection must be a superuser's."""
    found: list[Plan] = []

    def read(notice: Diagnostic) -> None:
        _, _, told = (notice.message_primary or "").partition("plan:\n")
        if told:
            plan = json.loads(told)
            found.append(Plan(plan["Query Text"], list(_walk(plan["Plan"]))))

    connection.execute("load 'auto_explain'")
    for name, setting in _SETTINGS.items():
        connection.execute(f"set auto_explain.{name} = {setting}")
    connection.add_notice_handler(read)
    try:
        run()
    finally:
        connection.remove_notice_handler(read)
        connection.execute("set auto_explain.log_min_duration = -1")
    chosen = [plan for plan in found if containing in plan.text]
    assert chosen, f"no statement contains {containing}"
    return chosen


def _walk(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", []):
        yield from _walk(child)
