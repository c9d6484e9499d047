"""What holds for every page: links lead somewhere, files that are named exist, pictures can be read."""

import re
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import pytest

from tests.docs.documents import TOP

DOCS: Final = Path(TOP, "docs")
PAGES: Final = sorted([*DOCS.glob("*.md"), Path(TOP, "README.md")])
PICTURES: Final = sorted(DOCS.glob("*.svg"))

_LINK: Final = re.compile(r"\]\((?!https?://)([^)#]*)(?:#([^)]*))?\)")
_HEADING: Final = re.compile(r"^#+ (.*)$", re.MULTILINE)
_FILE: Final = re.compile(r"`((?:sql|tests|app|pollers|migrations)/[\w./]*)`")


def anchors(page: Path) -> set[str]:
    """The names by which headings can be linked to, as GitHub makes them."""
    headings = _HEADING.findall(re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in _LINK.findall(page.read_text()):
        there = Path(page.parent, target) if target else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), f"{target}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_are_named_exist(page: Path) -> None:
    assert [name for name in _FILE.findall(page.read_text()) if not Path(TOP, name).exists()] == []


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_pictures_can_be_read_also_by_those_who_do_not_see_them(picture: Path) -> None:
    root = ET.fromstring(picture.read_text())  # noqa: S314  # our own files
    names = {child.tag.rpartition("}")[2] for child in root}
    assert {"title", "desc"} <= names
    assert root.get("viewBox")
