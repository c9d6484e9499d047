"""What a process is told from outside: the GNOMON_* variables, read once.

This module is the only reader of the environment. Everything else is handed a `Settings`, so that a test can state what it
wants and two processes of one machine cannot differ by accident. What SQL must know travels to the database by `adopted`.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Final

PREFIX: Final = "GNOMON_"

# A duration of ISO 8601 without years and months, whose length depends on the day they are added to.
_DURATION: Final = re.compile(
    r"P(?:(?P<weeks>\d+)W)?(?:(?P<days>\d+)D)?"
    r"(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+(?:\.\d{1,6})?)S)?)?"
)
_TRUE: Final = frozenset({"1", "true", "on", "yes"})
_FALSE: Final = frozenset({"0", "false", "off", "no"})
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_HIGHEST_PORT: Final = 65_535
_SHORTEST_LEASE: Final = timedelta(seconds=5)
_LONGEST_LEASE: Final = timedelta(minutes=15)
_LONGEST_FIRE_AHEAD: Final = timedelta(seconds=10)


class SettingInvalid(ValueError):
    """A GNOMON_* variable holds what it cannot mean."""

    exit_code = 2

    def __init__(self, name: str, message: str, hint: str) -> None:
        """Name the variable, say what is wrong with it, and what it takes."""
        super().__init__(f"{name} {message}")
        self.name = name
        self.hint = hint


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one process, each named as its variable.

    `None` says that the variable is not set. Durations are timedelta. What is secret is left out of the repr.
    """

    database_url: str | None = field(default=None, repr=False)
    """A server of the user's own (PostgreSQL 17 or 18); None: the embedded one."""
    data: Path | None = None
    """Folder of the embedded database; None: the place this account keeps its data."""
    listen: str = "127.0.0.1:8080"
    """Address and port of the API; an IPv6 address stands in brackets."""
    api_tokens: tuple[str, ...] = field(default=(), repr=False)
    """Bearer tokens the API accepts; without any it listens on loopback only."""
    webhook_url: str | None = None
    """Where the webhook channel, and every channel without a sender of its own, posts."""
    webhook_secret: str | None = field(default=None, repr=False)
    """Key of the Standard Webhooks signature (`whsec_` and base64)."""
    webhook_private: bool = False
    """Whether the webhook channel may reach private and loopback addresses."""
    default_channels: str | None = None
    """Channels of a request that names none, comma separated."""
    default_time_zone: str | None = None
    """IANA zone of a user who has none of his own."""
    templates: str = "free"
    """`free`: a template_id is a name for the receiver. That templates must exist is not available in this version."""
    notify: bool = True
    """Whether hints travel by NOTIFY; off costs up to 250 ms of lateness, and suits a transaction pooler."""
    lease: timedelta = timedelta(seconds=30)
    """How long a worker holds what it claimed before others may take it."""
    fire_ahead: timedelta = timedelta(seconds=2)
    """How long before its instant an occurrence becomes a delivery."""
    given: frozenset[str] = frozenset()
    """Names of the fields above that the environment set, as opposed to defaults."""

    @property
    def host(self) -> str:
        """The address of `listen`, without brackets."""
        return self.listen.rpartition(":")[0].strip("[]")

    @property
    def port(self) -> int:
        """The port of `listen`; 0 lets the system choose."""
        return int(self.listen.rpartition(":")[2])

    @property
    def is_loopback_only(self) -> bool:
        """Whether nobody beyond this machine can reach `listen`."""
        return self.host in _LOOPBACK


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings from the environment; an empty variable counts as not set.

    Raises SettingInvalid when a value cannot be read.
    """
    environment = os.environ if environment is None else environment
    texts = {
        name.removeprefix(PREFIX).lower(): text.strip()
        for name, text in environment.items()
        if name.startswith(PREFIX) and text.strip()
    }
    values = {name: read(PREFIX + name.upper(), texts[name]) for name, read in _READERS.items() if name in texts}
    return Settings(**values, given=frozenset(values))  # type: ignore[arg-type]  # each reader returns the type of its field


def surroundings() -> dict[str, str]:
    """The environment for a child process that is to know nothing of our settings: everything but the GNOMON_* variables."""
    return {name: text for name, text in os.environ.items() if not name.startswith(PREFIX)}


def variables(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The GNOMON_* variables as they are set, for a child process that is to be told the same."""
    environment = os.environ if environment is None else environment
    return {name: text for name, text in environment.items() if name.startswith(PREFIX)}


