"""docs/testing.md is a project of two files: they are run as written."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.docs.documents import TOP

_BLOCK: Final = re.compile(r"^```python\n# (\w+\.py)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_example_is_a_test_that_passes(gnomon_url: str, tmp_path: Path) -> None:
    files = dict(_BLOCK.findall((TOP / "docs" / "testing.md").read_text()))
    assert list(files) == ["conftest.py", "test_reminders.py"]
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    call = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    environment = os.environ | {"SHOP_TEST_DATABASE": gnomon_url}  # noqa: TID251  # of another program
    done = subprocess.run(call, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)

    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
