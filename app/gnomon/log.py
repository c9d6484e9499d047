"""Logs: readable lines on a terminal, one JSON object a line everywhere else, always on standard error.

Standard output belongs to the commands' answers and to the `log` channel.
"""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any, Final

import structlog

# Local variables are what a traceback may not tell: requests, their headers and the tokens in them.
_WITHOUT_LOCALS: Final = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)

# Libraries that report every step at INFO; their warnings still pass.
_CHATTY: Final = ("alembic", "uvicorn.access", "psycopg.pool")


def start_log(role: str, *, level: str = "INFO") -> None:
    """Send all logs, ours and those of libraries, to standard error, each line naming the role that wrote it."""
    is_terminal = sys.stderr.isatty()
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _named(role),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    last: list[structlog.typing.Processor] = (
        [structlog.dev.ConsoleRenderer(pad_event_to=0, exception_formatter=structlog.dev.plain_traceback)]
        if is_terminal
        else [structlog.processors.ExceptionRenderer(_WITHOUT_LOCALS), structlog.processors.JSONRenderer()]
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)


def logger(name: str) -> structlog.stdlib.BoundLogger:
    """The logger of one module; give it `__name__`."""
    logger: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return logger


def _named(role: str) -> structlog.typing.Processor:
    def add_role(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        event.setdefault("role", role)
        return event

    return add_role
