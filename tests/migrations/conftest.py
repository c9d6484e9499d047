"""A history with one revision more: the real ones and one that a test writes."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from gnomon.database import migrate
from gnomon.database.history import folders
from gnomon.files import migrations_folder

_REVISION = """
from pathlib import Path

from gnomon.database import steps

revision, down_revision, branch_labels, depends_on = "0099", "{before}", None, None


def upgrade():
    steps.up(Path(__file__).parent)


def downgrade():
    steps.down(Path(__file__).parent)
"""

WriteNext = Callable[[dict[str, str]], None]

#: The newest of the real revisions, and all that lead there.
HEAD: Final = migrate.head_revision()
ALL: Final = tuple(one.path.name.partition("_")[0] for one in folders(migrations_folder() / "versions"))


@pytest.fixture
def write_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WriteNext:
    """Add a revision 0099 made of these files (path in its folder -> text) to a copy of the history, and use that."""
    copy = tmp_path / "migrations"

    def write(files: dict[str, str]) -> None:
        shutil.copytree(migrations_folder(), copy, ignore=shutil.ignore_patterns("__pycache__"))
        for name, text in {"revision.py": _REVISION.format(before=HEAD), "up.sql": "", "down.sql": "", **files}.items():
            path = copy / "versions" / "0099_next" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        monkeypatch.setattr(migrate, "migrations_folder", lambda: copy)

    return write
