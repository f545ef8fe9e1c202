# SPDX-License-Identifier: Apache-2.0
"""Functional coverage as `mxe cosim --coverage` writes it."""
import dataclasses
import json
import pathlib


@dataclasses.dataclass
class Group:
    name: str
    about: str
    short_run: str  # "some" or "all" bins
    bins: dict[str, int]
    reasons: dict[str, str] = dataclasses.field(default_factory=dict)  # why bins were not reached

    def unreached(self) -> list[str]:
        return [name for name, count in self.bins.items() if count == 0]

    def unexplained(self) -> list[str]:
        return [name for name in self.unreached() if name not in self.reasons]

    def reached(self) -> int:
        return len(self.bins) - len(self.unreached())

    def satisfies_short_run(self) -> bool:
        return not self.unreached() if self.short_run == "all" else self.reached() > 0


def read_bins(path: pathlib.Path, groups: dict[str, Group]) -> None:
    for entry in json.loads(path.read_text(encoding="utf-8"))["groups"]:
        group = groups.setdefault(
            entry["name"], Group(entry["name"], entry["about"], entry["short_run"], {}))
        for name, count in entry["bins"].items():
            group.bins[name] = group.bins.get(name, 0) + count
