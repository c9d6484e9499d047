"""A history of two revisions: the real first one and one that a test writes."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gnomon.database import migrate
from gnomon.files import migrations_folder

_REVISION = """
from pathlib import Path

from gnomon.database import steps

revision, down_revision, branch_labels, depends_on = "0002", "0001", None, None


def upgrade():
    steps.up(Path(__file__).parent)


def downgrade():
    steps.down(Path(__file__).parent)
"""

WriteSecond = Callable[[dict[str, str]], None]


@pytest.fixture
def write_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WriteSecond:
    """Add a second revision made of these files (path in its folder -> text) to a copy of the history, and use that."""
    copy = tmp_path / "migrations"

    def write(files: dict[str, str]) -> None:
        shutil.copytree(migrations_folder(), copy, ignore=shutil.ignore_patterns("__pycache__"))
        for name, text in {"revision.py": _REVISION, "up.sql": "", "down.sql": "", **files}.items():
            path = copy / "versions" / "0002_second" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        monkeypatch.setattr(migrate, "migrations_folder", lambda: copy)

    return write
