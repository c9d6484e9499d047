"""What runs for every change is one script, and it ends with the test command that the README gives."""

import os
import re
from pathlib import Path

import yaml

TOP = Path(__file__).resolve().parents[2]
SCRIPT = (TOP / ".ci" / "run").read_text()
TEST_COMMAND = "uv run --group test pytest"


def test_the_script_runs_every_check_and_the_tests_last() -> None:
    assert os.access(TOP / ".ci" / "run", os.X_OK)
    steps = re.findall(
        r"^(?:in_project|uv run) .*(ruff check|ruff format|mypy|lint-imports|gnomon freeze|pytest)", SCRIPT, re.MULTILINE
    )
    assert steps == ["ruff check", "ruff format", "mypy", "lint-imports", "gnomon freeze", "pytest", "pytest"]
    assert f'{TEST_COMMAND} -m "fault and not long"' in SCRIPT
    assert SCRIPT.rstrip().endswith(TEST_COMMAND)
    assert "set -euo pipefail" in SCRIPT


def test_the_readme_gives_the_same_test_command() -> None:
    assert f"python3 -m {TEST_COMMAND}" in (TOP / "README.md").read_text()


def test_the_workflow_runs_the_script_on_both_systems() -> None:
    job = yaml.safe_load((TOP / ".github" / "workflows" / "ci.yml").read_text())["jobs"]["run"]
    assert job["strategy"]["matrix"]["os"] == ["ubuntu-latest", "macos-latest"]
    assert job["steps"][-1] == {"run": ".ci/run"}


def test_commits_are_checked_by_the_projects_own_tools() -> None:
    repos = yaml.safe_load((TOP / ".pre-commit-config.yaml").read_text())["repos"]
    assert [repo["repo"] for repo in repos] == ["local"]
    assert all(hook["entry"].startswith("python3 -m uv run") for hook in repos[0]["hooks"])
