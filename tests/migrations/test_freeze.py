"""`gnomon freeze`: what differs in sql/ becomes the newest revision, and nothing that is frozen changes by it."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from gnomon import cli
from gnomon.commands import freeze as command
from gnomon.database import catalogue, freeze, fresh, migrate
from gnomon.database.freeze import Frozen, HistoryChanged, NameUnfit, NotFrozen, PublicFormChanged, RevisionReleased
from gnomon.database.history import folders
from gnomon.files import migrations_folder, sql_folder
from tests.support.cluster import Server

LANE_NAME = Path("base", "lane_name.sql")
SHARD_OF = Path("base", "shard_of.sql")
CLOCK = Path("base", "clock_utc.sql")
VIEWS = Path("schedules", "views.sql")
NEW = """
create or replace function gnomon_data.extra() returns gnomon_data.extra_kind
language sql as $$ select 'one :x 100 %'::gnomon_data.extra_kind $$;
comment on function gnomon_data.extra() is 'New, and answers a type that goes with its revision.';
"""


@dataclass(frozen=True)
class Checkout:
    """A copy of sql/ and of the history, in which sql/ is frozen."""

    sql: Path
    migrations: Path

    def edit(self, path: Path, old: str, new: str) -> None:
        file = self.sql / path
        text = file.read_text()
        assert old in text, f"{path} has changed: the test edits {old}"
        file.write_text(text.replace(old, new))

    def begin(self, name: str = "true cancel") -> Frozen:
        return freeze.begin(name, self.sql, self.migrations)

    def again(self) -> Frozen:
        return freeze.again(self.sql, self.migrations)

    @property
    def newest(self) -> Path:
        return folders(self.migrations / "versions")[-1].path

    def texts(self) -> dict[str, str]:
        files = (path for path in self.migrations.rglob("*") if path.is_file())
        return {path.relative_to(self.migrations).as_posix(): path.read_text() for path in files}


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    made = Checkout(tmp_path / "sql", tmp_path / "migrations")
    shutil.copytree(sql_folder(), made.sql)
    shutil.copytree(migrations_folder(), made.migrations, ignore=shutil.ignore_patterns("__pycache__"))
    _freeze_as_it_stands(made)
    monkeypatch.setattr(migrate, "migrations_folder", lambda: made.migrations)
    return made


def _freeze_as_it_stands(checkout: Checkout) -> None:
    """An edit that is not frozen yet is nothing these tests are about."""
    (checkout.migrations / "frozen.sha256").write_text(freeze.digests(checkout.migrations))
    if checkout.newest.name not in freeze.released(checkout.migrations):
        checkout.again()


def test_the_folder_holds_what_differs_and_its_digests(checkout: Checkout) -> None:
    before = checkout.texts()
    number = int(checkout.newest.name[:4]) + 1
    checkout.edit(LANE_NAME, "'bulk'", "'mass'")
    done = checkout.begin("true cancel")
    folder = f"versions/{number:04}_true_cancel"
    assert done == Frozen(Path(folder).name, (), (LANE_NAME.as_posix(),), (), (), has_views=False)
    after = checkout.texts()
    written = {name for name in after if after[name] != before.get(name)}
    own = {f"{folder}/{name}" for name in ("revision.py", "up.sql", "down.sql", f"routines/{LANE_NAME.as_posix()}")}
    assert written == own | {"frozen.sha256"}
    assert after["frozen.sha256"].startswith(before["frozen.sha256"])
    assert after["frozen.sha256"] == freeze.digests(checkout.migrations)
    assert '"""True cancel.\n' in after[f"{folder}/revision.py"]
    assert f'revision = "{number:04}"\ndown_revision = "{number - 1:04}"\n' in after[f"{folder}/revision.py"]


