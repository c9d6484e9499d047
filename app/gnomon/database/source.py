"""The SQL files of the product, in the order in which they are loaded.

`sql/` holds today's truth, one routine a file, in rooms; a revision's folder holds what was frozen of it. Both are
read here and nowhere else, so that a database made from one is made the same way as a database made from the other.

Over all rooms: the schemas, every room's types, every room's tables, every room's routines, every room's views.
Types come before tables because tables use them, routines after tables because their result types may, views last
because they call routines. Bodies of routines are not checked while they are loaded, so their own order is free.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_ROUTINE = re.compile(r"create or replace (?:function|procedure) (gnomon(?:_data)?\.\w+)")
_FORM = re.compile(r"create or replace (.*?)(?=\blanguage\b|\bas \$)", re.DOTALL)
_COMMENT = re.compile(r"--[^\n]*")


@dataclass(frozen=True)
class Source:
    """The folder `sql/` of a checkout or of an installed wheel."""

    root: Path

    @property
    def rooms(self) -> list[str]:
        """The rooms in load order."""
        return (self.root / "rooms.txt").read_text(encoding="utf-8").split()

    def definitions(self) -> Iterator[Path]:
        """What a first revision writes into its up.sql: schemas, then all types, then all tables."""
        yield self.root / "schemas.sql"
        for name in ("types.sql", "tables.sql"):
            yield from self._of_every_room(name)

    def routines(self) -> Iterator[Path]:
        """One file a routine, room by room, by name within a room."""
        for room in self.rooms:
            yield from routines_of(self.root / room)

    def views(self) -> Iterator[Path]:
        """The views, room by room."""
        yield from self._of_every_room("views.sql")

    def everything(self) -> Iterator[Path]:
        """All files in load order."""
        yield from self.definitions()
        yield from self.routines()
        yield from self.views()

    def _of_every_room(self, name: str) -> Iterator[Path]:
        yield from (path for room in self.rooms if (path := self.root / room / name).exists())


def routines_of(room: Path) -> list[Path]:
    """The routine files of one room, by name."""
    return sorted(path for path in room.glob("*.sql") if path.stem not in {"types", "tables", "views"})


def routine_in(path: Path) -> str:
    """The qualified name of the routine that a file makes.

    Raises ValueError when the file makes none, or more than one: one routine a file is what lets history restore it.
    """
    names = _ROUTINE.findall(path.read_text(encoding="utf-8"))
    if len(names) != 1:
        message = f"{path} makes {len(names)} routines; a routine file makes exactly one"
        raise ValueError(message)
    return str(names[0])


def form_of(path: Path) -> str:
    """What those who call a routine see of its file: kind, name, arguments and result, without layout and comments.

    `create or replace` cannot change it: it refuses another result, and other arguments make a second routine.
    Raises ValueError as routine_in does.
    """
    routine_in(path)
    form = _FORM.search(_COMMENT.sub("", path.read_text(encoding="utf-8")))
    if form is None:
        message = f"{path} does not say its language, or a body, after its arguments and result"
        raise ValueError(message)
    return re.sub(r"\s*([(),])\s*", r"\1", " ".join(form[1].split()))
