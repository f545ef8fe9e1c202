# SPDX-License-Identifier: Apache-2.0
"""The build of the site finds dead links of each kind, in a site of one page."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPHINX = ROOT / ".venv-docs/bin/sphinx-build"
sys.path.insert(0, str(ROOT / "docs/site"))

import check_links  # noqa: E402

GOOD = """# Page

[this page](#page), [a source](../CMakeLists.txt), [a folder](figures), [the web](https://example.org/none).

![A box](figures/box.svg)
"""
BOX = '<svg xmlns="http://www.w3.org/2000/svg"><a href="{}"><text>box</text></a></svg>\n'


class Build(unittest.TestCase):
    def build(self, page, box="../index.md#page"):
        """The exit status of Sphinx, its warnings, and the dead links in the site."""
        with tempfile.TemporaryDirectory(prefix="mxe_site_") as name:
            root = pathlib.Path(name)
            shutil.copytree(ROOT / "docs/site", root / "docs/site")
            shutil.copy(ROOT / "docs/conf.py", root / "docs")
            shutil.copy(ROOT / "CMakeLists.txt", root)
            (root / "docs/index.md").write_text(page, encoding="utf-8")
            (root / "docs/figures").mkdir()
            shutil.copy(ROOT / "docs/figures/svg.py", root / "docs/figures")
            (root / "docs/figures/box.svg").write_text(BOX.format(box), encoding="utf-8")
            done = subprocess.run([SPHINX, "--fail-on-warning", "--keep-going", "--quiet", "-c", "docs",
                                   "-D", "extensions=myst_parser,source_pages,figures", ".", "out"],
                                  cwd=root, capture_output=True, text=True, check=False)
            return done.returncode, done.stderr, [link for _, _, link, _ in check_links.dead_links(root / "out")]

    def test_a_true_page(self):
        self.assertEqual(self.build(GOOD), (0, "", []))

    def test_links_that_lead_nowhere(self):
        status, warnings, dead = self.build(
            GOOD + "\n[1](no_page.md) [2](#no_heading) [3](../no_source.sv)\n", "../../no_module.sv")
        self.assertEqual(status, 1)
        self.assertEqual(warnings.count("WARNING"), 4, warnings)
        for target in ("no_page.md", "no_heading", "no_source.sv", "no_module.sv"):
            self.assertIn(target, warnings)
        self.assertIn("../../no_module.sv", dead)

    def test_an_anchor_of_a_picture_that_leads_nowhere(self):
        self.assertEqual(self.build(GOOD, "../index.md#no_heading"), (0, "", ["#no_heading"]))


class Links(unittest.TestCase):
    def test_kinds_of_links(self):
        with tempfile.TemporaryDirectory() as name:
            site = pathlib.Path(name).resolve()
            (site / "b.html").write_text('<p id="there">text</p>', encoding="utf-8")
            (site / "a.html").write_text(
                '<a href="b.html#there">1</a>\n<a href="https://example.org">2</a>\n<a href="b.html#nowhere">3</a>\n'
                '<img src="none.png">\n<svg><a href="#none"></a></svg>\n', encoding="utf-8")
            self.assertEqual([(path.name, line, link) for path, line, link, _ in check_links.dead_links(site)],
                             [("a.html", 3, "b.html#nowhere"), ("a.html", 4, "none.png"), ("a.html", 5, "#none")])


if __name__ == "__main__":
    if not SPHINX.exists():
        print("skipped: no .venv-docs, which scripts/docs makes")
        sys.exit(77)
    unittest.main()
