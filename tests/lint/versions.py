#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the version number has one source: project() in the root's CMakeLists.txt.

    versions.py --root DIR

Findings: another copy, for example `version = "1.2.3"` or `mxe-1.2.3` while the version is 1.2.3; and another version
in the newest heading of CHANGELOG.md or the argument of find_package. Exit status: 0, or 1 with a line for each.
"""
import argparse
import pathlib
import re
import sys

PROJECT = re.compile(r"^project\(mxe VERSION (\d+)\.(\d+)\.(\d+)", re.MULTILINE)
HEADING = re.compile(r"^## \[?(\d+\.\d+\.\d+)", re.MULTILINE)
FIND_PACKAGE = re.compile(r"find_package\(mxe (\d[\d.]*)")
EXEMPT = {"rtl/mxe.core",  # generated; rtl.packages_are_current compares it
          "tests/lint/test_versions.py"}  # examples
SUFFIXES = {"", ".bib", ".c", ".cff", ".cmake", ".cpp", ".core", ".f", ".h", ".in", ".json", ".md", ".py", ".sh", ".sv",
            ".svh", ".toml", ".txt", ".xml", ".yaml", ".yml"}
OUTSIDE = {"node_modules", "__pycache__", "Testing", "cosim-failures"}


def texts(root):
    """(path from the root, text) of each file that may contain a version."""
    for path in sorted(root.iterdir()):
        hidden = path.name.startswith(".") and path.name != ".ci"
        if path.is_dir():
            if not hidden and path.name not in OUTSIDE and not path.name.startswith("build"):
                yield from ((f"{path.name}/{name}", text) for name, text in texts(path))
        elif not hidden and path.suffix in SUFFIXES and path.stat().st_size < 1_000_000:
            yield path.name, path.read_text(encoding="utf-8", errors="replace")


def findings(root):
    found = PROJECT.search((root / "CMakeLists.txt").read_text(encoding="utf-8"))
    if not found:
        yield "CMakeLists.txt: no version; expected: project(mxe VERSION MAJOR.MINOR.PATCH ...)"
        return
    major, minor, patch = found.groups()
    version = f"{major}.{minor}.{patch}"
    copy = re.compile(rf"(?:mxe|version)[\W_]{{0,8}}(?:(?:is|version)\W{{1,3}})?v?{re.escape(version)}(?![\w.]*\d)",
                      re.IGNORECASE)
    for name, text in texts(root):
        for number, line in enumerate(text.splitlines() if name not in EXEMPT else (), 1):
            if not PROJECT.match(line) and copy.search(line):
                yield f"{name}:{number}: a copy of the version {version}; read it from CMakeLists.txt"
            wanted = FIND_PACKAGE.search(line)
            if wanted and wanted[1] not in (major, f"{major}.{minor}"):
                yield f"{name}:{number}: find_package(mxe {wanted[1]}); allowed: {major}, {major}.{minor}"
    newest = HEADING.search((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    if not newest or newest[1] != version:
        yield f"CHANGELOG.md: the newest version is {newest and newest[1]}; allowed: {version}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    found = list(findings(parser.parse_args().root))
    print("\n".join(found + [f"{len(found)} findings"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
