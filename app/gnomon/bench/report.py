"""The account of a run: one JSON object, a table, a picture."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gnomon.bench.benchmark import Measured
from gnomon.bench.picture import bars_svg


def account(name: str, measured: Measured, machine: Mapping[str, Any], versions: Mapping[str, str]) -> dict[str, Any]:
    """The object that --json prints; passed is whether no bar was missed."""
    return {
        "name": name,
        "passed": all(bar.passed for bar in measured.bars),
        "bars": [
            {"what": bar.what, "value": round(bar.value, 2), "bar": bar.bar, "passed": bar.passed} for bar in measured.bars
        ],
        "lines": [
            {"what": line.what, "unit": line.unit, "values": {side: round(value, 2) for side, value in line.values.items()}}
            for line in measured.lines
        ],
        "rounds": measured.rounds,
        "machine": machine,
        "versions": {**versions, **measured.versions},
        "settings": measured.settings,
        "notes": measured.notes,
    }


def write(told: Mapping[str, Any], folder: Path) -> None:
    """Write NAME.json and NAME.svg."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{told['name']}.json").write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    (folder / f"{told['name']}.svg").write_text(bars_svg(told), encoding="utf-8")


def show(told: Mapping[str, Any]) -> None:
    """Print the tables."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    sides = list(dict.fromkeys(side for line in told["lines"] for side in line["values"]))
    table = Table("", *sides, box=None, pad_edge=False, title=f"{told['name']}: median round", title_justify="left")
    for line in told["lines"]:
        cells = (f"{line['values'][side]:,.1f} {line['unit']}" if side in line["values"] else "" for side in sides)
        table.add_row(line["what"], *cells)
    console.print(table)
    bars = Table("", "", "bar", "", box=None, pad_edge=False, show_header=False)
    for bar in told["bars"]:
        verdict = Text("met", style="green") if bar["passed"] else Text("MISSED", style="bold red")
        bars.add_row(bar["what"], f"{bar['value']:,.2f}", f"bar {bar['bar']:g}", verdict)
    console.print(bars)
    for note in told["notes"]:
        console.print(Text(note, style="dim"))
    machine, versions = told["machine"], ", ".join(f"{name} {number}" for name, number in told["versions"].items())
    console.print(Text(f"{machine['cpus']} x {machine['processor']}, load {machine['load']}; {versions}", style="dim"))
