# SPDX-License-Identifier: Apache-2.0
"""Tables and plots of the pages are those of docs/data; a changed number is found in each of them."""
import copy
import importlib.machinery
import importlib.util
import json
import pathlib
import re
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "docs/figures")]

import tables  # noqa: E402


def program(name):
    """The script NAME as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


area, figures = program("area"), program("figures")


def results():
    """The pages of results, and others with nothing but measurements."""
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    names = re.search(r":caption: Results\n:hidden:\n\n(.*?)\n```", index, re.DOTALL)[1].split()
    return [ROOT / f"docs/{name}.md" for name in [*names, "python-speed"]]


def changed(part, table, row, column, value):
    """The records of all parts, with one cell replaced."""
    load = tables.load

    def loaded(name):
        record = copy.deepcopy(load(name))
        if name == part:
            record["tables"][table]["rows"][row][column] = value
        return record
    return mock.patch.object(tables, "load", loaded)


MEASURED = re.compile(r"(?<![\w.,])\d(?:[\d.,]*\d)? ?(?:%|ns|ms|us|s|MHz|seconds?|minutes?|hours?|dB|M elements|[MG] products|"
                      r"times)(?!\w)")
# Figures of sentences that are no measurements: limits of tests, settings, definitions.
SETTINGS = {
    "assurance": {"2 ms", "98 %"},
    "exploration-check": {"15 %", "20 %", "300 s", "480 s"},
    "performance": {"100 %"},
    "area": {"30 minutes", "3 %"},
    "clock": {"0.30 ns"},
    "networks": {"12 times", "90 %"},
}


def sentences_with_figures(text):
    """The measured figures of a page outside of tables, commands and their outputs."""
    text = re.sub(r"^```.*?^```$|<!-- data: .*?<!-- end of data -->|<!-- value: .*?<!-- end of value -->", "", text,
                  flags=re.DOTALL | re.MULTILINE)
    return [found for line in text.splitlines() if not line.startswith(("|", "    ")) for found in MEASURED.findall(line)]


class Sentences(unittest.TestCase):
    """Sentences quote no figures, so that a new measurement changes no sentence."""

    def test_results(self):
        for page in results():
            found = set(sentences_with_figures(page.read_text(encoding="utf-8")))
            self.assertEqual(found, SETTINGS.get(page.stem, set()), page)

    def test_a_figure_in_a_sentence_is_found(self):
        page = ("It takes {}.\n\n<!-- data: a/b -->\n| 3 ns |\n<!-- end of data -->\n```sh\nsleep 3 s\n```\n"
                "<!-- value: a/b | c | d -->3<!-- end of value --> ms, mxfp8_e4m3 times mxint8\n")
        self.assertEqual(sentences_with_figures(page.format("33 rows")), [])
        self.assertEqual(sentences_with_figures(page.format("3.5 to 1,234 ns, 2.5 times less")), ["1,234 ns", "2.5 times"])


class Pages(unittest.TestCase):
    def wrong(self):
        return [line.partition(" ")[0] for line in figures.check()]

    def test_pages_show_the_data(self):
        self.assertEqual(list(figures.check()), [])

    def test_a_changed_number_is_found(self):
        with changed("latency", "latency", 3, 6, 12.3):
            self.assertEqual(self.wrong(), ["docs/performance.md"])

    def test_a_changed_number_changes_the_plot(self):
        with changed("latency", "latency", 6, 6, 12.3):  # 512 x 512 x 64 on base, 16 bursts
            self.assertEqual(self.wrong(), ["docs/performance.md", "docs/figures/plot_latency.svg"])

    def test_each_plot_is_on_a_page(self):
        text = "".join(page.read_text(encoding="utf-8") for page in tables.pages())
        for path, _ in figures.plots.outputs():
            self.assertIn(f"](figures/{path.name})", text)
        self.assertEqual({path for path, _ in figures.plots.outputs()}, set((ROOT / "docs/figures").glob("plot_*.svg")))

    def test_derived_figures(self):
        with changed("accuracy", "cycles", 0, 4, 519):
            self.assertEqual(self.wrong(), ["README.md", "docs/accuracy.md"])

    def test_a_cell_in_a_sentence(self):
        with changed("build_times", "packages", 0, 1, 104):
            self.assertEqual(self.wrong(), ["README.md", "docs/build.md"])
        self.assertEqual(tables.value("build_times/packages", "scripts/demo", "MB"), "168")
        with self.assertRaisesRegex(ValueError, "0 rows 'scripts/lint', 1 columns 'MB'"):
            tables.value("build_times/packages", "scripts/lint", "MB")

    def test_each_table_is_on_a_page(self):
        shown = {name for page in tables.pages() for _, name in tables.BLOCK.findall(page.read_text(encoding="utf-8"))}
        parts = [path.stem for path in tables.DATA.glob("*.json")]
        kept = {f"{part}/{table}" for part in parts for table in tables.load(part)["tables"]}
        self.assertEqual(shown - set(tables.DERIVED), kept)

    def test_each_record_has_its_origin(self):
        for path in tables.DATA.glob("*.json"):
            record = tables.load(path.stem)
            for key in ("command", "commit", "machine"):
                self.assertTrue(record[key], f"{path.name}: {key}")


class Readers(unittest.TestCase):
    """Each page names its readers, and what they can do afterwards."""

    def test_pages(self):
        pages = set(tables.listed_pages())
        names = {ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG")}
        self.assertEqual(pages | {ROOT / "docs/index.md"}, names | set((ROOT / "docs").glob("**/*.md")) - set(
            (ROOT / "docs/examples").glob("**/*.md")))
        for page in pages | {ROOT / "docs/index.md"}:
            tables.introduction(page)

    def test_a_page_without_readers(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            page.write_text("# Page\n\nFor authors. After this page you can write.\n", encoding="utf-8")
            self.assertEqual(tables.introduction(page), ("Page", "authors", "can write"))
            for text in ("For authors.\n", "## For authors\n\nFor authors. After this page you can write.\n"):
                page.write_text(f"# Page\n\n{text}", encoding="utf-8")
                with self.assertRaisesRegex(ValueError, "does not begin with"):
                    tables.introduction(page)


class Comparison(unittest.TestCase):
    def test_differences(self):
        record = tables.load("scaling")["tables"]
        self.assertEqual(list(figures.differences("scaling", record, record)), [])
        other = copy.deepcopy(record)
        other["scaling"]["rows"][1][5] = [1.98, 99, 0]
        self.assertEqual(list(figures.differences("scaling", other, record)),
                         ["scaling/scaling, row 2, 2 engines: [1.98, 99, 0], but docs/data/scaling.json has "
                          "[1.99, 99, 0]"])
        del other["scaling"]["rows"][0]
        self.assertIn("rows instead of", *figures.differences("scaling", other, record))

    def read(self, reader, part, output):
        """The rows of a part's tables from the output of its command."""
        with mock.patch.object(figures, "run", lambda _: output):
            return {name: table["rows"] for name, table in getattr(figures, reader)(part, "").items()}

    def test_outputs_of_other_programs(self):
        self.assertEqual(
            self.read("from_firmware", "firmware_speed",
                      "digits32 digits on rtl: 0.412 s as firmware, 0.400 s without a processor, ratio 1.03\n"),
            {"work": [["`digits` of `digits32` on rtl", 0.412, 0.4, 1.03]]})
        line = ("on {}: boot {}.0 s, with the driver 1 s, 1000 jobs by interrupt 0.3 s, digits 0.036 s (0.1 s with "
                "boot), without Linux 0.009 s (0.2 s), ratio 4.00 (0.50)\n")
        self.assertEqual(self.read("from_linux", "linux_speed", line.format("model", 1) + line.format("rtl", 2))["work"],
                         [["boot, to the end of an empty program", 1, 2], ["`digits`, without boot", 0.036, 0.036],
                          ["the same work without Linux", 0.009, 0.009], ["1,000 jobs by interrupt", 0.3, 0.3]])
        layer = "| MXLinear 512 x 4096 by 4096 x 4096, a times b, {} threads | {} ms | torch | 220 ms | 0.5 |\n"
        self.assertEqual(
            self.read("from_speed", "python_peers", "| work | mxe |\n|---|---|\n| quantize | 4.7 ms | torchao | 141 ms | "
                      "30 |\n" + layer.format(1, 99) + layer.format(2, 56)),
            {"quantize": [["quantize", 0.0047, "torchao", 0.141, 30]], "linear": [["a, b", 0.099, 0.22, 0.056, 0.22]]})

    def test_files_of_other_programs(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(figures, "ROOT", pathlib.Path(folder)), \
                mock.patch.object(tables, "commit", lambda: "12ab with changes"):
            report = pathlib.Path(folder) / "build-rtl-coverage/report/coverage.json"
            report.parent.mkdir(parents=True)
            report.write_text(json.dumps({name: {"reached": 3, "of": 4} for name in ("bins", "lines", "branches")}),
                              encoding="utf-8")
            self.assertEqual([row[1:] for row in self.read("from_coverage", "coverage", "")["coverage"]], 3 * [[3, 4, 75.0]])
            results = pathlib.Path(folder) / "build/mutation-12ab-with-changes.json"
            results.parent.mkdir()
            results.write_text(json.dumps([{"group": "planted", "killed": True}, {"group": "a", "killed": True},
                                           {"group": "a", "killed": False, "equivalent": "mxe_a"},
                                           {"group": "b", "killed": False}]), encoding="utf-8")
            self.assertEqual([row[1] for row in self.read("from_mutation", "mutation", "")["results"]], [1, 1, 1])

    def test_an_interrupted_run_continues(self):
        """Parts with a record of this commit are not measured, and the others write one."""
        measured = []

        def reader(part, _):
            measured.append(part)
            if part == "c":
                raise figures.Failed("a command failed")
            return {"t": tables.Table("t", [("x", "{}")], [[len(measured)]]).data()}

        parts = {name: figures.Part("command", 1, True, reader) for name in "abc"}
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(tables, "DATA", pathlib.Path(folder)), \
                mock.patch.object(figures, "PARTS", parts), mock.patch.object(figures, "ALONE", set(parts)), \
                mock.patch.object(tables, "commit", lambda: "12ab"), mock.patch.object(figures, "write_pages", lambda: None):
            tables.save("a", "command", "12ab", tables.ANY, {})
            tables.save("b", "command", "0000", tables.ANY, {})
            self.assertEqual(figures.measure(list(parts), False), ["c: a command failed"])
            self.assertEqual(measured, ["b", "c"])
            self.assertEqual((tables.load("b")["commit"], tables.load("b")["tables"]["t"]["rows"]), ("12ab", [[1]]))
            figures.measure(["a"], True)
            self.assertEqual(measured, ["b", "c", "a"])

    def test_an_interrupted_measurement_of_areas_continues(self):
        measured = []
        one = {"pe": lambda work, name: measured.append(name)}
        with tempfile.TemporaryDirectory() as work, mock.patch.object(area, "MEASUREMENTS", one):
            for inputs in ("this RTL", "this RTL", "another RTL"):
                area.measure_once(work, "pe", inputs)
        self.assertEqual(measured, 2 * ["pe"])

    def test_counts_are_measured(self):
        self.assertEqual(list(figures.compare(["counts"])), [])
        with changed("counts", "tests", 0, 1, 80):
            self.assertEqual(len(list(figures.compare(["counts"]))), 1)


class Cells(unittest.TestCase):
    def test_cells(self):
        for form, cell, text in (("{:,}", 1234, "1,234"), ("{:.1f} %", 99.8, "99.8 %"), ("{}", None, ""),
                                 ("{:.2f} ({} %, {} %)", [1.99, 99, 0], "1.99 (99 %, 0 %)"),
                                 ("{:.2f}", "none", "none")):
            self.assertEqual(tables.shown(form, cell), text)
            self.assertEqual(tables.parsed(form, text), cell)
        self.assertEqual(tables.shown("magnitude", 86.3e6), "86.3 million")
        self.assertEqual(tables.shown("time", 0.0046), "4.6 ms")
        self.assertEqual(tables.rounded("{:.1f} %", 99.849), 99.8)
        self.assertEqual(tables.rounded("{:.2f} ({} %, {} %)", (1.9872, 99, 0)), [1.99, 99, 0])

    def test_printed_tables_become_data(self):
        """The Markdown of a part, read again, is the part."""
        for part in ("accuracy", "roofline", "speed", "minilm"):
            record = tables.load(part)["tables"]
            text = "\n\n".join("\n".join(tables.table(f"{part}/{name}").markdown()) for name in record)
            self.assertEqual(figures.in_columns(part, tables.tables_of(text)), record)
        with self.assertRaisesRegex(figures.Failed, "0 tables instead of 1"):
            figures.in_columns("accuracy", [])


if __name__ == "__main__":
    unittest.main()
