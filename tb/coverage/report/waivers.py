# SPDX-License-Identifier: Apache-2.0
"""Bins and points that need not be reached, with reasons (waivers.toml).

A waiver names a bin, or a point of the RTL by its file, its kind and part of its line's text, so that
it does not depend on line numbers. An unused waiver is an error.
"""
import dataclasses
import fnmatch
import pathlib

import bins
import lines
import tomllib


class WaiverError(Exception):
    """Invalid waiver file."""


@dataclasses.dataclass(frozen=True)
class PointWaiver:
    file: str
    kind: str
    text: str  # part of the line
    reason: str

    def __str__(self) -> str:
        return f"{self.file}, {self.kind} of '{self.text}'"


@dataclasses.dataclass(frozen=True)
class BinWaiver:
    group: str
    bin: str  # `*` matches any text
    reason: str

    def __str__(self) -> str:
        return f"group '{self.group}', bin '{self.bin}'"


@dataclasses.dataclass
class Waivers:
    points: list[PointWaiver]
    bins: list[BinWaiver]


def read(path: pathlib.Path) -> Waivers:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        found = Waivers([PointWaiver(**entry) for entry in content.pop("point", [])],
                        [BinWaiver(**entry) for entry in content.pop("bin", [])])
    except (tomllib.TOMLDecodeError, TypeError) as error:
        raise WaiverError(f"{path}: {error}") from error
    if content:
        raise WaiverError(f"{path}: unknown '{next(iter(content))}' (allowed: point, bin)")
    return found


def apply(waivers: Waivers, groups: list[bins.Group], files: list[lines.SourceFile]) -> list[str]:
    """Adds the reasons to unreached bins and points. Returns a list of invalid or unused waivers."""
    complaints = [c for w in waivers.bins for c in _apply_bin(w, groups)]
    if files:
        complaints += [c for w in waivers.points for c in _apply_point(w, files)]
    return complaints


def _apply_bin(waiver: BinWaiver, groups: list[bins.Group]) -> list[str]:
    named = [g for g in groups if g.name == waiver.group]
    if not named:
        return [f"the waiver of {waiver} names no group"]
    matching = fnmatch.filter(named[0].bins, waiver.bin)
    if not matching:
        return [f"the waiver of {waiver} names no bin"]
    reached = [name for name in matching if named[0].bins[name] > 0]
    named[0].reasons.update({name: waiver.reason for name in matching if name not in reached})
    return [f"the waiver of {waiver} is not needed: '{name}' was reached" for name in reached]


def _apply_point(waiver: PointWaiver, files: list[lines.SourceFile]) -> list[str]:
    source = next((f for f in files if f.name == waiver.file), None)
    if source is None:
        return [f"the waiver of {waiver} names no file of the RTL"]
    matching = [p for p in source.points
                if p.place.kind == waiver.kind and waiver.text in source.text[p.place.line - 1]]
    if not matching:
        return [f"the waiver of {waiver} matches nothing"]
    for point in matching:
        if point.count == 0:
            point.reason = waiver.reason
    return [f"the waiver of {waiver} is not needed: line {p.place.line} was reached"
            for p in matching if p.count > 0]
