"""A picture of medians: a group of bars for every line, a bar for every side. Plain SVG, readable on light and dark."""

from collections.abc import Mapping
from html import escape
from typing import Any, Final

_COLOURS: Final = ("#2f6fdb", "#d9822b", "#6b7f8c", "#a34fb5", "#3d9b5f", "#c2504a", "#1f9aa8", "#a08a2c")
_A_ROW: Final = 4
"""So many sides fit beside each other in the legend."""
_WIDTH: Final = 720
_LEFT: Final = 210
_RIGHT: Final = 110
_BAR: Final = 14
_GAP: Final = 12
_STYLE: Final = "text{font:12px system-ui,sans-serif;fill:#5b6b78}.title{font-weight:600;font-size:14px}"


def bars_svg(told: Mapping[str, Any]) -> str:
    """The lines of an account as horizontal bars; the longest of a unit fills the width."""
    lines = told["lines"]
    sides = list(dict.fromkeys(side for line in lines for side in line["values"]))
    colour = {side: _COLOURS[place % len(_COLOURS)] for place, side in enumerate(sides)}
    longest: dict[str, float] = {}
    for line in lines:
        longest[line["unit"]] = max([longest.get(line["unit"], 0), *line["values"].values()]) or 1
    drawn, y = [], 62 + 16 * ((len(sides) - 1) // _A_ROW)
    for line in lines:
        values = line["values"]
        middle = y + len(values) * _BAR / 2 + 4
        drawn.append(f'<text x="{_LEFT - 10}" y="{middle:g}" text-anchor="end">{escape(line["what"])}</text>')
        for side, value in values.items():
            width = max(1, value / longest[line["unit"]] * (_WIDTH - _LEFT - _RIGHT))
            drawn.append(f'<rect x="{_LEFT}" y="{y}" width="{width:.1f}" height="{_BAR - 2}" fill="{colour[side]}"/>')
            drawn.append(f'<text x="{_LEFT + width + 6:.1f}" y="{y + _BAR - 4}">{value:,.1f} {escape(line["unit"])}</text>')
            y += _BAR
        y += _GAP
    legend = "".join(
        f'<rect x="{_LEFT + place % _A_ROW * 120}" y="{34 + place // _A_ROW * 16}" width="10" height="10" '
        f'fill="{colour[side]}"/>'
        f'<text x="{_LEFT + place % _A_ROW * 120 + 16}" y="{43 + place // _A_ROW * 16}">{escape(side)}</text>'
        for place, side in enumerate(sides)
    )
    is_rate = all(line["unit"].endswith("/s") for line in lines)
    heading = f"{escape(told['name'])}: median round, {'longer' if is_rate else 'shorter'} is better"
    title = f'<text class="title" x="12" y="22">{heading}</text>'
    spoken = "; ".join(
        f"{line['what']}: " + ", ".join(f"{side} {value:,.1f} {line['unit']}" for side, value in line["values"].items())
        for line in lines
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y}" role="img">'
        f"<title>{heading}</title><desc>{escape(spoken)}</desc><style>{_STYLE}</style>"
        f"{title}{legend}{''.join(drawn)}</svg>\n"
    )
