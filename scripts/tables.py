# SPDX-License-Identifier: Apache-2.0
"""Tables of figures: printed by scripts, kept in docs/data, shown on pages.

docs/data/PART.json is the result of one command, with the commit, the date, the machine and the digest of the RTL
(records.py):

    {"command": "scripts/latency", "commit": "5d0077c9", "date": "2026-11-29", "machine": "any",
     "rtl": "748e5069442fcfcc",
     "tables": {"shares": {"columns": [["latency", "{}"], ["share", "{:.1f} %"]], "rows": [[64, 99.8]], "notes": []}}}

A column has a heading and a format of Python. A cell is a number, a list of the numbers in its format, or a text, which
is shown as it is. The notes are Markdown below the table. The block of a page between `<!-- data: PART/TABLE -->` and
`<!-- end of data -->` is the table, written by `scripts/figures --write`. So is a cell in a sentence, of the row that
begins with ROW and the column COLUMN: `<!-- value: PART/TABLE | ROW | COLUMN -->103<!-- end of value -->`.
"""
import argparse
import datetime as dt
import json
import os
import pathlib
import re
import subprocess

import records

ROOT = pathlib.Path(__file__).resolve().parents[1]
DATA = ROOT / "docs/data"
ANY = "any"  # machine of figures that every machine reproduces exactly
FIELD = re.compile(r"\{:?(,?)(?:\.(\d)f)?\}")
BLOCK = re.compile(r"(<!-- data: (\S+) -->\n).*?(?=<!-- end of data -->)", re.DOTALL)
VALUE = re.compile(r"(<!-- value: (\S+) \| (.+?) \| (.+?) -->).*?(?=<!-- end of value -->)")


def magnitude(value):
    """Returns three digits and a word. Example: 86300000 is "86.3 million"."""
    for size, name in ((1e9, "billion"), (1e6, "million"), (1e3, "thousand")):
        if value >= size:
            return f"{value / size:.3g} {name}"
    return f"{value:.3g}"


