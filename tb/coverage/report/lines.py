# SPDX-License-Identifier: Apache-2.0
"""Line coverage of the RTL: Verilator's points and the source lines that they cover.

Verilator counts points: the start of an always block or function, and every branch of an if or case.
A point lists the lines that it covers; the implicit else of an if has none.
"""
import dataclasses
import pathlib
import re

# The lines for synthesis: SYNTHESIS is defined, FORMAL is not, and assertions are ignored.
MACRO = re.compile(r"`MXE_(ASSERT|REQUIRE|FORMAL_START)\b")
CONDITION = re.compile(r"`(ifdef|ifndef)\s+(\w+)")
DEFINED = {"SYNTHESIS"}
ALWAYS = re.compile(r"^\s*always_(ff|comb)\b")

ABSENT = "absent"  # kind of a point that no design of the run contained


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a point is: Verilator's line, column and kind (block, if, else, elsif, case)."""
    file: str
    line: int
    column: int
    kind: str


@dataclasses.dataclass
class Point:
    place: Place
    lines: tuple[int, ...]  # lines covered by the point
    count: int = 0
    reason: str = ""        # why the point need not be reached

    @property
    def is_branch(self) -> bool:
        return self.place.kind not in ("block", ABSENT)


@dataclasses.dataclass
class SourceFile:
    name: str
    text: list[str]
    points: list[Point]

    def points_of_line(self) -> dict[int, list[Point]]:
        found: dict[int, list[Point]] = {}
        for point in self.points:
            for line in point.lines:
                found.setdefault(line, []).append(point)
        return dict(sorted(found.items()))


def hardware_lines(text: list[str]) -> set[int]:
    """Line numbers (from 1) of the code for synthesis."""
    found = set()
    nesting: list[bool] = []  # result of each enclosing condition
    open_parentheses = 0      # of an assertion spanning several lines
    for number, line in enumerate(text, 1):
        condition = CONDITION.search(line)
        if condition:
            nesting.append((condition[2] in DEFINED) == (condition[1] == "ifdef"))
        elif "`else" in line:
            nesting[-1] = not nesting[-1]
        elif "`endif" in line:
            nesting.pop()
        elif open_parentheses > 0 or MACRO.search(line):
            code = line.split("//")[0]
            open_parentheses += code.count("(") - code.count(")")
        elif all(nesting):
            found.add(number)
    return found


def parse_ranges(text: str) -> tuple[int, ...]:
    """Parses "3,7-9" into 3, 7, 8, 9."""
    numbers: list[int] = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return tuple(numbers)


def read_points(path: pathlib.Path, points: dict[Place, Point]) -> None:
    """Adds the counts of a Verilator coverage file. All instances of a module share their points."""
    for line in path.read_text(encoding="latin-1").splitlines():
        if not line.startswith("C '"):
            continue
        name, _, count = line[3:].rpartition("' ")
        fields = dict(part.split("\x02", 1) for part in name.split("\x01") if part)
        place = Place(pathlib.PurePath(fields["f"]).name, int(fields["l"]), int(fields["n"]),
                      fields["o"])
        lines = parse_ranges(fields.get("S", ""))
        point = points.setdefault(place, Point(place, lines))
        point.lines = tuple(sorted(set(point.lines) | set(lines)))
        point.count += int(count)


def read_sources(rtl: pathlib.Path, points: dict[Place, Point]) -> list[SourceFile]:
    """All files of the RTL with their points. An always block without a point was in no design of the
    run; it counts as not reached."""
    files = []
    for path in sorted(rtl.glob("*.sv")):
        text = path.read_text(encoding="utf-8").splitlines()
        hardware = hardware_lines(text)
        own = [p for p in points.values() if p.place.file == path.name and p.place.line in hardware]
        known = {line for p in own for line in (p.place.line, *p.lines)}
        for number, line in enumerate(text, 1):
            if number in hardware and ALWAYS.match(line) and number not in known:
                own.append(Point(Place(path.name, number, 0, ABSENT), (number,)))
        own.sort(key=lambda p: (p.place.line, p.place.column, p.place.kind))
        files.append(SourceFile(path.name, text, own))
    return files
