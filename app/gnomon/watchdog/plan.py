"""What a watchdog is told."""

import json
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True)
class Plan:
    """What a watchdog is told to run; paths as text, since it travels as JSON."""

    command: list[str]
    cluster: str
    control: str
    lock: str
    log: str
    port: int
    environment: dict[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """The form in which it is handed over."""
        return json.dumps(asdict(self))
