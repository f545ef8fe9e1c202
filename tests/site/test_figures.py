# SPDX-License-Identifier: Apache-2.0
"""The pictures are those of their script, and the block diagram has one link for each module of the architecture's table."""
import collections
import pathlib
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ET

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIGURES = ROOT / "docs/figures"
LINK = re.compile(r'href="([^"#]+)')
DIAGRAM = re.compile(r"^```\{wavedrom\} figures/(\w+)\.json$", re.MULTILINE)


def modules_of(page):
    table = page.partition("| block | file | function |")[2].partition("\n\n")[0]
    return {module for row in table.splitlines()[2:] for module in re.findall(r"`(mxe_\w+)`", row.split("|")[2])}


def wrong_diagrams(drawn, pages):
    """Messages for timing diagrams that are not on exactly one of the pages, given by their texts."""
    shown = collections.Counter(name for page in pages for name in DIAGRAM.findall(page))
    return sorted(f"{name}.json: on {shown[name]} pages" for name in drawn | set(shown)
                  if shown[name] != 1 or name not in drawn)


def wrong_links(modules, drawing):
    """Messages for modules without exactly one link to their file, and for other links."""
    links = collections.Counter(link for link in LINK.findall(drawing) if link.endswith(".sv"))
    files = {f"../../rtl/{module}.sv" for module in modules}
    return sorted([f"{file}: {links[file]} links" for file in files if links[file] != 1]
                  + [f"{link}: not in the table" for link in links if link not in files])


class Figures(unittest.TestCase):
    def test_files_are_those_of_the_script(self):
        done = subprocess.run([sys.executable, FIGURES / "draw.py", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_files_are_xml(self):
        for path in sorted(FIGURES.glob("*.svg")):
            ET.parse(path)

    def test_links_lead_to_files(self):
        for path in sorted(FIGURES.glob("*.svg")):
            for link in LINK.findall(path.read_text(encoding="utf-8")):
                self.assertTrue((FIGURES / link).resolve().exists(), f"{path.name}: {link}")

    def test_each_timing_diagram_is_on_one_page(self):
        drawn = set(re.findall(r'^    Diagram\("(\w+)"', (FIGURES / "waves.py").read_text(encoding="utf-8"), re.MULTILINE))
        self.assertEqual(drawn, {"pass", "job", "abort"})
        self.assertEqual(drawn, {path.stem for path in FIGURES.glob("*.json")})
        pages = [page.read_text(encoding="utf-8") for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("**/*.md")]]
        self.assertEqual(wrong_diagrams(drawn, pages), [])

    def test_a_missing_a_repeated_and_an_unknown_diagram_are_found(self):
        pages = ["```{wavedrom} figures/a.json\nA.\n```\n", "```{wavedrom} figures/a.json\n```{wavedrom} figures/x.json\n"]
        self.assertEqual(wrong_diagrams({"a", "b"}, pages),
                         ["a.json: on 2 pages", "b.json: on 0 pages", "x.json: on 1 pages"])

    def test_each_module_has_one_link(self):
        modules = modules_of((ROOT / "docs/architecture.md").read_text(encoding="utf-8"))
        self.assertGreater(len(modules), 40)
        self.assertEqual(wrong_links(modules, (FIGURES / "engine.svg").read_text(encoding="utf-8")), [])

    def test_a_missing_and_a_repeated_link_are_found(self):
        drawing = '<a href="../../rtl/mxe_a.sv"><a href="../../rtl/mxe_a.sv"><a href="../../rtl/mxe_x.sv">'
        self.assertEqual(wrong_links({"mxe_a", "mxe_b"}, drawing),
                         ["../../rtl/mxe_a.sv: 2 links", "../../rtl/mxe_b.sv: 0 links", "../../rtl/mxe_x.sv: not in the table"])


if __name__ == "__main__":
    unittest.main()