def time(seconds):
    """Returns a time in the unit that suits it. Example: 0.0046 is "4.6 ms"."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


WORDS = {"magnitude": magnitude, "time": time}
UNITS = {"billion": 1e9, "million": 1e6, "thousand": 1e3, "s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def shown(form, cell):
    """The text of a cell."""
    if cell is None or isinstance(cell, str):
        return cell or ""
    if form in WORDS:
        return WORDS[form](cell)
    return form.format(*(cell if isinstance(cell, list) else [cell]))


def rounded(form, cell):
    """The cell with the digits that its format shows, so that data do not change in digits that no page shows."""
    if cell is None or isinstance(cell, str):
        return cell
    if form in WORDS:
        return cell and float(f"{cell:.2e}")
    values = [value if isinstance(value, str) or not digits else round(value, int(digits))
              for value, (_, digits) in zip(cell if isinstance(cell, (list, tuple)) else [cell], FIELD.findall(form))]
    return values if isinstance(cell, (list, tuple)) else values[0]


class Table:
    """A name, columns (heading, format) and rows; an iterator of rows is read once."""

    def __init__(self, name, columns, rows, notes=()):
        self.name, self.columns, self.rows, self.notes = name, [tuple(column) for column in columns], rows, notes

    def data(self):
        rows = [[rounded(form, cell) for (_, form), cell in zip(self.columns, row, strict=True)] for row in self.rows]
        return {"columns": self.columns, "rows": rows, "notes": list(self.notes)}

    def head(self):
        return [line_of(heading for heading, _ in self.columns), "|" + "---|" * len(self.columns)]

    def line(self, row):
        return line_of(shown(form, cell) for (_, form), cell in zip(self.columns, row, strict=True))

    def markdown(self):
        """The lines of the table, with numbers to the right."""
        rows = list(self.rows)
        rules = ["---:" if any(not isinstance(cell, str) and cell is not None for cell in column) else "---"
                 for column in zip(*rows)]
        lines = [self.head()[0], f"|{'|'.join(rules)}|"] + [self.line(row) for row in rows]
        return lines + ([""] + list(self.notes) if self.notes else [])


def line_of(cells):
    return "| " + " | ".join(cells) + " |"


def say(tables, as_json=False):
    """Prints tables as Markdown, row by row as they are measured, or all of them as JSON."""
    if as_json:
        print(text_of({table.name: table.data() for table in tables}))
        return
    for number, table in enumerate(tables):
        print(*([""] if number else []), *table.head(), sep="\n")
        for row in table.rows:
            print(table.line(row), flush=True)
        if table.notes:
            print("", *table.notes, sep="\n")


def main(tables, description):
    """The program of a script with no other options."""
    parser = argparse.ArgumentParser(description=description.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--json", action="store_true", help="print the tables as JSON")
    say(tables(), parser.parse_args().json)


# ------------------------------------------------------------------------------- Markdown to data
def number(text):
    text = text.replace(",", "")
    return float(text) if "." in text else int(text)


def parsed(form, text):
    """The cell that the format shows as `text`; the text itself if the format does not fit."""
    if form in WORDS and (found := re.fullmatch(r"([\d.]+) (\w+)", text)):
        value = float(f"{float(found[1]) * UNITS[found[2]]:.4g}")
        return value if shown(form, value) == text else text
    if form in WORDS or (form == "{}" and not re.fullmatch(r"-?\d+(\.\d+)?", text)):
        return text or None
    parts = FIELD.split(form)  # text, comma, digits, text, ...
    pattern = "".join(re.escape(part) if at % 3 == 0 else r"(-?[\d,]+(?:\.\d+)?)" if at % 3 == 1 else ""
                      for at, part in enumerate(parts))
    found = re.fullmatch(pattern, text)
    if not found:
        return text or None
    values = [number(value) for value in found.groups()]
    return values if len(values) > 1 else values[0]


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def tables_of(text):
    """The tables in a Markdown text, each as a list of rows of texts without the heading."""
    return [[cells_of(line) for line in found.splitlines()[2:]]
            for found in re.findall(r"(?:^\|.*\n)+", text + "\n", re.MULTILINE)]


# ------------------------------------------------------------------------------------------ files
def text_of(tables):
    """JSON with a line for each row, so that a changed figure is a changed line."""
    parts = []
    for name, table in tables.items():
        columns, notes = (json.dumps(table[key], ensure_ascii=False) for key in ("columns", "notes"))
        rows = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in table["rows"])
        parts.append(f'{json.dumps(name)}: {{"columns": {columns},\n "rows": [\n  {rows}],\n "notes": {notes}}}')
    return "{" + ",\n".join(parts) + "}"


def load(part):
    """The record of a part: command, commit, machine and tables."""
    return json.loads((DATA / f"{part}.json").read_text(encoding="utf-8"))


def _git(*command):
    return subprocess.run(("git", *command), cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def commit():
    """The present commit, followed by "with changes" if a file other than docs/* and *.md differs from it."""
    changed = _git("status", "--porcelain", "--", ".", ":!docs", ":!*.md")
    return _git("rev-parse", "--short=8", "HEAD") + (" with changes" if changed else "")


def machine():
    """Processor, number of cores and load of this machine."""
    model = re.search(r"^model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    return f"{model[1] if model else os.uname().machine}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


def today():
    return dt.datetime.now(dt.timezone.utc).date().isoformat()


def save(part, command, commit, machine, tables):
    head = json.dumps({"command": command, "commit": commit, "date": today(), "machine": machine,
                       "rtl": records.rtl_digest()}, ensure_ascii=False)[1:-1]
    (DATA / f"{part}.json").write_text(f'{{{head},\n"tables": {text_of(tables)}}}\n', encoding="utf-8")


def table(name, record=None):
    """The table PART/TABLE."""
    part, _, name = name.partition("/")
    found = (record or load(part))["tables"][name]
    return Table(name, found["columns"], found["rows"], found["notes"])


def source(record):
    """One line about the origin of a record's figures."""
    machine = "the same on every machine" if record["machine"] == ANY else record["machine"]
    return f"*`{record['command']}` on commit {record['commit']}; {machine}.*"


# ------------------------------------------------------------------------------------------ pages
def pages():
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


def headline():
    """The three figures of the README, from the tables of other pages."""
    jobs, exact = (sum(row[column] for row in table("accuracy/cycles").rows) for column in (2, 4))
    job = [512, 512, 512, "mxfp8_e4m3", "mxfp8_e4m3", "fp32"]
    [peak] = [row[7] for row in table("utilization/utilization").rows if row[:6] == job]
    [times] = [row[2] for row in table("speed/engine").rows if row[0] == "functional"]
    rows = [["exact cycles", f"model and RTL took the same cycles in {exact:,} of {jobs:,} random jobs",
             "[accuracy](docs/accuracy.md#cycles)"],
            ["share of peak", f"{peak} % of the multipliers' rate for 512 x 512 x 512 in MXFP8 on `base`",
             "[performance](docs/performance.md#use-of-the-array)"],
            ["speed", f"the model simulates {times:,.0f} times as many cycles per second as the RTL",
             "[speed](docs/accuracy.md#speed)"]]
    return Table("headline", [(name, "{}") for name in ("figure", "value", "measured in")], rows)


LISTED = re.compile(r"^(?:.* <)?([\w./-]+?)>?$")
AUDIENCE = re.compile(r"\b[Ff]or ((?:(?!\. ).)*)\. +After this page you (.*?)\.(?= |$)")


def listed_pages():
    """The pages of the site in the order of its table of contents, from docs/index.md."""
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    for tree in re.findall(r"```\{toctree\}\n(?::[^\n]*\n)*\n(.*?)```", index, re.DOTALL):
        for line in tree.split("\n")[:-1]:
            yield (ROOT / "docs" / (LISTED.match(line)[1] + ".md")).resolve()


def introduction(page):
    """A page's title, its readers, and what they can do afterwards. ValueError if the page does not say it."""
    title, _, text = page.read_text(encoding="utf-8").partition("# ")[2].partition("\n")
    found = AUDIENCE.search(" ".join(re.split(r"\n(?:\||#|\d\.|- |!|```|<)", text, maxsplit=1)[0].split()))
    if not found:
        raise ValueError(f"{page} does not begin with 'For READERS. After this page you ...'")
    return title, found[1], found[2]


def page_list():
    rows = []
    for page in listed_pages():
        title, readers, result = introduction(page)
        link = page.relative_to(ROOT / "docs") if page.is_relative_to(ROOT / "docs") else f"../{page.name}"
        rows.append([f"[{title}]({link})", readers, "you " + result])
    return Table("pages", [(name, "{}") for name in ("page", "for", "afterwards")], rows)


def evidence():
    return Table("evidence", [(name, "{}") for name in ("record", "shows", "commit", "RTL")], records.rows())


DERIVED = {"evidence": evidence, "headline": headline, "pages": page_list}


def value(name, row, column):
    """The text of a cell, which the first cell of its row and the heading of its column name."""
    found = table(name)
    headings = [heading for heading, _ in found.columns]
    rows = [cells for cells in found.rows if cells[0] == row]
    columns = headings.count(column)
    if len(rows) != 1 or columns != 1:
        raise ValueError(f"{name}: {len(rows)} rows '{row}', {columns} columns '{column}'; allowed: one of each")
    at = headings.index(column)
    return shown(found.columns[at][1], rows[0][at])


def filled(text):
    """A page with the present figures in its blocks and sentences."""
    def block(match):
        if match[2] in DERIVED:
            return match[1] + "\n".join(DERIVED[match[2]]().markdown()) + "\n"
        record = load(match[2].partition("/")[0])
        return match[1] + "\n".join(table(match[2], record).markdown() + ["", source(record)]) + "\n"
    return VALUE.sub(lambda match: match[1] + value(*match.groups()[1:]), BLOCK.sub(block, text))
