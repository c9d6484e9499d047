"""What the folders of `migrations/versions/` hold, read as the history they are.

    0007_expand_claim_by_shard/
      revision.py          names itself and the one before it; calls steps.up and steps.down
      up.sql down.sql      steps on schemas, types and tables, written by hand
      routines/<room>/     the routines that are new or changed, copied from sql/
      gone.txt             routines whose earlier form ends here, as <room>/<routine>.sql, one a line; one that is also
                           copied begins anew, because its arguments or its result are others
      views.sql            all views, when one of them is new, changed or gone

A routine or a view stands as the newest folder up to here left it. Folders sort as they follow each other.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

_VIEW: Final = re.compile(r"^create or replace view (gnomon\.\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Folder:
    """The folder of one revision."""

    path: Path

    @cached_property
    def copies(self) -> dict[str, Path]:
        """The routines it holds, by <room>/<routine>.sql."""
        routines = self.path / "routines"
        return {path.relative_to(routines).as_posix(): path for path in sorted(routines.rglob("*.sql"))}

    @cached_property
    def gone(self) -> list[str]:
        """The routines whose earlier form it ends."""
        listed = self.path / "gone.txt"
        return listed.read_text(encoding="utf-8").split() if listed.exists() else []

    @property
    def views(self) -> Path | None:
        """Its file of views, if it has one."""
        file = self.path / "views.sql"
        return file if file.exists() else None

    @cached_property
    def earlier(self) -> "list[Folder]":
        """The folders before it, the oldest first."""
        return [other for other in folders(self.path.parent) if other.path.name < self.path.name]

    @cached_property
    def routines_before(self) -> dict[str, Path]:
        """The newest copy of every routine that stands before this revision."""
        return self.earlier[-1].routines_after if self.earlier else {}

    @cached_property
    def routines_after(self) -> dict[str, Path]:
        """The newest copy of every routine that stands when this revision has been applied."""
        left = {routine: copy for routine, copy in self.routines_before.items() if routine not in self.gone}
        return left | self.copies

    @property
    def views_before(self) -> Path | None:
        """The file that holds the views as they stand before this revision."""
        return next((other.views for other in reversed(self.earlier) if other.views), None)


def folders(versions: Path) -> list[Folder]:
    """The folders of all revisions, the oldest first."""
    return [Folder(path) for path in sorted(versions.iterdir()) if (path / "revision.py").exists()]


def views_in(file: Path | None) -> list[str]:
    """The qualified names of the views that a file makes; none without a file."""
    return _VIEW.findall(file.read_text(encoding="utf-8")) if file else []
