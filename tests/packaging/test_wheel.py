"""The wheel, installed alone in a clean environment, works from its own files."""

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

TOP = Path(__file__).resolve().parents[2]

# Imports whatever the wheel holds: each module must find what it needs among the declared dependencies.
# gnomon.testing.fixtures is for people who have pytest; it is theirs to install.
IMPORT_ALL = """
import importlib, pkgutil, gnomon, gnomon_pollers
for package in (gnomon, gnomon_pollers):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.endswith(("__main__", "_files", "testing.fixtures")):
            importlib.import_module(module.name)
from gnomon.files import is_checkout, migrations_folder, sql_folder
print(is_checkout(), sql_folder(), migrations_folder())
"""


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel and nothing of the checkout."""

    folder: Path
    wheel: Path

    def run(self, program: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, outside the checkout."""
        return subprocess.run(
            [self.folder / "bin" / program, *words],
            cwd=self.folder,
            env={"PATH": os.defpath, "HOME": str(self.folder), **variables},
            capture_output=True,
            text=True,
            check=False,
        )


def run(*command: str | Path) -> None:
    done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    """Build the wheel and install it; by uv where there is one, which takes a second in place of a minute."""
    folder = tmp_path_factory.mktemp("wheel")
    # `uv run` tells its children where it is.
    uv = os.environ.get("UV") or shutil.which("uv")  # noqa: TID251
    if uv:
        run(uv, "build", "--quiet", "--wheel", "--out-dir", folder)
        wheel = next(folder.glob("*.whl"))
        run(uv, "venv", "--quiet", "--python", sys.executable, folder / "env")
        run(uv, "pip", "install", "--quiet", "--python", folder / "env" / "bin" / "python", wheel)
    else:
        run(sys.executable, "-m", "venv", folder / "env")
        pip = (folder / "env" / "bin" / "python", "-m", "pip", "--quiet", "--disable-pip-version-check")
        run(*pip, "wheel", "--no-deps", "--wheel-dir", folder, TOP)
        wheel = next(folder.glob("*.whl"))
        run(*pip, "install", wheel)
    yield Installed(folder / "env", wheel)
    shutil.rmtree(folder)


def test_the_wheel_holds_both_packages_and_their_files_and_no_tests(installed: Installed) -> None:
    names = set(zipfile.ZipFile(installed.wheel).namelist())
    for source, target in (("sql", "gnomon/_files/sql"), ("migrations", "gnomon/_files/migrations")):
        files = [path for path in (TOP / source).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        assert {f"{target}/{path.relative_to(TOP / source)}" for path in files} <= names
    assert {"gnomon/py.typed", "gnomon_pollers/py.typed"} <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"gnomon", "gnomon_pollers"}


def test_every_module_imports_with_the_declared_dependencies_alone(installed: Installed) -> None:
    done = installed.run("python", "-c", IMPORT_ALL)
    assert done.returncode == 0, done.stderr
    is_checkout, *folders = done.stdout.split()
    assert is_checkout == "False"
    assert all(Path(folder).is_relative_to(installed.folder) for folder in folders)


def test_gnomon_migrates_from_its_own_files(installed: Installed, empty_database_url: str) -> None:
    for _ in range(2):
        done = installed.run("gnomon", "migrate", GNOMON_DATABASE_URL=empty_database_url)
        assert done.returncode == 0, done.stderr
    with psycopg.connect(empty_database_url) as connection:
        schema = connection.execute("select to_regclass('gnomon.schedules') is not null").fetchone()
    assert schema == (True,)
