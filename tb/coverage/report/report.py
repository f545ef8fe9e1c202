#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Merges the results of `mxe cosim --coverage` runs, writes coverage.json and coverage.html, and checks
the goals: every bin is reached or waived, at least 98 % of the RTL's lines are reached, and every other
line and branch is waived. Exit status: 0 goals met, 1 goals missed, 2 invalid input."""
import argparse
import json
import pathlib
import sys

import bins
import jinja2
import lines
import waivers

HERE = pathlib.Path(__file__).resolve().parent
RTL = HERE.parents[2] / "rtl"
WAIVERS = HERE.parent / "waivers.toml"
LEAST_LINES = 0.98
MOST_PRINTED = 25


class Coverage:
    def __init__(self, runs: list[pathlib.Path], rtl: pathlib.Path, waiver_file: pathlib.Path,
                 short: bool) -> None:
        groups: dict[str, bins.Group] = {}
        points: dict[lines.Place, lines.Point] = {}
        for run in runs:
            bins.read_bins(run / "bins.json", groups)
            if (run / "lines.dat").exists():
                lines.read_points(run / "lines.dat", points)
        self.groups = list(groups.values())
        self.files = lines.read_sources(rtl, points) if points else []
        self.complaints = waivers.apply(waivers.read(waiver_file), self.groups, self.files)
        self.complaints += self.short_gaps() if short else self.gaps()

    def short_gaps(self) -> list[str]:
        return [f"group '{g.name}': nothing reached" if g.reached() == 0 else
                f"group '{g.name}': not reached: {', '.join(g.unreached())}"
                for g in self.groups if not g.satisfies_short_run()]

    def gaps(self) -> list[str]:
        found = [f"group '{g.name}': '{name}' is not reached, and no reason given"
                 for g in self.groups for name in g.unexplained()]
        for file in self.files:
            found += [f"{file.name}:{p.place.line}: {p.place.kind} is not reached, and no reason given"
                      for p in file.points if p.count == 0 and not p.reason]
        reached, measured = self.line_totals()
        if measured and reached < LEAST_LINES * measured:
            found.append(f"{reached} of {measured} lines reached, fewer than {LEAST_LINES:.0%}")
        return found

    def line_totals(self) -> tuple[int, int]:
        counts = [line_counts(f) for f in self.files]
        return sum(c[0] for c in counts), sum(c[1] for c in counts)

    def branch_totals(self) -> tuple[int, int]:
        counts = [branch_counts(f) for f in self.files]
        return sum(c[0] for c in counts), sum(c[1] for c in counts)

    def bin_totals(self) -> tuple[int, int]:
        return sum(g.reached() for g in self.groups), sum(len(g.bins) for g in self.groups)


def line_counts(file: lines.SourceFile) -> tuple[int, int]:
    """Lines with all points reached, and lines with points."""
    points = file.points_of_line()
    return sum(all(p.count > 0 for p in of_line) for of_line in points.values()), len(points)


def branch_counts(file: lines.SourceFile) -> tuple[int, int]:
    branches = [p for p in file.points if p.is_branch]
    return sum(p.count > 0 for p in branches), len(branches)


def annotated(file: lines.SourceFile) -> list[dict]:
    """The source lines with their counts and notes for the page."""
    points = file.points_of_line()
    missed = {}
    for point in file.points:
        if point.count == 0:
            missed.setdefault(point.place.line, []).append(point)
    rows = []
    for number, text in enumerate(file.text, 1):
        of_line = points.get(number, [])
        notes = [f"{p.place.kind}: {p.reason or 'not reached'}" for p in missed.get(number, [])]
        below = [p for p in of_line if p.count == 0]
        state = ""
        if below or number in missed:
            unexplained = [p for p in below + missed.get(number, []) if not p.reason]
            state = "missed" if unexplained else "waived"
        elif of_line:
            state = "reached"
        rows.append({"number": number, "text": text, "state": state, "notes": notes,
                     "count": min((p.count for p in of_line), default=None)})
    return rows


def share(reached: int, total: int) -> str:
    return f"{100 * reached / total:.2f} %" if total else "-"


def to_json(coverage: Coverage) -> dict:
    totals = {"bins": coverage.bin_totals(), "lines": coverage.line_totals(),
              "branches": coverage.branch_totals()}
    return {
        **{name: {"reached": reached, "of": total} for name, (reached, total) in totals.items()},
        "complaints": coverage.complaints,
        "groups": [{"name": g.name, "about": g.about, "bins": g.bins, "reasons": g.reasons}
                   for g in coverage.groups],
        "files": [{"name": f.name,
                   "lines": dict(zip(("reached", "of"), line_counts(f))),
                   "branches": dict(zip(("reached", "of"), branch_counts(f))),
                   "unreached": [{"line": p.place.line, "kind": p.place.kind, "reason": p.reason}
                                 for p in f.points if p.count == 0]} for f in coverage.files],
    }


def to_html(coverage: Coverage) -> str:
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE), autoescape=True,
                                     trim_blocks=True, lstrip_blocks=True,
                                     undefined=jinja2.StrictUndefined)
    files = [{"name": f.name, "lines": line_counts(f), "branches": branch_counts(f),
              "rows": annotated(f)} for f in coverage.files]
    return environment.get_template("page.html").render(
        coverage=coverage, files=files, share=share)


def print_summary(coverage: Coverage) -> None:
    for name, (reached, total) in (("bins", coverage.bin_totals()),
                                   ("lines of the RTL", coverage.line_totals()),
                                   ("branches of the RTL", coverage.branch_totals())):
        print(f"{name:20} {reached:5} of {total:5}  {share(reached, total):>9}")
    for complaint in coverage.complaints[:MOST_PRINTED]:
        print(complaint, file=sys.stderr)
    if len(coverage.complaints) > MOST_PRINTED:
        print(f"and {len(coverage.complaints) - MOST_PRINTED} more, see the page", file=sys.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", type=pathlib.Path, metavar="RUN",
                        help="directory that mxe cosim --coverage wrote")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="directory to write to")
    parser.add_argument("--short", action="store_true",
                        help="ask only for what a short run must reach")
    parser.add_argument("--rtl", type=pathlib.Path, default=RTL)
    parser.add_argument("--waivers", type=pathlib.Path, default=WAIVERS)
    arguments = parser.parse_args()
    try:
        coverage = Coverage(arguments.runs, arguments.rtl, arguments.waivers, arguments.short)
    except (OSError, ValueError, KeyError, waivers.WaiverError) as error:
        print(f"coverage: {error}", file=sys.stderr)
        return 2
    arguments.output.mkdir(parents=True, exist_ok=True)
    (arguments.output / "coverage.json").write_text(json.dumps(to_json(coverage), indent=1) + "\n",
                                                    encoding="utf-8")
    (arguments.output / "coverage.html").write_text(to_html(coverage), encoding="utf-8")
    print_summary(coverage)
    return 1 if coverage.complaints else 0


if __name__ == "__main__":
    sys.exit(main())
