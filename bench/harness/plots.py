"""plots: SVG inside of HTML that fits any width: positions are shares of the width, text keeps its size, and colours
are classes of the page's style, so that they follow light and dark."""

import html
import math
import statistics

from .results import number

SHORT = {"requests a second": "/s"}  # on an axis
PERCENTILES = (("p50", "p50"), ("p90", "p90"), ("p99", "p99"), ("p999", "p99.9"))


def escape(text):
    return html.escape(str(text), quote=True)


def _svg(height, label, body):
    return (f'<svg width="100%" height="{height}" role="img" aria-label="{escape(label)}">'
            f"<title>{escape(label)}</title>{body}</svg>")


def figure(title, what, body, key=()):
    """A plot with its title, a sentence that explains it, and the meaning of its colours: (class, text) each."""
    swatches = "".join(f'<span class="key"><i class="{kind}"></i>{escape(text)}</span>' for kind, text in key)
    return (f'<figure><figcaption><h3>{escape(title)}</h3><p>{escape(what)}</p>'
            + (f'<p class="keys">{swatches}</p>' if swatches else "") + f"</figcaption>{body}</figure>\n")


def _row(name, kind, value, svg, more=""):
    more = f' <span class="more">{escape(more)}</span>' if more else ""
    return (f'<div class="row"><div class="label"><span class="name {kind}">{escape(name)}</span>'
            f'<span class="value">{escape(value)}{more}</span></div>{svg}</div>')


def nice(most, count=4):
    """Round numbers from 0 to at least `most`."""
    if most <= 0:
        return [0, 1]
    step = 10 ** math.floor(math.log10(most / count))
    step *= next(factor for factor in (1, 2, 2.5, 5, 10) if step * factor * count >= most)
    return [step * index for index in range(math.ceil(most / step - 1e-9) + 1)]


def _axis(ticks, place, unit):
    """Marks below the rows; the outermost keep inside."""
    body = ""
    for index, tick in enumerate(ticks):
        anchor = "start" if index == 0 else "end" if index == len(ticks) - 1 else "middle"
        text = number(tick) if tick else "0"
        text += f" {SHORT.get(unit, unit)}" if index == len(ticks) - 1 else ""
        body += (f'<line class="tick" x1="{place(tick):.2f}%" x2="{place(tick):.2f}%" y1="0" y2="5"/>'
                 f'<text class="axis" x="{place(tick):.2f}%" y="19" text-anchor="{anchor}">{escape(text)}</text>')
    return f'<svg class="scale" width="100%" height="24" aria-hidden="true">{body}</svg>'


def _grid(ticks, place, height):
    return "".join(f'<line class="grid" x1="{place(tick):.2f}%" x2="{place(tick):.2f}%" y1="0" y2="{height}"/>'
                   for tick in ticks)


def bars(items, unit, plain=False):
    """Items are (name, class, values), with a value for every round: a bar for the median, a dot for each value, a line
    from the minimum to the maximum. `plain`: no item is highlighted."""
    ticks = nice(max(max(values) for _, _, values in items))

    def place(value):
        return 100 * value / ticks[-1]
    out = ""
    for name, kind, values in items:
        low, high = min(values), max(values)
        middle = statistics.median(values)
        body = _grid(ticks, place, 22)
        body += f'<rect class="{kind}" x="0" y="4" width="{place(middle):.2f}%" height="14" rx="2"/>'
        if len(values) > 1:
            body += f'<line class="spread" x1="{place(low):.2f}%" x2="{place(high):.2f}%" y1="11" y2="11"/>'
            body += "".join(f'<circle class="round" cx="{place(value):.2f}%" cy="11" r="3"/>' for value in values)
        spread = f"{number(low)} – {number(high)}" if len(values) > 1 else ""
        out += _row(name, "" if plain else kind, number(middle), _svg(22, f"{name}: {number(middle)} {unit}", body),
                    spread)
    return out + _axis(ticks, place, unit)


def stacks(items, parts, unit):
    """Items are (name, class, {part: value}): the parts of each, one after the other, and their sum."""
    ticks = nice(max(sum(values.values()) for _, _, values in items))
    out = ""
    for name, kind, values in items:
        body, start = _grid(ticks, lambda value: 100 * value / ticks[-1], 22), 0.0
        for part, style in parts:
            width = 100 * values.get(part, 0) / ticks[-1]
            body += (f'<rect class="{style}" x="{start:.2f}%" y="4" width="{width:.2f}%" height="14">'
                     f"<title>{escape(f'{name}: {part} {number(values.get(part, 0))} {unit}')}</title></rect>")
            start += width
        each = " + ".join(number(values.get(part, 0)) for part, _ in parts)
        total = number(sum(values.values()))
        out += _row(name, kind, total, _svg(22, f"{name}: {total} {unit}", body), each)
    return out + _axis(ticks, lambda value: 100 * value / ticks[-1], unit)


