# SPDX-License-Identifier: Apache-2.0
"""The names that a test plan may use, read from the sources and from a build."""
import dataclasses
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Folders of case files, and the test of ctest that runs them.
CASES = {"tests/cosim/cases": "cosim.directed", "tests/cosim/odd_cases": "CoSim/OddCases.Agree/{}",
         "tests/coverage/narrow": "coverage.narrow"}
NOT_IN_CI = {"long_ring"}  # on a design that takes minutes to compile (docs/assurance.md)
NOT_BUILT = "_NOT_BUILT"  # suffix of a program's test before the program is built


class Unreadable(Exception):
    """A source or a build does not have the expected form."""


@dataclasses.dataclass
class Names:
    """`bins` and `tests` are None if they are unknown: without a program, without a build."""

    headings: dict[str, set[str]]  # by page
    registers: set[str]
    descriptor: set[str]
    values: set[str]
    modules: set[str]
    cases: dict[str, str]  # and the test that runs each
    random: set[str]
    proofs: dict[str, list[str]]  # and the faults that each must find
    faults: set[str]
    bins: dict[str, list[str]] | None = None  # by group
    tests: set[str] | None = None


def text_of(root: pathlib.Path, path: str) -> str:
    try:
        return (root / path).read_text(encoding="utf-8")
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from error


def headings(text: str) -> set[str]:
    """The anchors of a page's headings, as its links name them. Example: "Soft reset" is soft-reset."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def names_of_fields(registers) -> set[str]:
    """REGISTER, or REGISTER.field if it has several; a counter of two words has one name."""
    found = set()
    for register in registers:
        whole = len(register.fields) == 1 and register.fields[0].is_whole_register
        name = register.counter or register.name
        found |= {name} if whole else {f"{name}.{field.name}" for field in register.fields if not field.reserved}
    return found


def description(root: pathlib.Path) -> tuple[set[str], set[str], set[str]]:
    """The fields of the registers, the fields of the descriptor, and the values of all enumerations."""
    sys.path.insert(0, str(root / "model/regs"))
    from exporters import model
    sys.path.pop(0)
    blocks = [model.read_block(root / "model/regs/mxe.rdl", top) for top in ("mxe_regs", "mxe_descriptor")]
    values = {f"{name}.{value.name}" for block in blocks for name, enum in block.enums.items() for value in enum}
    registers, descriptor = (names_of_fields(block.registers) for block in blocks)
    return registers, descriptor, values


FIELD = re.compile(r'\bfield\("(\w+)"((?:,\s*[&\w:]+)+)\)')
GENERATORS = ("tb/regression/case_generator.cpp", "tb/cosim/job_generator.cpp")


def random_keys(root: pathlib.Path) -> set[str]:
    """The keys of case files that random cases set, and the kinds of data that they draw, as "values: KIND"."""
    fields = "".join(text_of(root, path) for path in ("tb/cosim/batch.h", "tb/cosim/job_spec.h",
                                                      "tb/regression/cosim_case.h"))
    generators = "".join(text_of(root, path) for path in GENERATORS)
    found = set()
    for key, path in FIELD.findall(fields):
        members = re.findall(r"&[\w:]*::(\w+)|\b(requant)\b", path)
        chain = r"\.".join(one or other for one, other in members[-2:])
        if re.search((r"\b" if len(members) > 1 else r"(?:\.|::)") + chain + r"\b", generators):
            found.add(key)
    drawn = re.search(r"kRandomValues = \{(.*?)\};", text_of(root, "tb/cosim/job_spec.h"), re.DOTALL)
    if not found or not drawn:
        raise Unreadable("tb/cosim/job_spec.h: no fields of case files, or no kRandomValues")
    return found | {f"values: {kind}" for kind in re.findall(r"Values::(\w+)", drawn[1])}


def proofs(text: str) -> dict[str, list[str]]:
    """The proofs of proofs.cmake, with their faults; a proof in a foreach is one for each value."""
    found: dict[str, list[str]] = {}
    variable, values = "", [""]
    for line in text.splitlines():
        if match := re.match(r"foreach\((\w+) ([^)]*)\)", line):
            variable, values = match[1], match[2].split()
        elif line.startswith("endforeach"):
            variable, values = "", [""]
        elif match := re.match(r"\s*mxe_proof\(([\w${}]+) ", line):
            for value in values:
                found[match[1].replace("${" + variable + "}", value)] = []
        elif match := re.match(r"mxe_proof_fault\((\w+) ", line):
            found[list(found)[-1]].append(match[1])
    return found


def cases(root: pathlib.Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for folder, test in CASES.items():
        for path in sorted((root / folder).glob("*.json")):
            if path.stem in found:
                raise Unreadable(f"{folder}/{path.name}: a case in another folder has this name")
            found[path.stem] = test.format(path.stem)
    return found


def modules(root: pathlib.Path) -> set[str]:
    return {name for path in (root / "rtl").glob("*.sv")
            for name in re.findall(r"^module (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)}


PAGES = ("registers", "architecture", "numerics", "model", "driver")


def of_sources(root: pathlib.Path = ROOT) -> Names:
    registers, descriptor, values = description(root)
    faults = re.findall(r"^mxe_fault\(\d+ (\w+) ", text_of(root, "tests/faults/faults.cmake"), re.MULTILINE)
    return Names(headings={f"{page}.md": headings(text_of(root, f"docs/{page}.md")) for page in PAGES},
                 registers=registers, descriptor=descriptor, values=values, modules=modules(root),
                 cases=cases(root), random=random_keys(root), proofs=proofs(text_of(root, "tests/formal/proofs.cmake")),
                 faults=set(faults))


# ------------------------------------------------------------------------------------------- a build
ADD_TEST = re.compile(r'\badd_test\(\s*(?:\[(=*)\[(.*?)\]\1\]|"([^"]+)"|([^\s)]+))')
INCLUDE = re.compile(r'include\("([^"]+)"\)')


def tests_of_build(folder: pathlib.Path) -> set[str]:
    """The names in the files that ctest reads; ctest itself would disturb a run in the same folder."""
    path = folder / "CTestTestfile.cmake"
    if not path.exists():
        raise Unreadable(f"{path}: no such file; `cmake --preset release` writes it")
    found: set[str] = set()
    waiting, seen = [path], set()
    while waiting:
        path = waiting.pop()
        if path in seen or not path.exists():
            continue
        seen.add(path)
        text = path.read_text(encoding="utf-8")
        included = [pathlib.Path(name) for name in INCLUDE.findall(text)]
        built = any(one.exists() for one in included)  # else CMake's file has the test PROGRAM_NOT_BUILT
        found |= {name for match in ADD_TEST.finditer(text) if (name := match[2] or match[3] or match[4])
                  and not (built and name.endswith(NOT_BUILT))}
        waiting += included
        waiting += [path.parent / name / "CTestTestfile.cmake" for name in re.findall(r'subdirs\("([^"]+)"\)', text)]
    return found


def bins_of_program(mxe: pathlib.Path, root: pathlib.Path = ROOT) -> dict[str, list[str]]:
    """All bins by group, as the smallest case writes them."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([mxe, "cosim", "--coverage", folder, "--failures", folder, "--case",
                               root / "tests/cosim/cases/one_by_one.json"], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Unreadable(f"{mxe} cosim: exit status {done.returncode}: {done.stderr.strip()}")
        groups = json.loads(pathlib.Path(folder, "bins.json").read_text(encoding="utf-8"))["groups"]
    return {group["name"]: list(group["bins"]) for group in groups}
