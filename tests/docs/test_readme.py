"""README.md is true: its SQL, its commands and its calls are run, and print what it says."""

import tomllib
from pathlib import Path
from typing import Final

import pytest

from tests.docs.blocks import differences
from tests.docs.documents import TOP, played

README: Final = Path(TOP, "README.md")


@pytest.mark.session_time_zone("UTC")
def test_the_readme_is_true(database_url: str) -> None:
    assert not differences(README, played(README, database_url))


def test_the_two_commands_stand_there_as_promised() -> None:
    text = README.read_text()
    assert "\npython3 -m pip install uv && python3 -m uv run gnomon demo\n" in text
    assert "\npython3 -m pip install uv && python3 -m uv run --group test pytest\n" in text


def test_the_readme_names_commands_that_exist() -> None:
    commands = tomllib.loads(Path(TOP, "pyproject.toml").read_text())["project"]["entry-points"]["gnomon.commands"]
    for named in ("demo", "up", "migrate", "serve", "poll", "work", "psql", "preview"):
        assert named in commands
        assert f"gnomon {named}" in README.read_text()