def percentiles(items):
    """Items are (name, class, {p50, p90, p99, p999} in ms), on a scale of powers of ten."""
    most = max(figures["p999"] for _, _, figures in items)
    least = max(0.001, min(figures["p50"] for _, _, figures in items))
    first, last = math.floor(math.log10(least)), math.ceil(math.log10(most) + 1e-9)
    last = max(last, first + 1)
    ticks = [10.0 ** power for power in range(first, last + 1)]

    def place(value):
        return min(99.3, max(0.7, 100 * (math.log10(max(value, 10.0 ** first)) - first) / (last - first)))
    out = ""
    for name, kind, figures in items:
        body = _grid(ticks, place, 24)
        body += (f'<line class="reach {kind}" x1="{place(figures["p50"]):.2f}%" x2="{place(figures["p999"]):.2f}%" '
                 'y1="12" y2="12"/>')
        for size, (key, word) in zip((5.5, 4.5, 4.5, 3.5), PERCENTILES):
            mark = "hollow" if key == "p99" else "full"
            body += (f'<circle class="{kind} {mark}" cx="{place(figures[key]):.2f}%" cy="12" r="{size}">'
                     f"<title>{escape(f'{name}: {word} {number(figures[key])} ms')}</title></circle>")
        text = "  ".join(f"{word}\u00a0{number(figures[key])}" for key, word in PERCENTILES)
        out += _row(name, kind, text, _svg(24, f"{name}: {text} ms", body))
    return out + _axis(ticks, place, "ms")


def lines(series, labels, unit, height=230):
    """Series are (name, class, for each label a value for every round): points at the medians, joined, with a line
    from the minimum to the maximum. Labels have equal distances. The medians of a single series are next to its points,
    those of several in a table below."""
    ticks = nice(max(value for _, _, points in series for values in points for value in values))
    top, bottom = 16, height - 30

    def across(index):
        return 14 + (index * 78 / max(1, len(labels) - 1) if len(labels) > 1 else 39)

    def down(value):
        return bottom - (bottom - top) * value / ticks[-1]
    body = ""
    for tick in ticks:
        body += (f'<line class="grid" x1="0" x2="100%" y1="{down(tick):.1f}" y2="{down(tick):.1f}"/>'
                 f'<text class="axis" x="0" y="{down(tick) - 4:.1f}">{escape(number(tick) if tick else "0")}</text>')
    for index, label in enumerate(labels):
        body += (f'<text class="axis" x="{across(index):.2f}%" y="{height - 10}" text-anchor="middle">'
                 f"{escape(label)}</text>")
    for number_of, (name, kind, points) in enumerate(series):
        middles = [statistics.median(values) for values in points]
        # Side by side, so that spreads of one label can be told apart.
        aside = 6 * number_of - 3 * (len(series) - 1)
        for index in range(len(points) - 1):
            body += (f'<line class="path {kind}" x1="{across(index):.2f}%" y1="{down(middles[index]):.1f}" '
                     f'x2="{across(index + 1):.2f}%" y2="{down(middles[index + 1]):.1f}" '
                     f'transform="translate({aside})"/>')
        for index, (values, middle) in enumerate(zip(points, middles)):
            body += (f'<g transform="translate({aside})">'
                     f'<line class="spread" x1="{across(index):.2f}%" x2="{across(index):.2f}%" '
                     f'y1="{down(min(values)):.1f}" y2="{down(max(values)):.1f}"/>'
                     f'<circle class="{kind} full" cx="{across(index):.2f}%" cy="{down(middle):.1f}" r="4.5">'
                     f"<title>{escape(f'{name}, {labels[index]}: {number(middle)} {unit}')}</title></circle></g>")
            if len(series) == 1:
                body += (f'<text class="point" x="{across(index):.2f}%" y="{down(max(values)) - 8:.1f}" '
                         f'text-anchor="middle">{escape(number(middle))}</text>')
    plot = f'<svg width="100%" height="{height}" role="img" aria-label="{escape(unit)}">{body}</svg>'
    if len(series) == 1:
        return plot
    head = "".join(f"<th class=number>{escape(label)}</th>" for label in labels)
    rows = "".join(f"<tr><td>{escape(name)}</td>" + "".join(
        f"<td class=number>{escape(number(statistics.median(values)))}</td>" for values in points) + "</tr>"
        for name, _, points in series)
    return plot + f"<div class=scroll><table><thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table></div>"


def strip(name, kind, values, need, unit):
    """A dot for each value and a line where they must stay below."""
    ticks = nice(max([need * 1.1, *values]))

    def place(value):
        return 100 * value / ticks[-1]
    body = _grid(ticks, place, 40)
    for index, value in enumerate(values):
        body += f'<circle class="{kind} dot" cx="{place(value):.2f}%" cy="{10 + index * 7 % 21}" r="3.5"/>'
    body += f'<line class="need" x1="{place(need):.2f}%" x2="{place(need):.2f}%" y1="0" y2="40"/>'
    text = f"{number(min(values))} to {number(max(values))} {unit}"
    return _row(name, kind, text, _svg(40, f"{name}: {text}", body)) + _axis(ticks, place, unit)


def bullet(measured, need, relation):
    """A measured value against its need, which is always at the same place: whatever reaches the mark is met."""
    good = measured / need if relation == ">=" else need / measured if measured else 2
    share = min(100, 60 * good)
    kind = "met" if (measured >= need if relation == ">=" else measured <= need) else "missed"
    return ('<svg class="bullet" width="100%" height="12" aria-hidden="true">'
            '<rect class="track" x="0" y="3" width="100%" height="6" rx="3"/>'
            f'<rect class="{kind}" x="0" y="3" width="{share:.1f}%" height="6" rx="3"/>'
            '<line class="mark" x1="60%" x2="60%" y1="0" y2="12"/></svg>')
