"""The environment, read once."""

from datetime import timedelta
from pathlib import Path

import pytest

from gnomon.settings import SettingInvalid, Settings, adopted, read_settings, variable_names


def test_an_empty_environment_gives_the_defaults() -> None:
    assert read_settings({}) == Settings()
    assert read_settings({"GNOMON_LISTEN": "  ", "PATH": "/bin"}) == Settings()


def test_every_variable_is_read_into_its_type() -> None:
    settings = read_settings(
        {
            "GNOMON_DATABASE_URL": "postgresql://db.example.com/gnomon",
            "GNOMON_DATA": "/srv/gnomon",
            "GNOMON_LISTEN": "[::1]:9000",
            "GNOMON_API_TOKENS": "one, two",
            "GNOMON_WEBHOOK_URL": "https://example.com/hook",
            "GNOMON_WEBHOOK_SECRET": "whsec_c2VjcmV0",
            "GNOMON_WEBHOOK_PRIVATE": "on",
            "GNOMON_DEFAULT_CHANNELS": "push,email",
            "GNOMON_DEFAULT_TIME_ZONE": "Europe/Berlin",
            "GNOMON_TEMPLATES": "free",
            "GNOMON_NOTIFY": "off",
            "GNOMON_LEASE": "PT1M30S",
            "GNOMON_FIRE_AHEAD": "PT0.5S",
        }
    )
    assert settings.data == Path("/srv/gnomon")
    assert (settings.host, settings.port, settings.is_loopback_only) == ("::1", 9000, True)
    assert settings.api_tokens == ("one", "two")
    assert settings.webhook_private
    assert not settings.notify
    assert settings.lease == timedelta(seconds=90)
    assert settings.fire_ahead == timedelta(milliseconds=500)
    assert {f"GNOMON_{name.upper()}" for name in settings.given} == variable_names()


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("GNOMON_LISTEN", "8080", "no address with a port"),
        ("GNOMON_LISTEN", "::1:8080", "no address with a port"),
        ("GNOMON_LISTEN", "0.0.0.0:70000", "no address with a port"),
        ("GNOMON_WEBHOOK_URL", "example.com", "no http or https address"),
        ("GNOMON_WEBHOOK_PRIVATE", "maybe", "neither on nor off"),
        ("GNOMON_DATABASE_URL", "mysql://db/gnomon", "no PostgreSQL address"),
        ("GNOMON_API_TOKENS", ",", "holds no token"),
        ("GNOMON_TEMPLATES", "some", "is 'some'"),
        ("GNOMON_TEMPLATES", "required", "not available in this version"),
        ("GNOMON_LEASE", "30", "no duration"),
        ("GNOMON_LEASE", "P", "no duration"),
        ("GNOMON_LEASE", "PT1S", "too short or too long"),
        ("GNOMON_FIRE_AHEAD", "PT1M", "too far ahead"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(name: str, text: str, says: str) -> None:
    with pytest.raises(SettingInvalid, match=f"{name} .*{says}") as caught:
        read_settings({name: text})
    assert caught.value.hint
    assert caught.value.exit_code == 2


def test_secrets_are_not_repeated_by_errors() -> None:
    with pytest.raises(SettingInvalid) as caught:
        read_settings({"GNOMON_DATABASE_URL": "mysql://root:hunter2@db/gnomon"})
    assert "hunter2" not in str(caught.value)
    settings = Settings(database_url="postgresql://u:hunter2@db/x", api_tokens=("hunter2",), webhook_secret="hunter2")
    assert "hunter2" not in repr(settings)


def test_the_database_is_told_only_what_was_set() -> None:
    assert adopted(Settings()) == {}
    told = adopted(
        read_settings({"GNOMON_WEBHOOK_URL": "https://example.com", "GNOMON_NOTIFY": "off", "GNOMON_FIRE_AHEAD": "PT1.5S"})
    )
    assert told == {"has_webhook": "true", "notify": "off", "fire_ahead": "PT1.5S"}
