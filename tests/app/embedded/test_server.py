"""The embedded server: made whole, shared, and gone with the last who used it."""

import os
import shutil
import signal
import socket
import time
from pathlib import Path

import psycopg
import pytest

from gnomon.embedded import DataFolderRefused, Embedded, ServerNotStarted
from gnomon.embedded.account import is_root
from gnomon.embedded.folders import LONGEST_SOCKET_PATH
from tests.support.holder import held, holding, start_holding
from tests.support.processes import is_alive, parent_of
from tests.support.races import wait_until


def ask(url: str, query: str) -> object:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(query)
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None


def test_a_second_process_attaches_and_the_server_ends_with_the_last(open_folder: Path) -> None:
    with holding(open_folder / "data") as first, holding(open_folder / "data") as second:
        assert second.server == first.server
        first.leave()
        assert ask(second.url, "select current_database()") == "gnomon"
        second.leave()
        assert not is_alive(second.server)


def test_processes_that_start_at_once_share_one_server(open_folder: Path) -> None:
    processes = [start_holding(open_folder / "data") for _ in range(3)]
    holders = [held(process) for process in processes]
    assert len({holder.server for holder in holders}) == 1
    for holder in holders:
        holder.leave()
    assert not is_alive(holders[0].server)


def test_the_server_ends_when_its_holders_are_killed(open_folder: Path) -> None:
    with holding(open_folder / "data") as first, holding(open_folder / "data") as second:
        first.kill()
        assert ask(second.url, "select 1") == 1
        second.kill()
        wait_until(lambda: not is_alive(first.server), "the server is down")


def test_a_holder_killed_while_it_starts_leaves_no_server(open_folder: Path) -> None:
    data = open_folder / "data"
    process = start_holding(data)
    wait_until(lambda: [*data.glob("postgres.init*/base")], "the cluster is being made")
    process.kill()
    process.communicate()
    with Embedded(data) as embedded:
        assert ask(embedded.url, "select 1") == 1


@pytest.mark.skipif("sys.platform != 'linux'", reason="only Linux tells a process that its parent is gone")
def test_the_server_ends_when_the_watchdog_is_killed_and_nothing_is_lost(open_folder: Path) -> None:
    with holding(open_folder / "data") as first:
        ask(first.url, "create table kept as select 1 as n")
        os.kill(parent_of(first.server), signal.SIGKILL)
        with Embedded(open_folder / "data") as second:
            assert not is_alive(first.server)
            assert second.url == first.url
            assert ask(second.url, "select n from kept") == 1


def test_a_server_that_crashes_is_started_again(embedded_server: Embedded) -> None:
    ask(embedded_server.url, "create table kept as select 1 as n")
    os.kill(embedded_server.pid, signal.SIGKILL)

    def answers() -> bool:
        try:
            return ask(embedded_server.url, "select n from kept") == 1
        except psycopg.OperationalError:
            return False

    wait_until(answers, "the server answers again")


def test_a_stop_while_the_server_recovers_from_a_crash_ends_it(embedded_server: Embedded) -> None:
    with psycopg.connect(embedded_server.url) as connection:
        os.kill(connection.info.backend_pid, signal.SIGKILL)
        wait_until(lambda: "reinitializing" in embedded_server.log.read_text(), "the server recovers")
        start = time.monotonic()
        embedded_server.stop()
    assert not is_alive(embedded_server.pid)
    assert time.monotonic() - start < 20
    embedded_server.start()
    assert ask(embedded_server.url, "select 1") == 1


def test_a_restart_keeps_what_was_committed_and_the_address(embedded_server: Embedded) -> None:
    pid, url = embedded_server.pid, embedded_server.url
    ask(url, "create table kept as select 1 as n")
    embedded_server.restart("immediate")
    assert embedded_server.pid != pid
    assert embedded_server.url == url
    assert ask(url, "select n from kept") == 1
    assert ask(url, "show fsync") == "on"


def test_a_half_made_cluster_never_counts(open_folder: Path) -> None:
    half = open_folder / "data" / "postgres.init-1a2b3c4d"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18\n")
    with Embedded(open_folder / "data") as embedded:
        assert ask(embedded.url, "select 1") == 1
    assert not half.exists()


def test_a_cluster_of_another_version_is_refused_and_left_alone(open_folder: Path) -> None:
    cluster = open_folder / "data" / "postgres"
    cluster.mkdir(parents=True)
    (cluster / "PG_VERSION").write_text("17\n")
    with pytest.raises(DataFolderRefused, match="made by PostgreSQL 17; this version of Gnomon runs PostgreSQL 18"):
        Embedded(open_folder / "data").start()
    assert [path.name for path in cluster.iterdir()] == ["PG_VERSION"]


def test_what_is_no_cluster_of_ours_is_refused(open_folder: Path) -> None:
    (open_folder / "PG_VERSION").write_text("18\n")
    with pytest.raises(DataFolderRefused, match="is a PostgreSQL cluster itself"):
        Embedded(open_folder).start()
    stranger = open_folder / "data" / "postgres" / "letter"
    stranger.parent.mkdir(parents=True)
    stranger.touch()
    with pytest.raises(DataFolderRefused, match="no PostgreSQL cluster"):
        Embedded(open_folder / "data").start()
    assert stranger.exists()


def test_a_server_that_cannot_start_shows_the_end_of_its_log(open_folder: Path) -> None:
    data = open_folder / "data"
    with Embedded(data):
        pass
    with pytest.raises(ServerNotStarted, match='invalid value for parameter "shared_buffers": "lots"') as caught:
        Embedded(data, {"shared_buffers": "lots"}).start()
    assert "The whole log is" in caught.value.hint
    assert str(data / "server.log") in caught.value.hint
    with Embedded(data) as embedded:  # and a right one starts there afterwards
        assert ask(embedded.url, "select 1") == 1


def test_a_path_too_long_for_a_socket_works(open_folder: Path) -> None:
    data = open_folder / ("long" * 30) / "data"
    data.parent.mkdir(mode=0o755)
    assert len(str(data)) > LONGEST_SOCKET_PATH
    with Embedded(data) as first, Embedded(data) as second:
        assert ask(second.url, "select 1") == 1
        assert first.pid == second.pid
    shutil.rmtree(first._folders.run)


def test_the_port_asks_for_a_password_and_is_kept(embedded_server: Embedded) -> None:
    port = embedded_server.port
    assert ask(embedded_server.loopback_url, "select current_user") == "postgres"
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(host="127.0.0.1", port=port, user="postgres", dbname="gnomon", password="wrong")
    embedded_server.stop()
    embedded_server.start()
    assert embedded_server.port == port
    embedded_server.stop()
    with socket.create_server(("127.0.0.1", port)):
        embedded_server.start()
        assert embedded_server.port != port
        assert ask(embedded_server.loopback_url, "select 1") == 1


@pytest.mark.parametrize("name", ["home", pytest.param("home" * 30, id="a name too long for sockets")])
def test_a_folder_that_the_server_cannot_reach_is_refused_with_its_rights_untouched(tmp_path: Path, name: str) -> None:
    closed = tmp_path / name
    closed.mkdir(mode=0o700)
    if is_root():
        with pytest.raises(DataFolderRefused, match="cannot reach"):
            Embedded(closed / "data").start()
    else:  # no other account is involved
        with Embedded(closed / "data") as embedded:
            assert ask(embedded.url, "select 1") == 1
    assert closed.stat().st_mode & 0o777 == 0o700
