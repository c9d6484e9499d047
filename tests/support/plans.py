"""Plans of what runs, also of the statements inside functions, which EXPLAIN alone does not show.

    with plans_of(connection) as plans:
        connection.execute("select * from gnomon.next_due(...)")
    assert not plans.nodes("Seq Scan")
    assert plans.buffers <= 8 * shards

auto_explain tells the plan of each statement, nested ones included, by a notice.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import psycopg
from psycopg.errors import Diagnostic

_SETTINGS: Final = {
    "log_min_duration": "0",
    "log_nested_statements": "on",
    "log_analyze": "on",
    "log_buffers": "on",
    "log_timing": "off",
    "log_format": "json",
    "log_level": "notice",
}


@dataclass
class Plan:
    """One statement that ran: its text and the tree of its plan."""

    query: str
    root: dict[str, Any]

    def walk(self) -> Iterator[dict[str, Any]]:
        """Every node, from the top."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(node.get("Plans", []))

    @property
    def buffers(self) -> int:
        """Shared buffers that this statement touched, those of its functions included."""
        return int(self.root.get("Shared Hit Blocks", 0)) + int(self.root.get("Shared Read Blocks", 0))


@dataclass
class Plans:
    """The statements of a block, in the order in which they ended: inner ones before those that called them."""

    statements: list[Plan] = field(default_factory=list)

    def nodes(self, *types: str) -> list[dict[str, Any]]:
        """The nodes of these types ("Seq Scan", "Sort"), or all, of every statement."""
        return [node for plan in self.statements for node in plan.walk() if not types or node["Node Type"] in types]

    def scans(self, *types: str) -> list[str]:
        """The tables that are read by nodes of these types."""
        return [node["Relation Name"] for node in self.nodes(*types) if "Relation Name" in node]

    @property
    def indexes(self) -> set[str]:
        """The indexes in use."""
        return {node["Index Name"] for node in self.nodes() if "Index Name" in node}

    @property
    def buffers(self) -> int:
        """Shared buffers that the last statement, the one that the block sent, touched in all."""
        return self.statements[-1].buffers

    def of(self, word: str) -> "Plans":
        """Only the statements whose text holds a word."""
        return Plans([plan for plan in self.statements if word in plan.query])


@contextmanager
def plans_of(connection: psycopg.Connection) -> Iterator[Plans]:
    """Collect the plans of all that this connection runs in the block; it needs the rights of a superuser."""
    plans = Plans()

    def collect(notice: Diagnostic) -> None:
        told = notice.message_primary or ""
        if "plan:\n" in told:
            statement = json.loads(told.partition("plan:\n")[2])
            plans.statements.append(Plan(statement["Query Text"], statement["Plan"]))

    connection.execute("load 'auto_explain'")
    for name, value in _SETTINGS.items():
        connection.execute(f"set auto_explain.{name} = {value}")
    plans.statements.clear()
    connection.add_notice_handler(collect)
    try:
        yield plans
    finally:
        connection.remove_notice_handler(collect)
        connection.execute("set auto_explain.log_min_duration = -1")
