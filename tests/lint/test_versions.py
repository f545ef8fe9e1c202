# SPDX-License-Identifier: Apache-2.0
"""versions.py reports a planted copy of the version, and a statement of another version."""
import pathlib
import tempfile
import unittest

import versions

CMAKE = "cmake_minimum_required(VERSION 3.25)\nproject(mxe VERSION 1.2.3 LANGUAGES C CXX)\n"
CHANGES = "# Changelog\n\n## [1.2.3] - 2027-01-01\n\n## [1.2.2] - 2026-12-01\n"


class Versions(unittest.TestCase):
    def check(self, files, cmake=CMAKE):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {"CMakeLists.txt": cmake, "CHANGELOG.md": CHANGES, **files}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            return list(versions.findings(root))

    def test_the_version_of_cmake_alone_is_no_finding(self):
        self.assertEqual([], self.check({"sw/python/peers.txt": "torchmx==1.2.3\n", "a.md": "127.1.2.3, mxe 11.2.3\n"}))

    def test_copies(self):
        for line in ('version = "1.2.3"', "name: ::mxe:1.2.3", "MODULE_VERSION(\"mxe 1.2.3\")", "mxe-1.2.3.tar.gz",
                     "__version__ = '1.2.3'", "The version is 1.2.3.", "apt install mxe=1.2.3"):
            with self.subTest(line):
                self.assertIn("sw/a.py:2: a copy", "".join(self.check({"sw/a.py": f"\n{line}\n"})))

    def test_a_description_that_is_generated(self):
        self.assertEqual([], self.check({"rtl/mxe.core": "name: ::mxe:1.2.3\n"}))

    def test_another_version_wanted(self):
        self.assertEqual([], self.check({"docs/a.md": "find_package(mxe 1.2 CONFIG)\nfind_package(mxe 1)\n"}))
        self.assertEqual(["docs/a.md:1: find_package(mxe 1.1); allowed: 1, 1.2"],
                         self.check({"docs/a.md": "find_package(mxe 1.1 CONFIG)\n"}))

    def test_the_changelog_has_another_version(self):
        self.assertEqual(["CHANGELOG.md: the newest version is 1.2.3; allowed: 1.3.0"],
                         self.check({}, CMAKE.replace("1.2.3", "1.3.0")))

    def test_no_version_in_cmake(self):
        self.assertIn("no version", self.check({}, "project(mxe)\n")[0])


if __name__ == "__main__":
    unittest.main()
