#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/lint finds a planted fault of each kind in a small project, and nothing without one.

    test_lint.py --root DIR

Exit status 77 if PyPI, from which the tools are installed, cannot be reached.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path()
COPIED = ("scripts/lint", "scripts/lint_rtl.py", "scripts/requirements_lint.txt", "sw/python/pyproject.toml", "ruff.toml",
          ".clang-format", ".clang-tidy", ".cmake-format.yaml")
CLEAN = {
    "model/sum.cpp": "int sum(const int* values, int count) {\n  int total = 0;\n"
                     "  for (int i = 0; i < count; i++) total += values[i];\n  return total;\n}\n",
    "sw/python/mxe/__init__.py": '"""A package."""\nfrom . import _core\n\n\ndef twice(x: int) -> int:\n'
                                 "    return 2 * _core.once(x)\n",
    "build/_core.pyi": "def once(x: int) -> int: ...\n",
    "scripts/tool.py": 'import sys\n\nprint(sys.argv)\n',
    "scripts/run": '#!/bin/bash\nfor file in "$@"; do echo "$file"; done\n',
    "cmake/list.cmake": "set(list a b c)\n",
    "model/CMakeLists.txt": "add_subdirectory(blocks)\n",
    "model/regs/generated/list.cmake": "set( generated )\n",
}
# check: file, text, text of the fault, what the tool prints
FAULTS = [
    ("clang-format", "model/sum.cpp", "int total = 0;", "int total=0;", "clang-format-violations"),
    ("clang-tidy", "model/sum.cpp", "int total = 0;", "int* p = 0; int total = p ? 1 : 0;", "modernize-use-nullptr"),
    ("clang-tidy", "model/sum.cpp", "int total = 0;", "int Total = 0, total = Total;", "readability-identifier-naming"),
    ("ruff", "scripts/tool.py", "import sys\n", "import os\nimport sys\n", "F401"),
    ("ruff", "sw/python/mxe/__init__.py", "(x: int)", "(x: int, y: list = [])", "B006"),
    ("mypy", "sw/python/mxe/__init__.py", "(x: int) -> int", "(x: str) -> int", "arg-type"),
    ("mypy", "sw/python/mxe/__init__.py", "(x: int) -> int", "(x)", "no-untyped-def"),
    ("shellcheck", "scripts/run", '"$file"', "$file", "SC2086"),
    ("cmake-format", "cmake/list.cmake", "set(list a b c)", "set( list a b c )", "cmake/list.cmake"),
    ("cmake-format", "model/CMakeLists.txt", "(blocks)", "( blocks )", "model/CMakeLists.txt"),
]


class Lint(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        for name in COPIED:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        for name, text in CLEAN.items():
            self.write(name, text)
        for name in (".venv", ".venv-lint"):
            (self.root / name).symlink_to(ROOT / name)
        source = str(self.root / "model/sum.cpp")
        self.write("build/compile_commands.json", json.dumps(
            [{"directory": str(self.root), "file": source, "command": f"c++ -Wall -Wsome-option-of-gcc -c {source}"}]))

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text, encoding="utf-8")

    def lint(self, *arguments):
        return subprocess.run([self.root / "scripts/lint", *arguments], cwd=self.root, capture_output=True, text=True,
                              check=False)

    def test_nothing_is_found_without_a_fault(self):
        done = self.lint("--all", "--only", "clang-format,clang-tidy,ruff,mypy,shellcheck,cmake-format")
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertNotIn("not run", done.stdout)

    def test_each_fault_is_found(self):
        for check, name, text, fault, printed in FAULTS:
            with self.subTest(check=check, fault=fault):
                self.assertIn(text, CLEAN[name])
                self.write(name, CLEAN[name].replace(text, fault, 1))
                done = self.lint("--all", "--only", check)
                self.assertEqual(1, done.returncode, done.stdout + done.stderr)
                self.assertIn(printed, done.stdout)
                self.write(name, CLEAN[name])

    def test_only_the_named_files_are_checked(self):
        self.write("scripts/tool.py", "import os\n")
        self.assertEqual(0, self.lint("--only", "ruff", "sw/python/mxe/__init__.py").returncode)
        self.assertEqual(1, self.lint("--only", "ruff", "scripts/tool.py").returncode)

    def test_fix_writes(self):
        for check, name, text, fault, _ in FAULTS:
            if check in ("clang-format", "cmake-format") or name == "scripts/tool.py":
                self.write(name, CLEAN[name].replace(text, fault, 1))
        self.assertEqual(0, self.lint("--fix").returncode)
        for name in ("model/sum.cpp", "scripts/tool.py", "cmake/list.cmake", "model/CMakeLists.txt"):
            self.assertEqual(CLEAN[name], (self.root / name).read_text(encoding="utf-8"))

    def test_an_unknown_check_is_refused(self):
        done = self.lint("--only", "gofmt")
        self.assertEqual(2, done.returncode)
        self.assertIn("'gofmt' is no check; allowed: clang-format, ruff,", done.stderr)
        self.assertEqual(2, self.lint("--fix", "--only", "mypy").returncode)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    args, rest = parser.parse_known_args()
    ROOT = args.root.resolve()
    first = subprocess.run([ROOT / "scripts/lint", "--only", "ruff", "scripts/lint"], check=False)
    if first.returncode in (2, 77):
        sys.exit(first.returncode)
    unittest.main(argv=[sys.argv[0], *rest])