def variable_names() -> frozenset[str]:
    """Every variable this version reads."""
    return frozenset(PREFIX + name.upper() for name in _READERS)


def adopted(settings: Settings) -> dict[str, str]:
    """What a starting process writes by gnomon.set_setting: only what its environment says.

    A default is left out, or the last process to start without a variable would undo what another one was told.
    """
    told = {
        "default_time_zone": settings.default_time_zone,
        "default_channels": settings.default_channels,
        "has_webhook": "true" if settings.webhook_url else None,
        "notify": ("on" if settings.notify else "off") if "notify" in settings.given else None,
        "fire_ahead": _duration_text(settings.fire_ahead) if "fire_ahead" in settings.given else None,
    }
    return {name: value for name, value in told.items() if value is not None}


def _text(_name: str, text: str) -> str:
    return text


def _path(_name: str, text: str) -> Path:
    return Path(text).expanduser()


def _switch(name: str, text: str) -> bool:
    if text.lower() in _TRUE:
        return True
    if text.lower() in _FALSE:
        return False
    raise SettingInvalid(name, f"is {text!r}, which is neither on nor off.", "Use on or off.")


def _tokens(name: str, text: str) -> tuple[str, ...]:
    tokens = tuple(token for token in re.split(r"[,\s]+", text) if token)
    if not tokens:
        raise SettingInvalid(name, "holds no token.", "Give one or more tokens, separated by commas.")
    return tokens


def _address(name: str, text: str) -> str:
    host, _, port = text.rpartition(":")
    is_port = port.isascii() and port.isdigit() and int(port) <= _HIGHEST_PORT
    is_bracketed = host.startswith("[") and host.endswith("]")
    if not host or not is_port or (":" in host and not is_bracketed):
        raise SettingInvalid(name, f"is {text!r}, which is no address with a port.", "Use for example 127.0.0.1:8080.")
    return text


def _url(name: str, text: str) -> str:
    if not re.match(r"https?://[^/\s]+", text):
        raise SettingInvalid(name, "is no http or https address.", "Use for example https://example.com/hook.")
    return text


def _database(name: str, text: str) -> str:
    if not re.match(r"postgres(?:ql)?://", text) and "=" not in text:
        hint = "Use for example postgresql://gnomon@db.example.com/gnomon."
        raise SettingInvalid(name, "is no PostgreSQL address.", hint)
    return text


def _templates(name: str, text: str) -> str:
    if text == "required":
        raise SettingInvalid(name, "is 'required', which is not available in this version.", "Use free, or leave it out.")
    if text != "free":
        raise SettingInvalid(name, f"is {text!r}.", "Use free, or leave it out.")
    return text


def _duration(name: str, text: str) -> timedelta:
    found = _DURATION.fullmatch(text)
    if found is None or not any(found.groups()):
        raise SettingInvalid(name, f"is {text!r}, which is no duration.", "Use ISO 8601, for example PT30S.")
    return timedelta(**{unit: float(amount) for unit, amount in found.groupdict().items() if amount})


def _lease(name: str, text: str) -> timedelta:
    lease = _duration(name, text)
    if not _SHORTEST_LEASE <= lease <= _LONGEST_LEASE:
        raise SettingInvalid(name, f"is {text!r}, too short or too long for a lease.", "Use PT5S to PT15M.")
    return lease


def _fire_ahead(name: str, text: str) -> timedelta:
    ahead = _duration(name, text)
    if ahead > _LONGEST_FIRE_AHEAD:
        raise SettingInvalid(name, f"is {text!r}, too far ahead.", "Use PT0S to PT10S.")
    return ahead


def _duration_text(duration: timedelta) -> str:
    return f"PT{duration.total_seconds():g}S"


_READERS: Final = {
    "database_url": _database,
    "data": _path,
    "listen": _address,
    "api_tokens": _tokens,
    "webhook_url": _url,
    "webhook_secret": _text,
    "webhook_private": _switch,
    "default_channels": _text,
    "default_time_zone": _text,
    "templates": _templates,
    "notify": _switch,
    "lease": _lease,
    "fire_ahead": _fire_ahead,
}