def test_up_leads_to_sql_and_down_to_where_it_was(checkout: Checkout, server: Server) -> None:
    earlier = migrate.head_revision()
    checkout.begin()
    # a body, other arguments, one new, one gone, one in another room, fewer rights and no comment, one more column of a view
    checkout.edit(LANE_NAME, "'bulk'", "'100 % bulk :x'")
    checkout.edit(SHARD_OF, "shard_of(user_id text)", "shard_of(user_id text, shard_count int default 64)")
    checkout.edit(SHARD_OF, "shard_of(text)", "shard_of(text, int)")
    (checkout.sql / "base/extra.sql").write_text(NEW)
    (checkout.sql / "base/time_text.sql").unlink()
    (checkout.sql / "base/rfc3339.sql").rename(checkout.sql / "users/rfc3339.sql")
    clock = checkout.sql / CLOCK
    lines = [line for line in clock.read_text().splitlines() if not line.startswith("comment on")]
    clock.write_text("\n".join(lines).replace("to gnomon_caller, gnomon_reader", "to gnomon_reader"))
    checkout.edit(VIEWS, "\n  from gnomon_data.schedules as s", ", s.shard as extra\n  from gnomon_data.schedules as s")
    checkout.edit(VIEWS, "to gnomon_caller, gnomon_reader", "to gnomon_reader")
    kind = "create type gnomon_data.extra_kind as enum ('one :x 100 %');\n"
    with (checkout.sql / "base/types.sql").open("a") as types:
        types.write(kind)
    (checkout.newest / "up.sql").write_text(kind)
    (checkout.newest / "down.sql").write_text("drop type gnomon_data.extra_kind;\n")
    done = checkout.again()
    assert (done.reshaped, done.has_views) == ((SHARD_OF.as_posix(),), True)
    assert done.new == ("base/extra.sql", "users/rfc3339.sql")
    assert done.gone == ("base/rfc3339.sql", "base/time_text.sql")

    with server.database() as loaded, server.database() as migrated:
        fresh.load(loaded, checkout.sql)
        migrate.upgrade(migrated, earlier)
        first = described(migrated)
        migrate.upgrade(migrated)
        assert described(migrated) == described(loaded)
        migrate.downgrade(migrated, earlier)
        assert described(migrated) == first


def test_what_is_not_frozen_is_named(checkout: Checkout) -> None:
    checkout.edit(LANE_NAME, "'bulk'", "'mass'")
    (checkout.sql / "base/time_text.sql").unlink()
    checkout.edit(VIEWS, "What is pending only.", "Only what is pending.")
    with pytest.raises(NotFrozen, match=r"^base/lane_name\.sql, base/time_text\.sql, the views: not frozen\.$"):
        freeze.check_all(checkout.sql, checkout.migrations)
    checkout.begin()
    freeze.check_all(checkout.sql, checkout.migrations)


def test_again_keeps_what_was_written_by_hand_and_forgets_what_is_as_before(checkout: Checkout) -> None:
    checkout.edit(LANE_NAME, "'bulk'", "'mass'")
    checkout.begin()
    up = checkout.newest / "up.sql"
    up.write_text(up.read_text() + "alter table gnomon_data.settings add column note text;\n")
    text = up.read_text()
    checkout.edit(LANE_NAME, "'mass'", "'bulk'")
    assert checkout.again() == Frozen(checkout.newest.name, (), (), (), (), has_views=False)
    assert up.read_text() == text
    assert not (checkout.newest / "routines").exists()
    assert (checkout.migrations / "frozen.sha256").read_text() == freeze.digests(checkout.migrations)


def test_a_released_revision_is_not_frozen_again(checkout: Checkout) -> None:
    checkout.begin()
    with (checkout.migrations / "released.txt").open("a") as released:
        released.write(f"{checkout.newest.name}\n")
    before = checkout.texts()
    with pytest.raises(RevisionReleased, match=checkout.newest.name):
        checkout.again()
    assert checkout.texts() == before


