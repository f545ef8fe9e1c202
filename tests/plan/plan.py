#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the test plan, plan.yaml: every name in it exists, each feature has two kinds of verification, and nothing of
the interface, of the coverage, of the directed cases, of the proofs and of the planted faults is without a feature.

    .venv/bin/python tests/plan/plan.py                         checks the names of the sources, and docs/test-plan.md
    ... --build build --mxe build/mxe                           also the names of the tests and of the bins
    ... --results build/junit.xml [--coverage coverage.json]    also that the tests of each feature ran and passed, and
                                                                that its bins were reached; needs --build
    ... --write                                                 writes docs/test-plan.md

Exit status: 0; 1 with a line for each finding; 2 for a wrong argument or a file that cannot be read.
"""
import argparse
import dataclasses
import fnmatch
import json
import pathlib
import re
import sys
from xml.etree import ElementTree as ET

import names
import yaml
from names import ROOT, Names, Unreadable

PLAN = pathlib.Path(__file__).resolve().parent / "plan.yaml"
PAGE = ROOT / "docs/test-plan.md"
CLAIMS = ("registers", "descriptor", "values", "modules")
KINDS = {"bins": "coverage", "cases": "directed cases", "random": "random cases", "proofs": "proofs",
         "faults": "planted faults", "tests": "tests"}


@dataclasses.dataclass
class Item:
    """A feature: where its rule is, the parts of the interface that belong to it, and its verification by kind."""

    feature: str
    section: str
    rules: list[str]
    only: str = ""  # reason for a single kind
    registers: list[str] = dataclasses.field(default_factory=list)
    descriptor: list[str] = dataclasses.field(default_factory=list)
    values: list[str] = dataclasses.field(default_factory=list)
    modules: list[str] = dataclasses.field(default_factory=list)
    bins: list[str] = dataclasses.field(default_factory=list)
    cases: list[str] = dataclasses.field(default_factory=list)
    random: list[str] = dataclasses.field(default_factory=list)
    proofs: list[str] = dataclasses.field(default_factory=list)
    faults: list[str] = dataclasses.field(default_factory=list)
    tests: list[str] = dataclasses.field(default_factory=list)

    def kinds(self) -> list[str]:
        return [kind for kind in KINDS if getattr(self, kind)]


# ----------------------------------------------------------------------------------------- the file
class Loader(yaml.SafeLoader):
    """Refuses a key that occurs twice."""

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise Unreadable(f"line {node.start_mark.line + 1}: the key '{key}' occurs twice; allowed: once")
        return super().construct_mapping(node, deep)


def item_of(section: str, entry: dict) -> Item:
    allowed = [field.name for field in dataclasses.fields(Item) if field.name != "section"]
    place = f"'{entry.get('feature', '?')}' of '{section}'"
    for key, value in entry.items():
        if key not in allowed:
            raise Unreadable(f"{place}: unknown key '{key}'; allowed: {', '.join(allowed)}")
        texts = [value] if key in ("feature", "only") else value
        if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text for text in texts):
            raise Unreadable(f"{place}: '{key}' is {value!r}; allowed: "
                             f"{'text' if key in ('feature', 'only') else 'a list of texts'}")
        if len(set(texts)) != len(texts):
            raise Unreadable(f"{place}: '{key}' names something twice; allowed: once")
    if missing := {"feature", "rules"} - set(entry):
        raise Unreadable(f"{place}: no key '{min(missing)}'")
    return Item(section=section, **entry)


def read(text: str) -> list[Item]:
    try:
        data = yaml.load(text, Loader)
    except yaml.YAMLError as error:
        raise Unreadable(" ".join(str(error).split())) from error
    if not isinstance(data, dict) or not all(isinstance(section, list) for section in data.values()):
        raise Unreadable("allowed: sections, each a list of features")
    for section, entries in data.items():
        if not all(isinstance(entry, dict) for entry in entries):
            raise Unreadable(f"'{section}': allowed: features with keys")
    items = [item_of(section, entry) for section, entries in data.items() for entry in entries]
    features = [item.feature for item in items]
    for feature in features:
        if features.count(feature) > 1:
            raise Unreadable(f"the feature '{feature}' occurs twice; allowed: once")
    return items


# --------------------------------------------------------------------------------------- the checks
def matching_bins(pattern: str, bins: dict[str, list[str]]) -> list[tuple[str, str]]:
    """GROUP, or "GROUP: PATTERN" for some of its bins."""
    group, _, bin_pattern = pattern.partition(": ")
    return [(group, name) for name in bins.get(group, []) if fnmatch.fnmatchcase(name, bin_pattern or "*")]


def every_name(known: Names) -> dict:
    """The names by key, without patterns."""
    return {key: getattr(known, key) for key in (*CLAIMS, "cases", "random", "proofs", "faults")}


def unknown(item: Item, known: Names):
    """Yields a line for each name that does not exist."""
    for rule in item.rules:
        page, _, heading = rule.partition("#")
        if page not in known.headings:
            yield f"no page docs/{page}; allowed: {', '.join(known.headings)}"
        elif heading not in known.headings[page]:
            yield f"docs/{page} has no heading '{heading}'"
    for key, every in every_name(known).items():
        for name in getattr(item, key):
            if name not in every:
                yield f"{key}: '{name}' does not exist"
    for pattern in item.bins if known.bins is not None else ():
        if not matching_bins(pattern, known.bins):
            yield f"bins: nothing matches '{pattern}'"
    for pattern in item.tests if known.tests is not None else ():
        if not fnmatch.filter(known.tests, pattern):
            yield f"tests: nothing matches '{pattern}'"


def one_sided(item: Item):
    kinds = item.kinds()
    if len(kinds) < 2 and not item.only:
        found = ", ".join(kinds) or "none"
        yield f"kinds of verification: {found}; allowed: at least two, or one with 'only' and a reason"
    if len(kinds) != 1 and item.only:
        yield f"'only' with {len(kinds)} kinds; allowed: with one kind"


def unclaimed(items: list[Item], known: Names):
    """Yields a line for each name without a feature."""
    for key, every in every_name(known).items():
        if key == "random":
            continue  # many keys are settings of the testbench
        claimed = {name for item in items for name in getattr(item, key)}
        for name in sorted(set(every) - claimed):
            yield f"{key}: no feature has '{name}'"
    if known.bins is not None:
        claimed = {one for item in items for pattern in item.bins for one in matching_bins(pattern, known.bins)}
        for group, every in known.bins.items():
            missing = [name for name in every if (group, name) not in claimed]
            if missing:
                more = f" and {len(missing) - 1} more bins" if len(missing) > 1 else ""
                yield f"bins: no feature has '{group}: {missing[0]}'{more}"


def findings(items: list[Item], known: Names):
    for item in items:
        for line in (*unknown(item, known), *one_sided(item)):
            yield f"{item.feature}: {line}"
    yield from unclaimed(items, known)
    if known.tests is not None:
        if not_built := sorted(name for name in known.tests if name.endswith(names.NOT_BUILT)):
            yield f"not built, so that its tests are unknown: {', '.join(not_built)}"
        proved = {name.removeprefix("formal.") for name in known.tests if re.fullmatch(r"formal\.\w+", name)}
        if proved != set(known.proofs):
            yield f"proofs: ctest and proofs.cmake differ in {', '.join(sorted(proved ^ set(known.proofs)))}"


# ------------------------------------------------------------------------------------- what has run
def tests_of(item: Item, known: Names) -> set[str]:
    """The tests of ctest that run the verification of a feature."""
    found = {name for pattern in item.tests for name in fnmatch.filter(known.tests, pattern)}
    found |= {known.cases[case] for case in item.cases if case not in names.NOT_IN_CI}
    for proof in item.proofs:
        found |= {f"formal.{proof}", *(f"formal.{proof}.{fault}" for fault in known.proofs[proof])}
    if item.bins:
        found.add("coverage.short")
    if item.random:
        found |= {"cosim.random_small", "cosim.random_base"}
    if item.faults:
        found.add("mutation.planted")
    return found


def outcomes(path: pathlib.Path) -> dict[str, str]:
    """The outcome of each test in junit.xml of ctest. LastTest.log has none: it says "Test Passed." of skipped tests."""
    try:
        cases = list(ET.fromstring(path.read_text(encoding="utf-8", errors="replace")).iter("testcase"))
    except ET.ParseError as error:
        raise Unreadable(f"{path}: {error}; allowed: a file of ctest's option --output-junit") from error
    if not cases:
        raise Unreadable(f"{path}: no test; allowed: a file of ctest's option --output-junit")
    words = {"run": "passed", "fail": "failed", "notrun": "skipped", "disabled": "skipped"}
    return {case.get("name"): words.get(case.get("status"), "failed") for case in cases}


def not_run(items: list[Item], known: Names, ran: dict[str, str]):
    for item in items:
        for test in sorted(tests_of(item, known)):
            outcome = ran.get(test, "absent")
            if outcome != "passed":
                yield f"{item.feature}: the test {test} is {outcome}; allowed: passed"


def reached(path: pathlib.Path) -> dict[str, list[str]]:
    """The bins that coverage.json of scripts/coverage counts, by group."""
    try:
        groups = json.loads(path.read_text(encoding="utf-8"))["groups"]
        return {group["name"]: [name for name, count in group["bins"].items() if count] for group in groups}
    except (ValueError, KeyError, TypeError) as error:
        raise Unreadable(f"{path}: not a coverage.json of scripts/coverage") from error


def not_reached(items: list[Item], counted: dict[str, list[str]]):
    for item in items:
        if item.bins and not any(matching_bins(pattern, counted) for pattern in item.bins):
            yield f"{item.feature}: none of its bins was reached"


# ----------------------------------------------------------------------------------------- the page
INTRODUCTION = """<!-- Generated by tests/plan/plan.py from tests/plan/plan.yaml. Do not edit. -->

