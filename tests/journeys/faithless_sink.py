"""A receiver that writes down other things than it answered: what a demo that lost or doubled something would leave.

python faithless_sink.py FILE
"""

import os
import sys
from itertools import count
from pathlib import Path

from gnomon.demo.sink import serve

# The first line is that of the warm-up, for which the demo waits.
_LOSES = 3
_DOUBLES = 6
_REPEATS = 9

_numbers = count(1)


def _write(file: int, line: bytes) -> None:
    number = next(_numbers)
    if number == _LOSES:
        return
    os.write(file, line)
    if number == _DOUBLES:
        os.write(file, line.replace(b'"delivery_id":"dlv_', b'"delivery_id":"dlv_another_'))
    if number == _REPEATS:
        os.write(file, line)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), _write)
