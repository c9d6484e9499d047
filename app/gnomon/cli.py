"""The `gnomon` command: finds its commands through entry points and imports only the one that is called.

    gnomon NAME ...   ->   entry point NAME of the group gnomon.commands   ->   a typed function, read by Typer

The list of commands needs no import either: each command's one line is the first line of its docstring, read from the
source. Importing them for it would load the web framework and the SQL toolkit only to print twelve lines.
"""

import ast
import json
import os
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

GROUP: Final = "gnomon.commands"

FAILED: Final = 1
WRONG_USE: Final = 2

# The order a newcomer meets them in; commands of other distributions follow by name.
_ORDER: Final = (
    *("demo", "up", "serve", "poll", "work", "migrate", "doctor", "retime", "alembic-ini", "psql"),
    *("schedule", "import", "cancel", "pause", "resume", "reschedule", "run", "pending", "explain", "categories"),
    *("preview", "forecast", "freeze", "bench"),
)
# Errors of the drivers: facts about the server, not faults of ours, so that one line says enough.
_DRIVERS: Final = ("psycopg", "psycopg_pool", "sqlalchemy")


def main() -> None:
    """Entry point of the console script: run, then leave with the exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code: 0, 1 (failed) or 2 (wrong use)."""
    name, *rest = arguments or ("--help",)
    if name in {"--help", "-h", "help"}:
        _show_commands()
        return 0
    if name in {"--version", "-V"}:
        print(version("gnomon"))
        return 0
    found = _entry_points().get(name)
    if found is None:
        near = get_close_matches(name, _entry_points(), n=1)
        hint = f"Did you mean {near[0]}? " if near else ""
        _show_error(f"no such command: {name}.", f"{hint}`gnomon --help` lists them.", is_json="--json" in rest)
        return WRONG_USE
    return _call(found, rest)


def short_help(command: EntryPoint) -> str:
    """The first line of the command's docstring, read without importing its module."""
    module, _, function = command.value.partition(":")
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return "(not installed)"  # one broken distribution must not hide the others' commands
    for node in ast.parse(Path(spec.origin).read_bytes()).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return (ast.get_docstring(node) or "").partition("\n")[0]
    return ""


def _entry_points() -> dict[str, EntryPoint]:
    found = {entry.name: entry for entry in entry_points(group=GROUP)}
    names = [name for name in _ORDER if name in found]
    return {name: found[name] for name in [*names, *sorted(found.keys() - set(names))]}


def _call(command: EntryPoint, arguments: Sequence[str]) -> int:
    import typer  # the list of commands does without it
    from typer.main import get_command

    try:
        function: Callable[..., Any] = command.load()
        app = typer.Typer(add_completion=False, context_settings={"help_option_names": ["--help", "-h"]})
        app.command(name=command.name)(function)
        answer = get_command(app).main(args=list(arguments), prog_name=f"gnomon {command.name}", standalone_mode=False)
    except typer.Exit as leave:
        return leave.exit_code
    except (typer.Abort, KeyboardInterrupt):
        return FAILED
    except BrokenPipeError:
        # Whoever read our output has gone (`gnomon ... | head`): nothing is left to say, nor anyone to say it to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as fault:  # noqa: BLE001  # _report lets through what it does not know
        return _report(fault, command.name, is_json="--json" in arguments)
    return answer if isinstance(answer, int) else 0


def _report(fault: Exception, name: str, *, is_json: bool) -> int:
    """Print a foreseen error as one line and its hint; let an unforeseen one through with its traceback."""
    from typer import TyperException

    if isinstance(fault, TyperException):
        hint = f"`gnomon {name} --help` shows its use."
        _show_error(fault.format_message(), hint, is_json=is_json)
        return fault.exit_code
    if hasattr(fault, "hint"):
        details = {word: getattr(fault, word, None) for word in ("code", "detail", "pointer")}
        _show_error(str(fault), fault.hint, is_json=is_json, **details)
        return int(getattr(fault, "exit_code", FAILED))
    if isinstance(fault, OSError) or type(fault).__module__.partition(".")[0] in _DRIVERS:
        _show_error(str(fault).strip(), None, is_json=is_json)
        return FAILED
    raise fault


def _show_error(message: str, hint: str | None, *, is_json: bool, **details: str | None) -> None:
    if is_json:
        told = {"message": message, "hint": hint, **details}
        print(json.dumps({"error": {name: value for name, value in told.items() if value}}), file=sys.stderr)
        return
    from rich.console import Console  # a command that works does without it
    from rich.text import Text

    code = details.get("code")
    line = Text.assemble(("gnomon: ", "bold red"), " ".join(message.split()), f" ({code})" if code else "")
    console = Console(stderr=True, soft_wrap=True)
    console.print(line)
    if details.get("detail"):
        console.print(Text(str(details["detail"])))
    if hint:
        console.print(Text(hint, style="dim"))


def _show_commands() -> None:
    from rich.console import Console  # an error in another command does without it
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold cyan", no_wrap=True)
    table.add_column()
    for name, entry in _entry_points().items():
        table.add_row(f"  {name}", short_help(entry))
    console = Console(highlight=False)
    console.print("[bold]gnomon[/] schedules notifications and delivers them, inside one PostgreSQL database.\n")
    console.print("Usage: [bold]gnomon COMMAND \\[OPTIONS][/]\n")
    console.print(table)
    console.print("\nStart with [bold]gnomon demo[/]. `gnomon COMMAND --help` shows an example of each.")
