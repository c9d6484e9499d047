"""Every package that is installed has one exact version in pyproject, which names no host."""

import re
import tomllib
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((TOP / "pyproject.toml").read_text())
OURS = "gnomon"


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins() -> dict[str, str]:
    listed = (line.partition(";")[0].strip() for line in PROJECT["tool"]["uv"]["constraint-dependencies"])
    return {canonical(name): version for name, _, version in (line.partition("==") for line in listed)}


def test_the_pins_cover_the_lock() -> None:
    # Written beside the environment by `uv run`, and kept out of the repository since it names hosts.
    lock = TOP / "uv.lock"
    locked = tomllib.loads(lock.read_text())["package"] if lock.exists() else []
    assert {canonical(package["name"]): package["version"] for package in locked if package["name"] != OURS} in ({}, pins())


def test_what_is_installed_is_what_is_pinned() -> None:
    pinned = pins()
    installed = {canonical(found.metadata["Name"]): found.version for found in distributions()}
    assert {name: version for name, version in installed.items() if pinned.get(name, version) != version} == {}


def test_the_pins_fit_the_wishes_and_stand_in_order() -> None:
    wishes = [
        *PROJECT["project"]["dependencies"],
        *(wish for group in PROJECT["dependency-groups"].values() for wish in group if isinstance(wish, str)),
    ]
    asked = {canonical(re.split(r"[\[<>=;!~ ]", wish)[0]) for wish in wishes}
    assert asked <= pins().keys()
    assert list(pins()) == sorted(pins())


def test_the_build_is_pinned_too() -> None:
    pinned = {line.partition("==")[0] for line in PROJECT["tool"]["uv"]["build-constraint-dependencies"]}
    assert "hatchling" in pinned
    assert all("==" in line for line in PROJECT["tool"]["uv"]["build-constraint-dependencies"])


def test_no_file_of_the_project_names_an_index() -> None:
    text = (TOP / "pyproject.toml").read_text()
    assert "index-url" not in text
    assert "files.pythonhosted" not in text
    assert "uv.lock" in (TOP / ".gitignore").read_text().split()
