#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile data for mxe report: names of object properties, addresses, markup, shell words, numbers that no axis can
show. It prints one line and returns 2, or writes a page that runs no foreign code, links to no other place, shows names
unchanged and logs no error.

    hostile_test.py --mxe PROGRAM [--runs N] [--seed N]
"""
import argparse
import json
import os
import random
import shlex
import subprocess
import sys
import tempfile
import unittest

import browser

MXE, RUNS, SEED = None, 2, 1
CHROMIUM = None

PROPERTIES = ["__proto__", "constructor", "toString", "valueOf", "hasOwnProperty", "prototype", "__defineGetter__",
              "isPrototypeOf", "length", "name", "then", "toJSON"]
MARKUP = ["</script><script>window.broken=1</script>", "<img src=x onerror=window.broken=1>", "<!--",
          "<a href='javascript:window.broken=1'>x</a>", "<svg onload=window.broken=1>"]
ADDRESSES = ["javascript:window.broken=1", "http://example.invalid/", "//example.invalid/x", "data:text/html,x", "../../x"]
WORDS = ["a b", "'", "\"", "$(touch broken)", "`touch broken`", "; touch broken", "a\nb: c", "{a|b}", "{value}", "%", "%s",
         "\u2028", "q\n__proto__\nq", "\u00e4", "", " ", "#", "- a", "formats", "front", "selected", "Infinity", "1e999"]
NAMES = PROPERTIES + MARKUP + ADDRESSES + WORDS
NUMBERS = [0, -1, 1e308, -1e308, 5e-324, 1e-320, 1e-12, 0.5, 1, 7, 10**18]


def setUpModule():
    global CHROMIUM
    CHROMIUM = browser.Browser()
    CHROMIUM.driver.set_page_load_timeout(60)
    CHROMIUM.driver.set_script_timeout(60)


def tearDownModule():
    CHROMIUM.close()


class Data:
    """A random folder, whose names and numbers are partly drawn from the lists."""

    def __init__(self, seed, names=NAMES):
        self.draw, self.names = random.Random(seed), names

    def name(self):
        return self.draw.choice(self.names)

    def number(self, above_0=False):
        values = [v for v in NUMBERS if v > 0] if above_0 else NUMBERS
        return self.draw.choice(values) if self.draw.random() < 0.3 else self.draw.randint(1, 10**6)

    def numbers(self, *more):
        return {key: self.draw.choice([self.number(), self.number(), None, True]) for key in [self.name() for _ in range(3)] + list(more)}

    def links(self):
        return {key: self.name() for key in self.draw.sample(["trace", "href", "src", "onclick", "innerHTML", "__proto__"], 2)}

    def layer(self):
        return {"name": self.name(), "m": self.number(), "n": self.number(), "k": self.number(), "count": self.draw.randint(1, 3),
                "format_a": self.name(), "format_b": self.name(), "cycles": self.number(True), "macs": self.number(),
                "bound_cycles": self.number(), "stalls": self.numbers("stall_a", "idle"), "bytes_read": self.number(),
                "bytes_written": self.number(), **self.links()}

    def point(self, number):
        plain = self.draw.random() < 0.5
        return {"id": f"{number:016x}" if plain else self.name() + str(number), "workload": self.name(),
                "parameters": {self.name(): self.draw.choice([self.name(), self.number(), True]), "NUM_PE": self.number(),
                               "MEM_W": self.draw.choice([256, self.name()])},
                "format_a": self.name(), "format_b": self.name(), "format_d": self.name(), "cycles": self.number(True),
                "seconds": self.number(True), "mem_bytes_per_cycle": self.draw.choice([0, 32, -1]), "clock_mhz": self.number(),
                "item_name": self.name(), "items_per_second": self.number(), "sqnr_db": self.number(),
                "utilisation": self.number(), "stalls": self.numbers("stall_b"), "area": self.numbers("ge", "sram_kib"),
                "energy": self.numbers("joules", "mac"), "layers": [self.layer() for _ in range(self.draw.randint(0, 4))],
                **self.links()}

    def mixture(self, workload, names):
        return {"workload": workload, "cycles": self.number(True), "seconds": self.number(True), "sqnr_db": self.draw.uniform(1, 40),
                "layers": [{"name": n, "format_a": self.name(), "format_b": self.name()} for n in names], **self.links()}

    def write(self, folder, spoiled=False):
        points = [self.point(i) for i in range(12)]
        if spoiled:  # a value of another type: an error, or shown as it is
            point = self.draw.choice(points)
            place = self.draw.choice([point, point["parameters"], point["area"], *point["layers"]])
            place[self.draw.choice(list(place))] = self.draw.choice([{"toString": 1}, [1], None, True, "x", -1, {}])
        workloads = sorted({p["workload"] for p in points} | {self.name()})
        names = [self.name() for _ in range(3)]
        mixtures = [self.mixture(w, names) for w in workloads for _ in range(2)]
        for file, lines in (("points.jsonl", points), ("formats.jsonl", mixtures), ("space.json", [{"skipped": self.numbers(), **self.links()}])):
            with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
                out.writelines(json.dumps(line) + "\n" for line in lines)
        return points, mixtures


class Hostile(unittest.TestCase):
    def report(self, folder):
        return subprocess.run([MXE, "report", folder], capture_output=True, text=True, check=False, timeout=60)

    def look(self, folder):
        page = os.path.join(folder, "report.html")
        CHROMIUM.open(page)
        self.check()
        workloads = CHROMIUM.run("return [...document.getElementById('workload').options].map((o) => o.value)")
        for name in workloads[:2]:
            CHROMIUM.run("""const choice = document.getElementById("workload");
                            choice.value = arguments[0];
                            choice.dispatchEvent(new Event("change"));""", name)
            self.use()
            self.check()
        return workloads

    def use(self):
        """Clicks one element of each kind, by a script, because some elements cover others."""
        CHROMIUM.run("""
            window.copied = [];
            try {
              Object.defineProperty(navigator, "clipboard", {value: {writeText: async (t) => window.copied.push(t)}});
            } catch {}
            for (const link of document.querySelectorAll("a")) if (!link.href.startsWith("https:")) link.click();
            for (const table of document.querySelectorAll("table")) {
              table.querySelector("th button")?.click();
              table.querySelector("tbody tr[data-id]:last-child")?.click();
            }
            // Each click draws all charts: some of each kind.
            const chips = [...document.querySelectorAll(".chip")];
            for (const button of [...chips.slice(0, 2), ...chips.slice(-2), ...document.querySelectorAll(".buttons button")]) button.click();
            for (const chart of Object.values(charts)) {
              for (const {name} of (chart.getOption()?.series ?? []).slice(0, 3))
                chart.dispatchAction({type: "legendToggleSelect", name: String(name)});
              chart.dispatchAction({type: "showTip", seriesIndex: 0, dataIndex: 0});
            }
            document.getElementById("reset").click();""")

    def check(self):
        self.assertEqual(CHROMIUM.logged(), [])
        seen = CHROMIUM.run("""
            return {inherited: [Object, Array, Function, String, Map].map((k) => Object.keys(k.prototype).concat(Object.keys(k))).join(),
                    broken: Boolean(window.broken), scripts: document.scripts.length, title: document.title,
                    strange: document.querySelectorAll("img, iframe, object, embed, form, svg").length,
                    links: [...document.querySelectorAll("[href], [src]")].map((e) => e.getAttribute("href") ?? e.getAttribute("src"))};""")
        self.assertFalse(seen["broken"], "a name was run")
        self.assertEqual(seen["inherited"], ",,,,", "an object that all inherit from has changed")
        self.assertEqual((seen["scripts"], seen["strange"], seen["title"]), (3, 0, "MXE exploration"))
        for link in seen["links"]:
            self.assertIn(link, ("data:,", "https://ui.perfetto.dev"))
        if CHROMIUM.run("return !document.getElementById('configuration')"):
            return
        # Copied names must be one shell word, or a YAML text.
        command, lines = CHROMIUM.run("const p = pointById(pickedId) ?? points[0]; return [commandText(p), configurationText(p)]")
        words = shlex.split(command)
        settings = CHROMIUM.run("const p = pointById(pickedId) ?? points[0]; return [...p.parameters].map(([k, v]) => [k, String(v)])")
        self.assertEqual(words[words.index("--set") + 1:], [f"{k}={v}" for k, v in settings])
        self.assertEqual(lines.count("\n"), len(settings))

    def test_random_data(self):
        pages = 0
        for seed in range(SEED, SEED + RUNS):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                Data(seed).write(folder, spoiled=seed % 2 == 0)
                run = self.report(folder)
                if run.returncode == 2:
                    self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
                    continue
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.look(folder)
                pages += 1
        self.assertGreater(pages, 0)

    def test_names_of_properties(self):
        """Uses each property name for all names: only the name must be shown."""
        with tempfile.TemporaryDirectory() as folder:
            points, mixtures = Data(1, PROPERTIES).write(folder)
            self.assertEqual(self.report(folder).returncode, 0)
            workloads = self.look(folder)
            self.assertEqual(workloads, sorted({p["workload"] for p in points}))
            mixed = {m["workload"] for m in mixtures}
            for point in points:
                CHROMIUM.open(os.path.join(folder, "report.html") + "#" + point["id"])
                self.assertEqual(CHROMIUM.filled_text("#picked-id"), point["id"])
                names = CHROMIUM.run("return [...document.querySelectorAll('#layers tbody tr')].map((r) => r.cells[0].textContent)")
                self.assertEqual(names, [layer["name"] for layer in point["layers"]])
                self.assertEqual(CHROMIUM.run("return document.getElementById('mixtures-card').hidden"),
                                 point["workload"] not in mixed)
                self.assertEqual(CHROMIUM.run("return [...settingsOf(pointById(pickedId)).keys()].slice(0, arguments[0])",
                                              len(point["parameters"])), list(point["parameters"]))

    def test_a_link_of_the_data_is_no_link(self):
        for trace in ("javascript:window.broken=1", "http://example.invalid/", {"toString": 1}, ["x"], "traces/other.json"):
            with tempfile.TemporaryDirectory() as folder:
                with open(os.path.join(folder, "points.jsonl"), "w", encoding="utf-8") as file:
                    file.write(json.dumps({"id": "a1", "workload": "w", "parameters": {}, "cycles": 1, "seconds": 1, "trace": trace}) + "\n")
                self.assertEqual(self.report(folder).returncode, 0)
                CHROMIUM.open(os.path.join(folder, "report.html"))
                self.assertEqual(CHROMIUM.run("return document.querySelectorAll('a').length"), 0)
                self.assertEqual(CHROMIUM.logged(), [])

    def test_an_address_that_names_no_point(self):
        with tempfile.TemporaryDirectory() as folder:
            Data(2).write(folder)
            self.assertEqual(self.report(folder).returncode, 0)
            for address in ("%", "%E0%A4%A", "__proto__", "javascript:window.broken=1"):
                CHROMIUM.open(os.path.join(folder, "report.html") + "#" + address)
                self.assertEqual(CHROMIUM.logged(), [])
                self.assertTrue(CHROMIUM.series("roofline") or CHROMIUM.text("#picked"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mxe", required=True)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--seed", type=int, default=SEED)
    arguments, rest = parser.parse_known_args()
    MXE, RUNS, SEED = arguments.mxe, arguments.runs, arguments.seed
    browser.require()
    unittest.main(argv=sys.argv[:1] + rest)
