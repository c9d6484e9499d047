"""Copies what differs in `sql/` into a revision's folder, so that history replays exactly whatever `sql/` says later.

    gnomon freeze "true cancel"  ->  versions/0007_true_cancel/  ->  frozen.sha256

A revision may be frozen again while it is the newest and not released. `released.txt` names those that are: a database
outside of this checkout may stand there. Digests are rewritten for that one folder and never for another, so that an
edit of frozen history goes on failing.

What this cannot know is told as an error: steps on tables are written by hand, and so is the end of a public routine's
earlier form. Services call it by its arguments and read its result, so a new form gets a new name and the old one is
dropped by a later revision; up.sql says so with a `drop routine` of its own.
"""

import hashlib
import re
import shutil
from argparse import Namespace
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from alembic.config import Config
from alembic.script import ScriptDirectory

from gnomon.database.history import Folder, folders, views_in
from gnomon.database.migrate import options
from gnomon.database.source import Source, form_of, routine_in

_DIGESTS: Final = "frozen.sha256"
_RELEASED: Final = "released.txt"
_KINDS: Final = frozenset({".py", ".sql", ".txt"})
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]{0,38}")

_NO_VIEWS: Final = "-- None are left.\n"


class HistoryChanged(RuntimeError):
    """A frozen file is not as its digest says."""

    hint = "Restore it from git. What databases went through is not changed afterwards; write the next revision instead."


class RevisionReleased(RuntimeError):
    """The newest revision is released: it does not change any more."""

    hint = 'Name the next one: gnomon freeze "what it is for".'


class NotFrozen(RuntimeError):
    """sql/ says something else than the newest revision."""

    hint = 'Freeze it: gnomon freeze "what it is for", or gnomon freeze --again while the newest is not released.'


class NameUnfit(RuntimeError):
    """A revision is named with letters, digits and spaces, at most 39 of them."""

    hint = 'For example: gnomon freeze "true cancel".'


class PublicFormChanged(RuntimeError):
    """Public routines change their arguments or their result, or are gone: services call them as they were."""

    def __init__(self, names: list[str], folder: str) -> None:
        """Name the routines, and where to write that it is meant."""
        super().__init__(f"{', '.join(names)}: {self.__doc__}")
        self.hint = (
            "Give the new form a new name and keep the old one until a later revision. If this is that later one, write "
            f"`drop routine` for each into {folder}/up.sql, then: gnomon freeze --again."
        )


@dataclass(frozen=True)
class Frozen:
    """What a freeze did: the folder's name, and the routines by <room>/<routine>.sql."""

    revision: str
    new: tuple[str, ...]
    changed: tuple[str, ...]
    """With the same arguments and result."""
    reshaped: tuple[str, ...]
    """With others: the earlier form is dropped first."""
    gone: tuple[str, ...]
    has_views: bool

    def routines(self) -> dict[str, tuple[str, ...]]:
        """The routines by what became of them."""
        return {"new": self.new, "changed": self.changed, "reshaped": self.reshaped, "gone": self.gone}


def begin(name: str, sql: Path, migrations: Path) -> Frozen:
    """Make the next revision's folder and freeze into it what differs.

    Raises NameUnfit, HistoryChanged, PublicFormChanged; after the last one the folder is there.
    """
    if not _NAME.fullmatch(name):
        raise NameUnfit(NameUnfit.__doc__)
    check(migrations)
    folder = _new_folder(name, migrations)
    for steps in ("up.sql", "down.sql"):
        shutil.copyfile(migrations / f"script.{steps}", folder / steps)
    _note(folder.name, migrations)
    return _fill(Folder(folder), sql, migrations)


def again(sql: Path, migrations: Path) -> Frozen:
    """Freeze anew into the newest revision's folder; what was written by hand stays.

    Raises RevisionReleased, HistoryChanged, PublicFormChanged.
    """
    newest = folders(migrations / "versions")[-1]
    if newest.path.name in released(migrations):
        raise RevisionReleased(f"{newest.path.name} is released: it does not change any more.")
    check(migrations, but=newest.path.name)
    return _fill(newest, sql, migrations)


def check(migrations: Path, *, but: str | None = None) -> None:
    """Raises HistoryChanged when files of a revision, one excepted, are not as their digests say, or have none."""
    different = {*_written(migrations)} ^ {*digests(migrations).splitlines()}
    if changed := sorted({line.partition("  ")[2] for line in different if _folder_of(line) != but}):
        raise HistoryChanged(f"{', '.join(changed)}: not as {_DIGESTS} says.")


def check_all(sql: Path, migrations: Path) -> None:
    """Raises HistoryChanged, and NotFrozen naming the routines of sql/ that are not as the newest revision left them.

    Types and tables are compared where there is a database: by the proof that both ways lead to one catalogue.
    """
    check(migrations)
    newest = folders(migrations / "versions")[-1]
    frozen = {name: _text(path) for name, path in newest.routines_after.items()}
    today = {path.relative_to(sql).as_posix(): _text(path) for path in Source(sql).routines()}
    different = [name for name in sorted(frozen.keys() | today.keys()) if frozen.get(name) != today.get(name)]
    views = newest.views or newest.views_before
    if (_text(views) if views else "") != (_joined(Source(sql).views(), sql) or _NO_VIEWS):
        different.append("the views")
    if different:
        raise NotFrozen(f"{', '.join(different)}: not frozen.")


