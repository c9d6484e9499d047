"""Rules of time zones beside the server's: those of the package tzdata, never the system's."""

from importlib.resources import files
from zoneinfo import ZoneInfo

import pytest

from gnomon.embedded.rules import zic_program

needs_zic = pytest.mark.skipif(
    zic_program() is None, reason="this system has no zic, so the embedded server keeps its own rules"
)


def package_zone(name: str) -> ZoneInfo:
    """A zone by the rules of the package; zoneinfo alone would look at the system's first."""
    with (files("tzdata") / "zoneinfo" / name).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)
