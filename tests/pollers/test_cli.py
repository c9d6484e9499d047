import subprocess

import psycopg
import pytest
import typer

from gnomon.cli import run
from gnomon_pollers.cli import _address, _channels
from gnomon_pollers.lanes import CHANNELS
from tests.support.given import given_schedule
from tests.support.roles import GNOMON


@pytest.mark.parametrize("listen", ["8081", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:99999", ":80"])
def test_an_address_needs_a_host_and_a_port(listen: str) -> None:
    with pytest.raises(typer.BadParameter, match="no address with a port"):
        _address(listen)


def test_addresses_are_read() -> None:
    assert _address(None) is None
    assert _address("127.0.0.1:8081") == ("127.0.0.1", 8081)
    assert _address("[::1]:0") == ("::1", 0)


@pytest.mark.parametrize(
    "command",
    [
        ["poll", "--role", "cook"],
        ["work", "--lane", "fast"],
        ["work", "--channel", "pusj"],
        ["work", "--channel", "push", "--channel", ""],
        ["work", "--concurrency", "0"],
        ["work", "--listen", "nowhere"],
        ["work", "--stop-within", "-1"],
    ],
)
def test_wrong_use_ends_with_2(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(command) == 2
    assert command[1].strip("-") in capsys.readouterr().err


def test_lanes_and_channels_of_a_worker_may_be_several_and_come_once() -> None:
    assert _channels(None) is None
    assert _channels(["sms", "push", "sms"]) == ("push", "sms")


def test_the_channels_are_those_of_a_request(connection: psycopg.Connection) -> None:
    for channel in CHANNELS:
        given_schedule(connection, channels=[channel])
    with pytest.raises(psycopg.Error, match="channel") as refused:
        given_schedule(connection, channels=["pusj"])
    assert refused.value.diag.message_hint == f"known: {', '.join(CHANNELS)}"


@pytest.mark.parametrize("command", ["poll", "work"])
def test_help_has_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--help"]) == 0
    assert f"gnomon {command} --" in capsys.readouterr().out


def test_settings_that_cannot_be_meant_end_with_2() -> None:
    environment = {
        "GNOMON_WEBHOOK_SECRET": "whsec_",
        "GNOMON_WEBHOOK_URL": "http://example.com",
        "GNOMON_DATABASE_URL": "postgresql://x@127.0.0.1:1/x",
    }
    done = subprocess.run([GNOMON, "work"], env=environment, capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 2, done.stderr
    assert "GNOMON_WEBHOOK_SECRET" in done.stderr