# Test plan

For people who judge whether a feature is verified, and for developers who add a feature. After this page you can find the rule of each
feature, the parts of the interface that belong to it, and everything that verifies it.

The plan is data: [plan.yaml](../tests/plan/plan.yaml). [plan.py](../tests/plan/plan.py) checks it, and the tests `plan.sources` and
`plan.build` run it:

- Every name in the plan exists: headings, registers, fields, codes, modules, bins, cases, proofs, planted faults and tests.
- Each feature has at least two kinds of verification, or a reason for one.
- Every register, field, code, module of the RTL, bin, directed case, proof and planted fault belongs to a feature. A new register
  without a feature fails.

With the results of ctest, plan.py checks in addition that each feature's tests ran and passed. A skipped test is a finding, for example
`Soft reset: the test formal.cmd is skipped; allowed: passed`. To check your own run:

```sh
ctest --preset release --output-junit junit.xml
.venv/bin/python tests/plan/plan.py --build build --mxe build/mxe --results build/junit.xml --coverage build-rtl-coverage/report/coverage.json
```

To add a feature, add it to `plan.yaml`, and run `.venv/bin/python tests/plan/plan.py --write`.

| kind | names | runs in |
|---|---|---|
| coverage | groups of [bins](assurance.md#coverage), or some bins of a group after a colon; `*` is any text | `coverage.short`; all of them in `scripts/coverage` |
| directed cases | files of [tests/cosim/cases](../tests/cosim/cases), `odd_cases` and `tests/coverage/narrow` | `cosim.directed`, `CoSim/OddCases` (`long_ring` only [by hand](assurance.md#other-designs)), `coverage.narrow` |
| random cases | keys of [case files](verification.md#case-files) that a seed draws, or kinds of data | `cosim.random_small`, `cosim.random_base` |
| proofs | [proofs.cmake](../tests/formal/proofs.cmake); each proof also finds its faults | `formal.NAME` |
| planted faults | [faults.cmake](../tests/faults/faults.cmake) | `mutation.planted` |
| tests | tests of ctest; `*` is any text | themselves |

{features} features, with {registers} registers and fields, {descriptor} fields of the descriptor, {values} codes, {modules} modules,
{cases} directed cases, {proofs} proofs and {faults} planted faults.

## Overview

The number of names of each kind. One name may stand for several tests: `Params.*` counts as one.
"""


def anchor(title: str) -> str:
    return names.headings(f"# {title}\n").pop()


def overview(items: list[Item]) -> str:
    rows = [f"| [{item.feature}](#{anchor(item.feature)}) | "
            + " | ".join(str(len(getattr(item, kind)) or "") for kind in KINDS) + " |\n" for item in items]
    return f"| feature | {' | '.join(KINDS.values())} |\n|---|{'---:|' * len(KINDS)}\n" + "".join(rows)


def wrapped(parts: list[str]) -> str:
    return ", ".join(f"`{part}`" for part in parts)


def page(items: list[Item], known: Names) -> str:
    counts = {name: len(every) for name, every in every_name(known).items()}
    lines = [INTRODUCTION.format(features=len(items), **counts), overview(items)]
    section = ""
    for item in items:
        if item.section != section:
            section = item.section
            lines.append(f"## {section}\n")
        rules = ", ".join(f"[{rule.partition('#')[2]}]({rule})" for rule in item.rules)
        rows = [("rule", rules)]
        rows += [(name, wrapped(getattr(item, name))) for name in CLAIMS if getattr(item, name)]
        rows += [(KINDS[kind], wrapped(getattr(item, kind))) for kind in item.kinds()]
        rows += [("one kind, because", item.only)] if item.only else []
        lines.append(f"### {item.feature}\n\n| kind | names |\n|---|---|\n" + "".join(f"| {key} | {text} |\n" for key, text in rows))
    return "\n".join(lines)


# ------------------------------------------------------------------------------------- the program
def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, help="folder of the build, for the names of the tests")
    parser.add_argument("--mxe", type=pathlib.Path, help="the program mxe, for the names of the bins")
    parser.add_argument("--results", type=pathlib.Path, help="file of ctest's option --output-junit")
    parser.add_argument("--coverage", type=pathlib.Path, help="coverage.json of scripts/coverage")
    parser.add_argument("--write", action="store_true", help="write docs/test-plan.md")
    chosen = parser.parse_args()
    if chosen.results and not chosen.build:
        parser.error("--results needs --build")
    return chosen


def check(chosen: argparse.Namespace) -> list[str]:
    try:
        items = read(PLAN.read_text(encoding="utf-8"))
    except Unreadable as error:
        raise Unreadable(f"{PLAN.relative_to(ROOT)}: {error}") from error
    known = names.of_sources()
    if chosen.build:
        known.tests = names.tests_of_build(chosen.build)
    if chosen.mxe:
        known.bins = names.bins_of_program(chosen.mxe)
    found = list(findings(items, known))
    text = page(items, known)
    if chosen.write:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        found.append("docs/test-plan.md differs from plan.yaml: `.venv/bin/python tests/plan/plan.py --write` writes it")
    if chosen.results:
        found += not_run([] if found else items, known, outcomes(chosen.results))
    if chosen.coverage:
        found += not_reached(items, reached(chosen.coverage))
    return found


def main() -> int:
    chosen = arguments()
    try:
        found = check(chosen)
    except (Unreadable, OSError) as error:
        print(f"plan: {error}", file=sys.stderr)
        return 2
    for line in found:
        print(f"plan: {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