def test_an_edit_of_what_is_frozen_is_found_and_stays_found(checkout: Checkout) -> None:
    checkout.begin()
    edited = checkout.migrations / "versions/0001_first/up.sql"
    edited.write_text(f"{edited.read_text()}\n-- one more line\n")
    for attempt in (checkout.again, lambda: checkout.begin("next")):
        with pytest.raises(HistoryChanged, match=r"versions/0001_first/up\.sql"):
            attempt()
    edited.unlink()
    with pytest.raises(HistoryChanged, match=r"versions/0001_first/up\.sql"):
        checkout.again()


def test_the_next_revision_waits_until_the_one_before_is_frozen(checkout: Checkout) -> None:
    checkout.begin()
    (checkout.newest / "up.sql").write_text("select 1;\n")
    with pytest.raises(HistoryChanged):
        checkout.begin("next")
    checkout.again()
    assert checkout.begin("next").revision.endswith("_next")


def test_what_was_gone_comes_back_as_new(checkout: Checkout) -> None:
    text = (checkout.sql / LANE_NAME).read_text()
    (checkout.sql / LANE_NAME).unlink()
    assert checkout.begin("without").gone == (LANE_NAME.as_posix(),)
    (checkout.sql / LANE_NAME).write_text(text)
    assert checkout.begin("with").new == (LANE_NAME.as_posix(),)


def test_a_public_form_ends_only_where_up_says_so(checkout: Checkout) -> None:
    checkout.begin()
    checkout.edit(CLOCK, "clock_utc()", "clock_utc(precision_of int default 6)")
    with pytest.raises(PublicFormChanged, match=r"gnomon\.clock_utc"):
        checkout.again()
    (checkout.newest / "up.sql").write_text("drop routine gnomon.clock_utc();\n")
    assert checkout.again().reshaped == (CLOCK.as_posix(),)
    (checkout.sql / CLOCK).unlink()
    assert checkout.again().gone == (CLOCK.as_posix(),)
    (checkout.newest / "up.sql").write_text("-- drop routine gnomon.clock_utc();\n")
    with pytest.raises(PublicFormChanged, match=r"gnomon\.clock_utc"):
        checkout.again()


def test_views_are_copied_when_up_drops_one_that_stays_as_it_is(checkout: Checkout) -> None:
    checkout.begin()
    (checkout.newest / "up.sql").write_text("drop view gnomon.schedules;\n")
    assert checkout.again().has_views
    assert "create or replace view gnomon.schedules" in (checkout.newest / "views.sql").read_text()


@pytest.mark.parametrize("name", ["", "a/b", "x" * 40, "../up"])
def test_a_name_makes_one_folder(checkout: Checkout, name: str) -> None:
    with pytest.raises(NameUnfit):
        checkout.begin(name)


def test_the_command_tells_what_it_froze(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "sql_folder", lambda: checkout.sql)
    monkeypatch.setattr(command, "migrations_folder", lambda: checkout.migrations)
    checkout.edit(LANE_NAME, "'bulk'", "'mass'")
    assert cli.run(["freeze", "true cancel"]) == 0
    assert (
        capsys.readouterr().out == f"changed   base/lane_name.sql\nFrozen in migrations/versions/{checkout.newest.name}.\n"
    )
    assert cli.run(["freeze", "--again", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["revision"], answer["changed"], answer["has_views"]) == (
        checkout.newest.name,
        ["base/lane_name.sql"],
        False,
    )
    assert cli.run(["freeze", "--check"]) == 0
    assert capsys.readouterr().out == "All of sql/ is frozen.\n"
    assert cli.run(["freeze"]) == cli.run(["freeze", "next", "--again"]) == cli.run(["freeze", "--check", "--again"]) == 2
    monkeypatch.setattr(command, "is_checkout", lambda: False)
    assert cli.run(["freeze", "next"]) == 2


def described(url: str) -> dict[str, str]:
    with psycopg.connect(url, autocommit=True) as connection:
        return catalogue.describe(connection)
