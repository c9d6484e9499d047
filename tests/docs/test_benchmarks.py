"""The statements of docs/benchmarks.md run; what they take is told there and not tested."""

from pathlib import Path
from typing import Final

from gnomon.bench.catalogue import names
from tests.docs import runs
from tests.docs.blocks import read
from tests.docs.documents import TOP
from tests.docs.psql import psql

PAGE: Final = Path(TOP, "docs", "benchmarks.md")


def test_the_statements_run_in_small(database_url: str) -> None:
    with psql(database_url) as reader:
        printed = [reader.run(block.text.replace("10000", "100")) for block in read(PAGE)]
    assert [text for text in printed if "ERROR" in text] == []
    assert "100" in printed[2]


def test_the_tables_are_those_of_the_runs_kept_beside_the_page() -> None:
    page = PAGE.read_text()
    assert sorted(runs.names(page)) == sorted(kept.stem for kept in runs.KEPT.glob("*.json")), "each run kept is on the page"
    assert set(runs.names(page)) <= set(names())
    assert runs.rewritten(page) == page, "python -m tests.docs.runs writes them anew"


def test_a_missed_bar_is_told_as_missed() -> None:
    bar = {"what": "p99", "value": 300.0, "bar": 250, "passed": False}
    machine = {"cpus": 2, "processor": "x", "load": 0.1}
    told = runs.told({"name": "x", "lines": [], "bars": [bar], "notes": [], "machine": machine, "versions": {}})
    assert "| p99 | 300 | 250 | **missed** |" in told
