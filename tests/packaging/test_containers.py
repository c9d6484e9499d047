"""docker-compose.yml and app/Dockerfile, read as Docker would and held against the code they start."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from gnomon import cli
from gnomon.settings import read_settings, variable_names

TOP = Path(__file__).resolve().parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((TOP / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
ROLES = {"migrate": "migrate", "api": "serve", "poller": "poll", "worker": "work"}

# Read by libpq itself.
LIBPQ = {"PGPASSWORD"}


def filled(text: str) -> str:
    """A value with its variables filled in: defaults where there are any, else a word."""
    return re.sub(r"\$\{(\w+)(:-([^}]*)|:\?[^}]*)\}", lambda found: found[3] if found[3] is not None else "word", text)


def seconds(text: str) -> int:
    amount, unit = re.fullmatch(r"(\d+)([sm])", text).groups()  # type: ignore[union-attr]
    return int(amount) * {"s": 1, "m": 60}[unit]


def instructions() -> list[tuple[str, str]]:
    text = (TOP / "app" / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in lines]


def test_the_services_are_the_database_one_migration_and_the_three_roles() -> None:
    assert SERVICES.keys() == {"postgres", *ROLES}
    for name, role in ROLES.items():
        assert SERVICES[name]["command"][0] == role
        assert SERVICES[name]["build"] == {"context": ".", "dockerfile": "app/Dockerfile"}
        assert (TOP / SERVICES[name]["build"]["dockerfile"]).exists()


@pytest.mark.parametrize("name", ROLES)
def test_every_command_is_one_of_gnomons_and_knows_its_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command, *words = SERVICES[name]["command"]
    assert cli.run([command, "--help"]) == 0
    known = capsys.readouterr().out
    assert all(word in known for word in words if word.startswith("--"))


def test_the_roles_wait_for_the_migration_and_it_waits_for_the_database() -> None:
    healthy = {"condition": "service_healthy"}
    assert SERVICES["migrate"]["depends_on"] == {"postgres": healthy}
    assert SERVICES["migrate"]["restart"] == "on-failure"
    for name in ("api", "poller", "worker"):
        assert SERVICES[name]["depends_on"] == {
            "postgres": healthy,
            "migrate": {"condition": "service_completed_successfully"},
        }
        assert SERVICES[name]["restart"] == "unless-stopped"


@pytest.mark.parametrize("name", ROLES)
def test_every_variable_is_one_the_settings_know_and_has_a_value_they_take(name: str) -> None:
    environment = {key: filled(str(value)) for key, value in SERVICES[name]["environment"].items()}
    assert environment.keys() - LIBPQ <= variable_names()
    settings = read_settings(environment)
    assert settings.database_url == "postgresql://gnomon@postgres/gnomon"
    if name == "api":
        assert settings.api_tokens
        assert (settings.host, settings.port) == ("0.0.0.0", 8080)  # noqa: S104  # inside its container


def test_secrets_come_from_the_environment_without_a_default() -> None:
    for service in SERVICES.values():
        for name, value in service["environment"].items():
            if re.search("PASSWORD|TOKENS", name):
                assert re.fullmatch(r"\$\{\w+:\?.+\}", value), name
            if "SECRET" in name:
                assert re.fullmatch(r"\$\{\w+:-\}", value), name


def test_only_the_api_has_a_port_and_only_on_this_machine() -> None:
    assert {name for name, service in SERVICES.items() if "ports" in service} == {"api"}
    assert SERVICES["api"]["ports"] == ["127.0.0.1:8080:8080"]


def test_every_lasting_service_tells_its_health_and_has_time_to_stop() -> None:
    for name in SERVICES.keys() - {"migrate"}:
        assert SERVICES[name]["healthcheck"]["test"][0] == "CMD"
        assert seconds(SERVICES[name]["stop_grace_period"]) > 10
    words = SERVICES["worker"]["command"]
    assert seconds(SERVICES["worker"]["stop_grace_period"]) > int(words[words.index("--stop-within") + 1])


def test_the_database_is_supported_and_its_data_lasts() -> None:
    assert SERVICES["postgres"]["image"] == "postgres:18"
    volume, _, target = SERVICES["postgres"]["volumes"][0].partition(":")
    assert volume in COMPOSE["volumes"]
    assert target == "/var/lib/postgresql"  # since 18 the image keeps a folder a version below it


def test_the_image_is_built_apart_and_runs_without_root() -> None:
    steps = instructions()
    stages = [index for index, (word, _) in enumerate(steps) if word == "FROM"]
    assert len(stages) == 2
    last = dict(steps[stages[-1] :])
    assert last["USER"] == "10001:10001"
    assert json.loads(last["ENTRYPOINT"]) == ["gnomon"]
    assert json.loads(last["CMD"])[0] in ROLES.values()
    assert last["EXPOSE"] == "8080"


def test_what_is_copied_exists_and_is_not_ignored() -> None:
    ignored = (TOP / ".dockerignore").read_text().splitlines()
    sources = [
        source
        for word, rest in instructions()
        if word == "COPY" and not rest.startswith("--from")
        for source in rest.split()[:-1]
    ]
    assert sources
    for source in sources:
        assert (TOP / source).exists()
        assert f"!{source}" in ignored
