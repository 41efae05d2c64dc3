"""Draws curves as one SVG, which reads on light and on dark pages."""

import dataclasses
import html
import math

WIDTH, HEIGHT, GAP = 340, 210, 30
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 30, 40
COLUMNS = 2
STYLE = """
  svg { background: #fff }
  text { font: 11px system-ui, sans-serif; fill: #333 } .title { font-weight: 600; font-size: 12px }
  .grid { stroke: #ddd } .line { fill: none; stroke: #1668dc; stroke-width: 2 } .point { fill: #1668dc }
  @media (prefers-color-scheme: dark) {
    svg { background: #111 } text { fill: #ccc } .grid { stroke: #333 } .line { stroke: #6aa6ff } .point { fill: #6aa6ff }
  }
"""


@dataclasses.dataclass
class Curve:
    across: str
    up: str
    points: dict


def short(value):
    """A number as people write it on an axis."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def steps(most):
    """Three to six round numbers from 0 to at least `most`."""
    size = 10 ** math.floor(math.log10(most))
    step = next(size * part for part in (0.2, 0.5, 1, 2) if most / (size * part) <= 5)
    return [step * index for index in range(math.ceil(most / step) + 1)]


def chart(curve, x, y):
    """One chart: a logarithmic axis of powers across, and one from 0 up; up is logarithmic too if the values span more than a hundredfold."""
    inner_width, inner_height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    xs, values = list(curve.points), list(curve.points.values())
    low, high = math.log(xs[0]), math.log(xs[-1])
    is_wide = min(values) > 0 and max(values) / min(values) > 100
    marks = [10.0**power for power in range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)] if is_wide else steps(max(values) or 1)

    def across(value):
        return LEFT + inner_width * (math.log(value) - low) / (high - low)

    def up(value):
        part = (math.log(value / marks[0]) / math.log(marks[-1] / marks[0])) if is_wide else value / marks[-1]
        return TOP + inner_height * (1 - part)

    lines = [f'<g transform="translate({x} {y})">', f'<text class="title" x="{LEFT}" y="16">{html.escape(curve.up)}</text>']
    for mark in marks:
        lines.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{up(mark):.1f}" y2="{up(mark):.1f}"/>')
        lines.append(f'<text x="{LEFT - 6}" y="{up(mark) + 4:.1f}" text-anchor="end">{short(mark)}</text>')
    for value in xs:
        lines.append(f'<text x="{across(value):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{short(value)}</text>')
    lines.append(f'<text x="{LEFT + inner_width / 2}" y="{HEIGHT - 6}" text-anchor="middle">{html.escape(curve.across)}</text>')
    places = [f"{across(value):.1f},{up(result):.1f}" for value, result in curve.points.items()]
    lines.append(f'<polyline class="line" points="{" ".join(places)}"/>')
    lines.extend(f'<circle class="point" cx="{place.split(",")[0]}" cy="{place.split(",")[1]}" r="3"/>' for place in places)
    return "\n".join([*lines, "</g>"])


def draw(curves):
    rows = math.ceil(len(curves) / COLUMNS)
    width, height = COLUMNS * WIDTH + (COLUMNS + 1) * GAP, rows * HEIGHT + (rows + 1) * GAP
    charts = [chart(curve, GAP + index % COLUMNS * (WIDTH + GAP), GAP + index // COLUMNS * (HEIGHT + GAP)) for index, curve in enumerate(curves)]
    body = "\n".join(charts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"><title>Curves of cost</title><style>{STYLE}</style>\n{body}\n</svg>\n'
