"""docs/time.md is true: every block is run, and prints what the page says."""

from pathlib import Path
from typing import Final

import pytest

from tests.docs.blocks import differences
from tests.docs.documents import TOP, played

TIME: Final = Path(TOP, "docs", "time.md")


@pytest.mark.session_time_zone("UTC")
def test_the_page_on_time_is_true(database_url: str) -> None:
    assert not differences(TIME, played(TIME, database_url))
