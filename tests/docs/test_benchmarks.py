"""The statements of docs/benchmarks.md run; what they take is told there and not tested."""

from pathlib import Path
from typing import Final

from tests.docs.blocks import read
from tests.docs.documents import TOP
from tests.docs.psql import psql

PAGE: Final = Path(TOP, "docs", "benchmarks.md")


def test_the_statements_run_in_small(database_url: str) -> None:
    with psql(database_url) as reader:
        printed = [reader.run(block.text.replace("10000", "100")) for block in read(PAGE)]
    assert [text for text in printed if "ERROR" in text] == []
    assert "100" in printed[2]
