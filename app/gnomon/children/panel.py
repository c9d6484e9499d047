"""What the live tables of `demo` and `up` share: the processes, and how a number of milliseconds looks."""

from collections.abc import Iterable
from typing import Final

from rich.table import Table
from rich.text import Text

from gnomon.children.child import Child, State

# Above them a notification counts as late here, in milliseconds.
_NOTICEABLE: Final = 250
_LONG: Final = 1_000

_STYLES: Final = {
    State.WAITING: "dim",
    State.RUNNING: "green",
    State.STOPPING: "yellow",
    State.KILLED: "bold red",
    State.ENDED: "red",
}


def process_table(children: Iterable[Child], database: tuple[str, int | None] | None = None) -> Table:
    """Name, process id and state of each; `database` is a server of ours, with its id."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("process", style="bold", no_wrap=True)
    table.add_column("pid", justify="right", no_wrap=True)
    table.add_column("state", no_wrap=True)
    if database is not None:
        name, pid = database
        table.add_row(name, str(pid or ""), Text("running" if pid else "starting", "green" if pid else "dim"))
    for child in children:
        again = f", start {child.starts}" if child.starts > 1 else ""
        code = f" ({child.code})" if child.state is State.ENDED else ""
        table.add_row(child.name, str(child.pid or ""), Text(f"{child.state}{code}{again}", _STYLES[child.state]))
    return table


def milliseconds(value: float | None) -> Text:
    """A lateness, coloured by whether somebody would notice."""
    if value is None:
        return Text("-", "dim")
    style = "green" if value < _NOTICEABLE else "yellow" if value < _LONG else "red"
    return Text(f"{value:,.0f} ms" if value < 10 * _LONG else f"{value / _LONG:,.1f} s", style)
