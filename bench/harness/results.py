"""results: figures of the groups, rows of the table, and the table for the terminal."""

import dataclasses
import shutil

MISSING = "not measured"


@dataclasses.dataclass(frozen=True)
class Need:
    """A need: at least (`>=`) or at most (`<=`) a value."""
    relation: str
    value: float

    def met(self, measured):
        return measured >= self.value if self.relation == ">=" else measured <= self.value

    def text(self, unit):
        return f"{'at least' if self.relation == '>=' else 'at most'} {number(self.value)}{unit}"


def at_least(value):
    return Need(">=", value)


def at_most(value):
    return Need("<=", value)


def number(value):
    """Three digits that matter, thousands apart."""
    if value is None:
        return ""
    size = abs(value)
    if size >= 100:
        return f"{value:,.0f}".replace(",", "\u202f")
    form = ".1f" if size >= 10 else ".2f" if size >= 1 else ".3f" if size >= 0.001 else ".1g"
    text = f"{value:{form}}"
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


class Results:
    def __init__(self):
        self.rows, self.groups = [], {}

    def row(self, group, what, measured, need=None, unit="", note=""):
        """One row of the table. Without a measured value, `note` has the reason."""
        self.rows.append({
            "group": group, "what": what, "measured": measured, "unit": unit, "note": note,
            "relation": need and need.relation, "needed": need and need.value,
            "needed_text": need.text(unit) if need else "",
            "met": None if need is None or measured is None else need.met(measured)})

    def figures(self, group, **figures):
        self.groups.setdefault(group, {}).update(figures)

    def counts(self):
        """How many are met, missed, and were to be measured and were not."""
        judged = [row for row in self.rows if row["relation"]]
        return (sum(row["met"] is True for row in judged), sum(row["met"] is False for row in judged),
                sum(row["measured"] is None for row in judged))


def verdict(row):
    if row["measured"] is None:
        return MISSING
    return {None: "", True: "met", False: "MISSED"}[row["met"]]


def table(results, titles, colour=False):
    """The rows for a terminal, as wide as it is."""
    lines, last = [], None
    rows = [(row, number(row["measured"]) + row["unit"] if row["measured"] is not None else "–")
            for row in results.rows]
    columns = shutil.get_terminal_size((110, 40)).columns
    measured = max([len("measured"), *(len(text) for _, text in rows)])
    needed = max([len("needed"), *(len(row["needed_text"]) for row in results.rows)])
    what = min(max([20, *(len(row["what"]) for row in results.rows)]), max(40, columns - measured - needed - 20))
    lines.append(f"  {'':{what}}  {'measured':>{measured}}  {'needed':<{needed}}")
    paint = {"met": "32", "MISSED": "1;31", MISSING: "33"}
    for row, text in rows:
        if row["group"] != last:
            last = row["group"]
            lines.append(f"{titles.get(last, last)}")
        name, *more = _wrapped(row["what"], what)
        word = verdict(row)
        if colour and word in paint:
            word = f"\033[{paint[word]}m{word}\033[0m"
        if row["note"]:
            word += f" ({row['note']})"
        lines.append(f"  {name:{what}}  {text:>{measured}}  {row['needed_text']:<{needed}}  {word}".rstrip())
        lines += [f"    {rest}" for rest in more]
    met, missed, absent = results.counts()
    lines.append(f"{met} met, {missed} missed, {absent} not measured")
    return "\n".join(lines)


def _wrapped(text, width):
    lines = [""]
    for word in text.split():
        room = width if len(lines) == 1 else width - 2
        if lines[-1] and len(lines[-1]) + 1 + len(word) > room:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
