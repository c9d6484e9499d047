"""The fast server of the tests, and the databases cloned on it.

One server for the whole run, without fsync, since nothing on it has to outlive a crash; one database loaded from `sql/`; a
clone of it for each test, which takes some twenty milliseconds and makes every test start from the same state. Tests of
crashes use `gnomon.embedded` instead, with fsync on.
"""

import contextlib
import itertools
import os
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import psycopg
from psycopg import sql

from gnomon.database import fresh, migrate
from gnomon.embedded.account import server_account
from gnomon.embedded.binaries import Binaries, binaries_for
from tests.support.processes import is_alive

with warnings.catch_warnings():
    # It is of 2016 and imports a driver that leans on what later Pythons deprecate. Used here only to start and stop.
    warnings.simplefilter("ignore")
    import testing.postgresql

# Another installation to test against, for example one of PostgreSQL 17: the folder with initdb and postgres.
_BIN: Final = "GNOMON_TEST_BIN"

_INITDB: Final = (
    *("-U", "postgres", "-A", "trust", "--no-sync", "--no-instructions", "--encoding=UTF8", "--locale=C"),
    *("--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
)

# Nothing here is to survive a crash, so nothing waits for the disk.
_NOT_DURABLE: Final = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "512MB",
    "shared_buffers": "128MB",
    "max_connections": "200",
    "max_locks_per_transaction": "256",
    "autovacuum_naptime": "10min",
    "logging_collector": "off",
    # No zone of a session may decide anything: one that is nobody's default shows where it would.
    "timezone": "Asia/Kathmandu",
}
_FIRST_WITH_CLONE: Final = 18

_MEMORY: Final = Path("/dev/shm")  # noqa: S108  # the name is made by mkdtemp
_ROOM: Final = 2 * 1024**3  # bytes
_PREFIX: Final = "gnomon-tests-"


class RootSafePostgresql(testing.postgresql.Postgresql):  # type: ignore[misc]  # it has no types
    """testing.postgresql, which also works as root: initdb and postgres then run as `nobody`.

    On Linux the server is interrupted when the test run is gone, however it ended.
    """

    def initialize_database(self) -> None:
        """Make the cluster as the account that will run it."""
        account = server_account()
        account.own(*(Path(self.base_dir, name) for name in ("", "data", "tmp")))
        command = account.command(self.initdb, "-D", self.get_data_directory(), *_INITDB)
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=self.base_dir)
        if done.returncode:
            message = f"initdb failed: {done.stderr}"
            raise RuntimeError(message)

    def get_server_commandline(self) -> list[str]:
        """Run the server as that account too."""
        return server_account().command(*super().get_server_commandline(), dies_with_parent=True)


@dataclass(slots=True)
class Server:
    """A running server on which databases are made and dropped."""

    process: RootSafePostgresql
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def url(self, database: str = "postgres") -> str:
        """The libpq address of one of its databases."""
        return str(self.process.url(database=database))

    def execute(self, *statements: str | sql.Composed) -> None:
        """Run statements outside any transaction, as databases are made."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)

    def mark_for_tests(self, url: str) -> None:
        """Let gnomon.testing take over the clock of a database."""
        name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
        self.execute(sql.SQL("alter database {} set gnomon.is_for_tests = 'on'").format(sql.Identifier(str(name))))

    @contextlib.contextmanager
    def database(self, template: str = "template0", *, time_zone: str | None = None) -> Iterator[str]:
        """A database for one test, its address; `time_zone` becomes the zone of its sessions."""
        name = f"t{next(self._numbers)}"
        quoted = sql.Identifier(name)
        make = sql.SQL("create database {} template {} strategy file_copy")
        self.execute(make.format(quoted, sql.Identifier(template)))
        if time_zone:
            self.execute(sql.SQL("alter database {} set timezone to {}").format(quoted, time_zone))
        try:
            yield self.url(name)
        finally:
            self.execute(sql.SQL("drop database {} with (force)").format(quoted))


@contextlib.contextmanager
def running_server(binaries: Binaries | None = None, **settings: str) -> Iterator[Server]:
    """Start a server that is not durable and end it with the block; settings are those of postgresql.conf."""
    binaries = binaries or chosen_binaries()
    settings = _NOT_DURABLE | settings
    if binaries.major >= _FIRST_WITH_CLONE:
        settings = {"file_copy_method": "clone"} | settings
    arguments = " ".join(["-h 127.0.0.1", *(f"-c {name}={value}" for name, value in settings.items())])
    programs = {name: str(binaries.program(name)) for name in ("initdb", "postgres")}
    with _folder() as folder:
        process = RootSafePostgresql(**programs, postgres_args=arguments, base_dir=str(folder))
        try:
            yield Server(process)
        finally:
            process.stop()


def load_template(server: Server, name: str = "template_gnomon") -> str:
    """Make the database that tests clone, from today's `sql/`, and mark it with the newest revision.

    Not by the migrations: an edited routine would be tested only once it is frozen. That both ways lead to the same is a
    test of its own.
    """
    server.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    url = server.url(name)
    fresh.load(url)
    with contextlib.suppress(migrate.RevisionUnknown), psycopg.connect(url) as connection:
        newest = migrate.head_revision()
        connection.execute("create table gnomon_data.alembic_version (version_num varchar(32) primary key)")
        connection.execute("insert into gnomon_data.alembic_version values (%s)", [newest])
    server.execute(sql.SQL("alter database {} is_template true").format(sql.Identifier(name)))
    return name


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """A folder for the cluster, in memory when there is room: a clone takes a tenth of the time there.

    What a killed run left behind is removed by the next one.
    """
    has_room = _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ROOM
    parent = _MEMORY if has_room else Path(tempfile.gettempdir())
    for left in parent.glob(f"{_PREFIX}*"):
        if not is_alive(int(left.name.removeprefix(_PREFIX).partition("-")[0])):
            shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def chosen_binaries() -> Binaries:
    """The installation under test: GNOMON_TEST_BIN, or the wheel's."""
    given = os.environ.get(_BIN)  # noqa: TID251  # a choice of the test run, not a setting of the product
    return Binaries(Path(given).parent) if given else binaries_for(server_account())
