"""The numbers of docs/benchmarks.md: each run's own account is kept beside the page, and its tables are written from it.

`gnomon bench NAME --out docs/benchmarks`, then `python -m tests.docs.runs` writes what stands between the marks
`<!-- run: NAME -->` and `<!-- end of run -->` anew. What the numbers mean is written by hand around it.
"""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from tests.docs.documents import TOP

PAGE: Final = Path(TOP, "docs", "benchmarks.md")
KEPT: Final = PAGE.with_suffix("")
_MARKED: Final = re.compile(r"(?<=<!-- run: )(\w+)( -->\n).*?(?=<!-- end of run -->)", re.DOTALL)


def names(page: str) -> list[str]:
    """The runs that a page shows."""
    return [found[1] for found in _MARKED.finditer(page)]


def rewritten(page: str) -> str:
    """The page with the tables of the runs kept beside it."""
    return _MARKED.sub(lambda found: found[1] + found[2] + told(_kept(found[1])), page)


def told(account: dict[str, Any]) -> str:
    """An account in Markdown: picture, medians, bars, what it ran on."""
    sides = list(dict.fromkeys(side for line in account["lines"] for side in line["values"]))
    medians = [
        [f"{line['what']}, {line['unit']}", *(_number(line["values"].get(side)) for side in sides)]
        for line in account["lines"]
    ]
    bars = [
        [bar["what"], _number(bar["value"]), _number(bar["bar"]), "met" if bar["passed"] else "**missed**"]
        for bar in account["bars"]
    ]
    name = account["name"]
    parts = [f"![The medians of {name}](benchmarks/{name}.svg)\n"]
    parts += [_table(["median round", *sides], medians)] if medians else []
    parts += [_table(["bar", "measured", "wanted", ""], bars)] if bars else []
    parts += ["".join(f"- {note}\n" for note in account["notes"])] if account["notes"] else []
    return "\n" + "\n".join([*parts, _machine(account)]) + "\n"


def _kept(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((KEPT / f"{name}.json").read_text())
    return found


def _machine(account: dict[str, Any]) -> str:
    machine, versions = account["machine"], account["versions"]
    stood = ", ".join(f"{name} {version}" for name, version in versions.items())
    return f"{machine['cpus']} cores of {machine['processor']}, load {machine['load']} when it began; {stood}.\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:,.2f}"


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text()))