def digests(migrations: Path) -> str:
    """The lines of frozen.sha256, as `sha256sum` writes and checks them: every file of every revision."""
    frozen = sorted(path for path in (migrations / "versions").rglob("*") if path.suffix in _KINDS)
    return "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(migrations).as_posix()}\n" for path in frozen
    )


def released(migrations: Path) -> list[str]:
    """The folders of released revisions."""
    return [line for line in _text(migrations / _RELEASED).splitlines() if line and not line.startswith("#")]


def _new_folder(name: str, migrations: Path) -> Path:
    config = Config(cmd_opts=Namespace(quiet=True))
    for option, value in options(migrations).items():
        config.set_main_option(option, value.replace("%", "%%"))
    config.set_main_option("file_template", "%%(rev)s_%%(slug)s/revision")
    number = int(folders(migrations / "versions")[-1].path.name.partition("_")[0]) + 1
    made = ScriptDirectory.from_config(config).generate_revision(f"{number:04}", name)
    assert made is not None, "Alembic makes one unless it is asked for something else"
    return Path(made.path).parent


def _fill(folder: Folder, sql: Path, migrations: Path) -> Frozen:
    """Copy what differs, write gone.txt and the digests."""
    before = folder.routines_before
    today = {path.relative_to(sql).as_posix(): path for path in Source(sql).routines()}
    steps = (folder.path / "up.sql").read_text(encoding="utf-8")
    _refuse_silent_ends(folder, today, steps)

    new = sorted(today.keys() - before.keys())
    gone = sorted(before.keys() - today.keys())
    different = sorted(name for name in today.keys() & before.keys() if _text(today[name]) != _text(before[name]))
    reshaped = [name for name in different if form_of(today[name]) != form_of(before[name])]
    _copy({name: today[name] for name in [*new, *different]}, folder.path / "routines")
    _write(folder.path / "gone.txt", "".join(f"{name}\n" for name in sorted([*gone, *reshaped])))

    views = _joined(Source(sql).views(), sql)
    is_other = views != (_text(folder.views_before) if folder.views_before else "")
    has_views = is_other or any(_drops(steps, "view", name) for name in views_in(folder.views_before))
    _write(folder.path / "views.sql", (views or _NO_VIEWS) if has_views else "")
    _note(folder.path.name, migrations)
    return Frozen(
        revision=folder.path.name,
        new=tuple(new),
        changed=tuple(name for name in different if name not in reshaped),
        reshaped=tuple(reshaped),
        gone=tuple(gone),
        has_views=has_views,
    )


def _refuse_silent_ends(folder: Folder, today: dict[str, Path], steps: str) -> None:
    """Raises PublicFormChanged when a public routine loses the form it had, and up.sql does not say so."""
    forms = {routine_in(path): form_of(path) for path in today.values()}
    before = {routine_in(path): form_of(path) for path in folder.routines_before.values()}
    ended = [name for name, form in before.items() if name.startswith("gnomon.") and forms.get(name) != form]
    if silent := sorted(name for name in ended if not _drops(steps, "function|procedure|routine", name)):
        raise PublicFormChanged(silent, folder.path.name)


def _drops(steps: str, kind: str, name: str) -> bool:
    return re.search(rf"^\s*drop (?:{kind}) (?:if exists )?{re.escape(name)}\b", steps, re.MULTILINE) is not None


def _copy(routines: dict[str, Path], target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    for name, path in routines.items():
        copy = target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)


def _joined(paths: Iterable[Path], sql: Path) -> str:
    """Files of `sql/` as one text, each under its name."""
    return "\n".join(f"-- {path.relative_to(sql).as_posix()}\n\n{_text(path).strip()}\n" for path in paths)


def _note(name: str, migrations: Path) -> None:
    """Write the digests of one folder anew and leave the others as they are written."""
    others = [line for line in _written(migrations) if _folder_of(line) != name]
    own = [line for line in digests(migrations).splitlines() if _folder_of(line) == name]
    lines = sorted([*others, *own], key=lambda line: line.partition("  ")[2])
    _write(migrations / _DIGESTS, "".join(f"{line}\n" for line in lines))


def _written(migrations: Path) -> list[str]:
    return _text(migrations / _DIGESTS).splitlines()


def _folder_of(line: str) -> str:
    return PurePosixPath(line.partition("  ")[2]).parts[1]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _write(path: Path, text: str) -> None:
    """Write the file, or remove it when there is nothing to write."""
    if text:
        path.write_text(text, encoding="utf-8")
    else:
        path.unlink(missing_ok=True)
