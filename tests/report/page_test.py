#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of mxe report in a browser: charts are drawn, points can be selected, filters work, no error is logged, and
the page is legible in light and dark mode and on a phone.

    page_test.py --mxe PROGRAM [--faults [--ignore NAME]]

With --faults, the tests must find the planted faults (faults.py). --ignore NAME runs only this fault's test, without
the fault, which shows that the check can fail.
"""
import argparse
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import browser
import faults
import points

MXE = None
CHROMIUM = None  # shared by all tests, because it starts slowly


def setUpModule():
    global CHROMIUM
    CHROMIUM = browser.Browser()


def tearDownModule():
    CHROMIUM.close()


class Page(unittest.TestCase):
    fault = ("", "")

    @classmethod
    def setUpClass(cls):
        cls.room = tempfile.TemporaryDirectory()
        cls.points, cls.traced, cls.mixtures = points.write(cls.room.name, points=80)
        subprocess.run([MXE, "report", cls.room.name], check=True, stdout=subprocess.DEVNULL)
        cls.page = os.path.join(cls.room.name, "report.html")
        cls.browser = CHROMIUM
        if cls.fault[0]:
            with open(cls.page, encoding="utf-8", newline="") as file:
                correct = file.read()
            if correct.count(cls.fault[0]) != 1:
                raise ValueError(f"{cls.fault[0]!r} must be in the page exactly once")
            with open(cls.page, "w", encoding="utf-8", newline="") as file:
                file.write(correct.replace(*cls.fault))

    @classmethod
    def tearDownClass(cls):
        cls.room.cleanup()

    def setUp(self):
        self.browser.open(self.page)
        self.workload = self.browser.run("return document.getElementById('workload').value")
        self.mine = [p for p in self.points if p["workload"] == self.workload]

    def tearDown(self):
        self.assertEqual(self.browser.logged(), [])
        self.assertFalse(self.browser.run("return Boolean(window.broken)"), "a name was read as HTML")

    def shown(self):
        return int(self.browser.text("#shown").split()[0].replace(",", ""))

    def front(self, cost, gain, among=None):
        """The points that no other point beats in both respects, by comparing all pairs."""
        among = among or self.mine

        def beats(p, q):
            return cost(p) <= cost(q) and gain(p) <= gain(q) and (cost(p) < cost(q) or gain(p) < gain(q))
        return [q for q in among if not any(beats(p, q) for p in among)]

    def test_every_chart_draws(self):
        for chart in browser.CHARTS:
            self.assertTrue(self.browser.series(chart), chart)
            self.assertGreater(self.browser.ink(chart), 0.01, chart)

    def test_charts_hold_all_points_and_their_fronts(self):
        measures = {"area": (lambda p: p["area"]["ge"], lambda p: p["seconds"]),
                    "accuracy": (lambda p: -p["sqnr_db"], lambda p: p["seconds"])}
        for chart, (one, two) in measures.items():
            series = self.browser.series(chart)
            self.assertEqual(sum(n for name, n in series.items() if "×" in name), len(self.mine))
            wanted = {(one(p), two(p)) for p in self.front(one, two)}
            self.assertEqual(series["front"], len(wanted), chart)

    def test_stalls_and_roofline_show_every_layer(self):
        stalls = self.browser.series("stall")
        self.assertIn("multiplying", stalls)
        self.assertEqual(set(stalls.values()), {len(self.mine[0]["layers"])})
        self.assertEqual(self.browser.series("roofline")["layers"], len(self.mine[0]["layers"]))

    def test_the_roof_is_that_of_engine_and_memory(self):
        slow_memory = next(p for p in self.mine if p["mem_bytes_per_cycle"])
        for point in (min(self.mine, key=lambda p: p["seconds"]), max(self.mine, key=lambda p: p["seconds"]), slow_memory):
            self.browser.open(self.page + "#" + point["id"])
            roof = self.browser.run("""
                const chart = echarts.getInstanceByDom(document.getElementById("roofline-chart"));
                return chart.getOption().series.find((s) => s.name === "roof").data;""")
            four = point["format_a"] == point["format_b"] == "mxfp4_e2m1"
            peak = 32 * point["parameters"]["NUM_PE"] * (2 if four else 1) * point["clock_mhz"] * 1e6
            (left, low), (ridge, top), (_, end) = roof
            self.assertAlmostEqual(top / peak, 1, places=9)
            self.assertEqual(end, top)
            memory = point["mem_bytes_per_cycle"] or point["parameters"]["MEM_W"] / 8
            for x, y in ((left, low), (ridge, top)):
                self.assertAlmostEqual(y / x / (memory * point["clock_mhz"] * 1e6), 1, places=9)

    def test_cycles_of_the_layers_add_up(self):
        total = self.browser.run("""
            const chart = echarts.getInstanceByDom(document.getElementById("stall-chart"));
            return chart.getOption().series.flatMap((s) => s.data).reduce((a, b) => a + b, 0);""")
        picked = next(p for p in self.mine if p["id"] == self.browser.text("#picked-id"))
        self.assertAlmostEqual(total / picked["cycles"], 1, places=3)

    def test_layers_are_unpacked_as_they_were(self):
        seen = dict(self.browser.run("""
            return points.map((p) => [p.id, p.layers.map((l) => ({...l, stalls: Object.fromEntries(l.stalls)}))]);"""))
        for point in self.points:
            wanted = [dict(layer, stalls={k: v for k, v in layer["stalls"].items() if v}) for layer in point["layers"]]
            self.assertEqual(seen[point["id"]], wanted)

    def test_the_table_of_formats_has_a_row_for_each_pair(self):
        rows = self.browser.run("return [...document.querySelectorAll('#formats tbody tr')].map((r) => r.cells[0].textContent)")
        self.assertEqual(sorted(rows), sorted({p["format_a"] + " × " + p["format_b"] for p in self.mine}))

        def best(pair):
            mine = [p for p in self.mine if p["format_a"] + " × " + p["format_b"] == pair]
            return [max(p["sqnr_db"] for p in mine), min(p["seconds"] for p in mine)]
        shown = self.browser.run("""
            return [...document.querySelectorAll('#formats tbody tr')].map((r) => [r.cells[2].textContent, r.cells[3].textContent]);""")
        wanted = self.browser.run("return arguments[0].map(([sqnr, latency]) => [decibel(sqnr), si(latency, 's')])",
                                  [best(pair) for pair in rows])
        self.assertEqual(shown, wanted)

    def test_left_out_points_are_told(self):
        self.assertIn("B_BUF_K must be at most A_SLAB_K", self.browser.text("#skipped"))
        self.assertTrue(self.browser.run("return document.getElementById('skipped').checkVisibility()"))

    def test_a_click_on_a_point_selects_it(self):
        for chart in ("area", "accuracy"):
            before = next(p for p in self.mine if p["id"] == self.browser.text("#picked-id"))
            wanted = max(self.mine, key=lambda p: abs(math.log(p["seconds"] / before["seconds"])))
            self.browser.click_point(chart, wanted["id"])
            picked = next(p for p in self.mine if p["id"] == self.browser.text("#picked-id"))
            # If several points share a position, any of them may be selected.
            key = (lambda p: p["area"]["ge"]) if chart == "area" else (lambda p: p["sqnr_db"])
            self.assertAlmostEqual(picked["seconds"] / wanted["seconds"], 1, delta=0.03)
            self.assertAlmostEqual(key(picked) / key(wanted), 1, delta=0.03)
            self.assertNotAlmostEqual(picked["seconds"] / before["seconds"], 1, delta=0.1)

    def test_hovering_tells_about_a_point(self):
        fastest = min(self.mine, key=lambda p: p["seconds"])
        self.browser.mouse("mouseMoved", self.browser.place("area", fastest["id"]))
        tip = self.browser.text("#area-chart .tip")
        self.assertIn("Latency", tip)
        self.assertIn("NUM_PE", tip)

    def test_a_row_of_a_table_selects_its_point(self):
        row = "#front tbody tr:last-child"
        wanted = self.browser.run("return document.querySelector(arguments[0]).dataset.id", row)
        self.browser.click(row)
        self.assertEqual(self.browser.text("#picked-id"), wanted)
        self.assertTrue(self.browser.run("return location.hash").endswith(wanted))

    def test_the_configuration_can_be_copied(self):
        picked = next(p for p in self.mine if p["id"] == self.browser.text("#picked-id"))
        wanted = "".join(f"{k}: {v}\n" for k, v in picked["parameters"].items())
        self.assertEqual(self.browser.text("#configuration"), wanted)
        self.browser.run("""
            window.copied = [];
            Object.defineProperty(navigator, "clipboard", {value: {writeText: async (t) => window.copied.push(t)}});""")
        self.browser.click("#copy")
        self.browser.click("#copy-command")
        copied = self.browser.run("return window.copied")
        self.assertEqual(copied[0], wanted)
        self.assertIn("mxe estimate ", copied[1])
        self.assertIn(f"NUM_PE={picked['parameters']['NUM_PE']}", copied[1])

    def test_a_trace_is_linked_where_there_is_one(self):
        self.browser.open(self.page + "#" + self.traced)
        self.assertEqual(self.browser.text("#picked-id"), self.traced)
        self.assertEqual(self.browser.run("return document.getElementById('trace').getAttribute('href')"),
                         f"traces/{self.traced}.json")
        other = next(p["id"] for p in self.points if p["id"] != self.traced)
        self.browser.open(self.page + "#" + other)
        self.assertFalse(self.browser.run("return Boolean(document.getElementById('trace'))"))

    def test_heads_sort(self):
        column = "return [...document.querySelectorAll('#front tbody tr')].map((r) => r.dataset.id)"
        self.browser.click("#front th:nth-child(2) button")
        latency = {p["id"]: p["seconds"] for p in self.mine}
        up = [latency[i] for i in self.browser.run(column)]
        self.assertEqual(up, sorted(up))
        self.browser.click("#front th:nth-child(2) button")
        down = [latency[i] for i in self.browser.run(column)]
        self.assertEqual(down, sorted(up, reverse=True))

    def test_filters_of_values(self):
        self.assertEqual(self.shown(), len(self.mine))
        self.browser.click("#more summary")
        self.browser.click("fieldset[data-name='NUM_PE'] .chip:nth-of-type(2)")
        value = int(self.browser.text("fieldset[data-name='NUM_PE'] .chip:nth-of-type(2)"))
        left = [p for p in self.mine if p["parameters"]["NUM_PE"] == value]
        self.assertEqual(self.shown(), len(left))
        self.browser.click("fieldset[data-name='formats'] .chip:nth-of-type(1)")
        pair = self.browser.text("fieldset[data-name='formats'] .chip:nth-of-type(1)")
        left = [p for p in left if p["format_a"] + " × " + p["format_b"] == pair]
        self.assertEqual(self.shown(), len(left))
        self.browser.click("#reset")
        self.assertEqual(self.shown(), len(self.mine))

    def test_filters_of_limits(self):
        limits = {"area": sorted(p["area"]["ge"] for p in self.mine)[len(self.mine) // 2],
                  "sqnr": sorted(p["sqnr_db"] for p in self.mine)[len(self.mine) // 3]}
        left = [p for p in self.mine if p["area"]["ge"] <= limits["area"]]
        self.browser.type("#limit-area", repr(limits["area"]))
        self.assertEqual(self.shown(), len(left))
        left = [p for p in left if p["sqnr_db"] >= limits["sqnr"]]
        self.browser.type("#limit-sqnr", repr(limits["sqnr"]))
        self.assertEqual(self.shown(), len(left))
        self.assertEqual(sum(n for name, n in self.browser.series("area").items() if "×" in name), len(left))

    def test_limits_with_units(self):
        areas = sorted({p["area"]["ge"] for p in self.mine})
        limit = (areas[1] + areas[2]) / 2
        left = sum(p["area"]["ge"] < limit for p in self.mine)
        for text in (f"{limit / 1e6} MGE", f" {limit / 1e3}k", f"{limit}GE", f"{limit:.9e}"):
            self.browser.click("#reset")
            self.browser.type("#limit-area", text)
            self.assertEqual(self.shown(), left, text)
        seconds = sorted(p["seconds"] for p in self.mine)
        self.browser.click("#reset")
        self.browser.type("#limit-latency", f"{500 * (seconds[2] + seconds[3])} ms")
        self.assertEqual(self.shown(), 3)
        # Text that is no limit is marked and hides nothing.
        for text in ("2 MJ", "many", "1.2.3", "--", "5 5"):
            self.browser.click("#reset")
            self.browser.type("#limit-area", text)
            self.assertEqual(self.shown(), len(self.mine), text)
            self.assertEqual(self.browser.run("return document.getElementById('limit-area').getAttribute('aria-invalid')"), "true", text)

    def test_what_limits_a_point_and_its_bytes(self):
        picked = next(p for p in self.mine if p["id"] == self.browser.text("#picked-id"))
        figures = dict(self.browser.run("""
            return [...document.querySelectorAll("#picked dl > div")].map((d) => [...d.children].map((c) => c.textContent));"""))
        self.assertEqual(figures["Bound by"], "array 70.0 % of the time")
        self.assertEqual(figures["Weights"], self.browser.run("return si(arguments[0], 'B')", picked["weight_bytes"]))
        self.assertEqual(figures["Keys and values"], self.browser.run("return si(arguments[0], 'B')", picked["kv_bytes"]) + " " + picked["format_b"])
        heads = self.browser.run("return [...document.querySelectorAll('#layers th')].map((h) => h.textContent)")
        column = heads.index("Bound by")
        self.assertEqual(self.browser.run("""
            return [...document.querySelectorAll("#layers tbody tr")].map((r) => r.cells[arguments[0]].textContent);""", column),
                         [layer["bound_by"] for layer in picked["layers"]])
        self.assertIn("Bound by", self.browser.text("#front thead"))

    def test_nothing_left_is_told(self):
        self.browser.type("#limit-area", "1")
        self.assertEqual(self.shown(), 0)
        self.assertIn("No point", self.browser.text("#picked"))

    def test_only_the_fronts(self):
        self.browser.click("#front-only")
        rows = self.browser.run("return document.querySelectorAll('#front tbody tr').length")
        self.assertEqual(self.shown(), rows)
        self.assertLess(rows, len(self.mine))

    def test_a_front_for_each_pair(self):
        self.browser.click("#each-pair")
        wanted = {}
        for pair in {(p["format_a"], p["format_b"]) for p in self.mine}:
            among = [p for p in self.mine if (p["format_a"], p["format_b"]) == pair]
            front = self.front(lambda p: p["area"]["ge"], lambda p: p["seconds"], among)
            wanted[" × ".join(pair)] = len({(p["area"]["ge"], p["seconds"]) for p in front})
        self.assertEqual(self.browser.lines("area"), wanted)
        self.assertEqual(list(self.browser.lines("accuracy")), ["front"])

    def choose_workload(self, name):
        self.browser.run("""const choice = document.getElementById("workload");
                            choice.value = arguments[0];
                            choice.dispatchEvent(new Event("change"));""", name)

    def test_workloads(self):
        other = next(p["workload"] for p in self.points if p["workload"] != self.workload)
        self.choose_workload(other)
        self.assertEqual(self.shown(), sum(p["workload"] == other for p in self.points))

    def layers_shown(self):
        return self.browser.run("""
            return [...document.querySelectorAll("#mixture-layers tbody tr")].map((r) => [...r.cells].map((c) => c.textContent));""")

    def layers_of(self, number):
        return [[l["name"], l["format_a"] + " × " + l["format_b"]] for l in self.mixtures[number]["layers"]]

    def map_of(self, number):
        """The format map as mxe explore writes it (BudgetsGiveFormatMaps reads such a file)."""
        mixture = self.mixtures[number]
        text = f"# {mixture['workload']}: {mixture['cycles']} cycles, SQNR {mixture['sqnr_db']:.2f} dB\n"
        for layer in mixture["layers"]:
            pattern = "".join("\\" + c if c in "*?[\\" else c for c in layer["name"])
            text += f"{json.dumps(pattern)}: {{format_a: {layer['format_a']}, format_b: {layer['format_b']}}}\n"
        return text

    def test_a_workload_without_mixtures_has_no_card(self):
        without = next(p["workload"] for p in self.points if p["workload"] != self.mixtures[0]["workload"])
        for workload, visible in ((self.mixtures[0]["workload"], True), (without, False)):
            self.choose_workload(workload)
            self.assertEqual(self.browser.run("return document.getElementById('mixtures-card').checkVisibility()"), visible)

    def test_the_front_of_mixtures(self):
        self.choose_workload(self.mixtures[0]["workload"])
        series = self.browser.series("mixtures")
        uniform = [m for m in self.mixtures if len({(l["format_a"], l["format_b"]) for l in m["layers"]}) == 1]
        self.assertTrue(uniform)
        self.assertEqual(series, {"front": len(self.mixtures), "mixtures": len(self.mixtures) - len(uniform) - 1,
                                  "the same for all layers": len(uniform), "in the budget": 1, "selected": 1})
        drawn = self.browser.run("""
            const chart = echarts.getInstanceByDom(document.getElementById("mixtures-chart"));
            return chart.getOption().series.find((s) => s.name === "front").data;""")
        self.assertEqual(drawn, [[m["sqnr_db"], m["cycles"]] for m in self.mixtures])
        self.assertGreater(self.browser.ink("mixtures"), 0.01)
        self.assertIn(f"{len(self.mixtures)} mixtures", self.browser.text("#mixtures-note"))
        self.assertIn("equal ranges", self.browser.text("#mixtures-note"))

    def test_the_mixture_in_the_budget_comes_first(self):
        self.choose_workload(self.mixtures[0]["workload"])
        chosen = next(i for i, m in enumerate(self.mixtures) if m.get("chosen"))
        self.assertEqual(self.layers_shown(), self.layers_of(chosen))
        self.assertIn(f"{self.mixtures[chosen]['cycles']:,}", self.browser.text("#mixture-figures"))
        self.assertIn(str(self.mixtures[chosen]["correct"]), self.browser.text("#mixture-figures"))

    def test_selecting_a_mixture_shows_its_layers(self):
        self.choose_workload(self.mixtures[0]["workload"])
        self.browser.mouse("mouseMoved", self.browser.place("mixtures", 12))
        self.assertIn(f"{self.mixtures[12]['cycles']:,}", self.browser.text("#mixtures-chart .tip"))
        self.browser.click_point("mixtures", 12)
        self.assertEqual(self.layers_shown(), self.layers_of(12))
        row = "#mixtures tbody tr:last-child"
        self.browser.click(row)
        self.assertEqual(self.layers_shown(), self.layers_of(len(self.mixtures) - 1))
        self.assertTrue(self.browser.run("return document.querySelector(arguments[0]).classList.contains('picked')", row))

    def test_a_format_map_can_be_copied(self):
        self.choose_workload(self.mixtures[0]["workload"])
        self.browser.click("#mixtures tbody tr:nth-child(3)")
        number = int(self.browser.run("return document.querySelector('#mixtures tbody tr.picked').dataset.id"))
        self.browser.run("""
            window.copied = [];
            Object.defineProperty(navigator, "clipboard", {value: {writeText: async (t) => window.copied.push(t)}});""")
        self.browser.click("#copy-map")
        self.assertEqual(self.browser.run("return window.copied"), [self.map_of(number)])

    def test_layers_of_the_selected_point_have_their_formats(self):
        point = next(p for p in self.mine if p["layers"][3]["format_b"] != p["format_b"])
        self.browser.open(self.page + "#" + point["id"])
        rows = self.browser.run("""
            return [...document.querySelectorAll("#layers tbody tr")].map((r) => [...r.cells].map((c) => c.textContent));""")
        self.assertEqual([r[:2] for r in rows], [[l["name"], l["format_a"] + " × " + l["format_b"]] for l in point["layers"]])
        self.assertEqual([int(r[4].replace(",", "")) for r in rows], [l["cycles"] * l["count"] for l in point["layers"]])

    def test_fits_every_width(self):
        for width, mobile in ((1400, False), (700, False), (390, True), (320, True)):
            self.browser.open(self.page, width, 900, mobile=mobile)
            self.browser.click("#more summary")
            needed, there = self.browser.run("return [document.documentElement.scrollWidth, innerWidth]")
            self.assertEqual(there, width)
            self.assertLessEqual(needed, width)
            self.choose_workload(self.mixtures[0]["workload"])
            needed, there = self.browser.run("return [document.documentElement.scrollWidth, innerWidth]")
            self.assertLessEqual(needed, there)
            for chart in (*browser.CHARTS, "mixtures"):
                self.assertGreater(self.browser.ink(chart), 0.01, f"{chart} at {width}")

    def test_contrast_in_light_and_dark(self):
        for scheme in ("light", "dark"):
            self.browser.open(self.page, scheme=scheme)
            self.assertEqual(self.browser.run("return document.documentElement.dataset.theme"), scheme)
            self.check_contrast()
            self.browser.click("#theme")
            self.assertNotEqual(self.browser.run("return document.documentElement.dataset.theme"), scheme)
            self.check_contrast()

    def check_contrast(self):
        """The contrast of texts is at least 4.5, that of colours in charts 3, as in WCAG 2."""
        texts, paints = self.browser.run("""
            const part = (c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
            const light = (hex) => [1, 3, 5].map((i) => part(parseInt(hex.slice(i, i + 2), 16)))
              .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
            const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
            const grounds = [css("--card"), css("--page")];
            return [["--text", "--muted", "--accent"].map((n) => Math.min(...grounds.map((g) => contrast(css(n), g)))),
                    palettes[theme()].map((c) => contrast(c, css("--card")))];""")
        self.assertGreaterEqual(min(texts), 4.5)
        self.assertGreaterEqual(min(paints), 3)

    def labels(self, chart, axis):
        return self.browser.run("""
            const chart = echarts.getInstanceByDom(document.getElementById(arguments[0] + "-chart"));
            return chart.getModel().getComponent(arguments[1]).axis.getViewLabels().map((l) => l.formattedLabel);""", chart, axis)

    def test_axes_have_ticks_with_units(self):
        for width in (1400, 390):
            self.browser.open(self.page, width, 900, mobile=width < 800)
            for chart, axis, unit in (("area", "xAxis", "GE"), ("area", "yAxis", "s"), ("accuracy", "yAxis", "s"),
                                      ("accuracy", "xAxis", ""), ("roofline", "xAxis", ""), ("roofline", "yAxis", "")):
                labels = self.labels(chart, axis)
                self.assertGreaterEqual(len(labels), 3, (chart, axis, labels))
                self.assertEqual(len(set(labels)), len(labels), labels)
                for label in labels:
                    self.assertRegex(str(label), rf"^[0-9.,]+ ?[pnµmkMGTPE]?{unit}$")

    def test_axes_over_a_short_or_long_way(self):
        """The number of ticks does not depend on the spread of the points."""
        for least, most in ((1, 1), (0.0986, 0.0997), (0.117, 0.135), (1, 1.9), (3e-6, 2e-5), (1e-6, 7), (0.9, 1.0)):
            ticks = self.browser.run("return logRange(arguments[0]).ticks", [least, most])
            labels = self.browser.run("return arguments[0].map((t) => si(t, 's', 5))", ticks)
            self.assertGreaterEqual(len(ticks), 3, (least, most))
            self.assertLessEqual(len(ticks), 9, (least, most))
            self.assertEqual(len(set(labels)), len(ticks), labels)
        for strange in ([], [0], [-1, 0], [1e308, 5e-324]):
            self.assertEqual(self.browser.run("return logRange(arguments[0])", strange), {})

    def test_neighbouring_colours_differ(self):
        """Distances in OKLab: neighbours in a bar 0.15, all kinds of cycles 0.1, all colours 0.08."""
        for scheme in ("light", "dark"):
            self.browser.open(self.page, scheme=scheme)
            kinds, paints = self.browser.run("return [stallKinds.map(([, , c]) => paint(c)), palettes[theme()]]")
            self.assertGreaterEqual(min(distance(a, b) for a, b in [*zip(kinds, kinds[1:]), (kinds[0], kinds[5])]), 0.15)
            self.assertGreaterEqual(min(distance(a, b) for a, b in itertools.combinations(kinds, 2)), 0.1)
            self.assertGreaterEqual(min(distance(a, b) for a, b in itertools.combinations(paints, 2)), 0.08)

    def test_names_are_whole_on_a_phone(self):
        for width in (400, 320):
            self.browser.open(self.page, width, 900, mobile=True)
            for table in ("formats", "front", "layers"):
                cut = self.browser.run("""
                    return [...document.querySelectorAll("#" + arguments[0] + " td.text")]
                      .filter((c) => c.scrollWidth > c.clientWidth + 1).map((c) => c.textContent);""", table)
                self.assertEqual(cut, [], table)

    def test_charts_follow_the_theme(self):
        seen = set()
        for scheme in ("light", "dark"):
            self.browser.open(self.page, scheme=scheme)
            seen.add(self.browser.run("""
                return echarts.getInstanceByDom(document.getElementById("area-chart")).getOption().textStyle.color;"""))
        self.assertEqual(len(seen), 2)


def distance(one, other):
    def lab(text):
        r, g, b = ((c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4)
                   for c in (int(text[i:i + 2], 16) / 255 for i in (1, 3, 5)))
        l, m, s = (sum(w * c for w, c in zip(row, (r, g, b))) ** (1 / 3) for row in (
            (0.4122214708, 0.5363325363, 0.0514459929), (0.2119034982, 0.6806995451, 0.1073969566),
            (0.0883024619, 0.2817188376, 0.6299787005)))
        return (0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
                1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
                0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s)
    return math.dist(lab(one), lab(other))


class Memory(unittest.TestCase):
    """A half-duplex memory shares the rate of 32 bytes per cycle and direction between both directions."""

    def test_the_roof_and_the_figure_of_a_memory(self):
        for memory, half_duplex, wanted, text in ((0, 0, 32, "32 B/cycle"), (0, 1, 32, "32 B/cycle, half-duplex"),
                                                  (48, 0, 32, "32 B/cycle (port; the memory has 48)"),
                                                  (48, 1, 48, "48 B/cycle, half-duplex"),
                                                  (96, 1, 64, "64 B/cycle, half-duplex (port; the memory has 96)")):
            with self.subTest(text), tempfile.TemporaryDirectory() as room:
                with open(os.path.join(room, "points.jsonl"), "w", encoding="utf-8") as file:
                    json.dump({"id": "a1", "workload": "w", "parameters": {"NUM_PE": 8, "MEM_W": 256}, "cycles": 1000,
                               "seconds": 1e-6, "macs": 100000, "bytes_read": 9000, "bytes_written": 1000,
                               "mem_bytes_per_cycle": memory, "mem_half_duplex": half_duplex, "port_bytes_per_cycle": 32}, file)
                    file.write("\n")
                subprocess.run([MXE, "report", room], check=True, stdout=subprocess.DEVNULL)
                CHROMIUM.open(os.path.join(room, "report.html"))
                (x, y), (_, peak), _ = CHROMIUM.run("""
                    const chart = echarts.getInstanceByDom(document.getElementById("roofline-chart"));
                    return chart.getOption().series.find((s) => s.name === "roof").data;""")
                self.assertAlmostEqual(y / x / 1e9, wanted, places=9)
                self.assertEqual(peak, 256e9)
                self.assertIn("Memory" + text, CHROMIUM.run("""
                    return [...document.querySelectorAll("#picked dl > div")].map((d) => d.textContent);"""))


class Bare(unittest.TestCase):
    def test_draws_and_logs_nothing(self):
        with tempfile.TemporaryDirectory() as room:
            with open(os.path.join(room, "points.jsonl"), "w", encoding="utf-8") as file:
                file.write('{"id":"a1","workload":"w","parameters":{},"cycles":10,"seconds":1e-8}\n')
            subprocess.run([MXE, "report", room], check=True, stdout=subprocess.DEVNULL)
            CHROMIUM.open(os.path.join(room, "report.html"))
            self.assertEqual(CHROMIUM.logged(), [])
            self.assertEqual(CHROMIUM.text("#picked-id"), "a1")
            self.assertIn("Not measured", CHROMIUM.text("#accuracy-note"))
            self.assertIn("not measured", CHROMIUM.text("#picked"))
            self.assertTrue(CHROMIUM.run("return document.getElementById('accuracy-chart').hidden"))


def find_faults(ignored):
    """True if each fault makes its test fail. Without --faults, the tests run without a fault."""
    tried = [fault for fault in faults.FAULTS if ignored in (None, fault[0])]
    suite, planted = unittest.TestSuite(), {}
    for number, (name, correct, faulty, test) in enumerate(tried):
        fault = ("", "") if name == ignored else (correct, faulty)
        one = type(f"Fault{number}", (Page,), {"fault": fault})(test)
        planted[one.id()] = name, test
        suite.addTest(one)
    result = unittest.TestResult()
    suite.run(result)
    for where, trace in result.errors:
        if isinstance(where, unittest.suite._ErrorHolder):  # the page was not written
            print(trace)
            return False
    seen = {one.id() for one, _ in (*result.failures, *result.errors)}
    for one, (name, test) in planted.items():
        print(f"{name}: {'found' if one in seen else 'NOT FOUND'} ({test})")
    print(f"{len(seen)} of {len(planted)} faults found")
    return bool(planted) and seen == set(planted)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mxe", required=True)
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--ignore")
    arguments, rest = parser.parse_known_args()
    MXE = arguments.mxe
    browser.require()
    if arguments.faults:
        sys.exit(0 if find_faults(arguments.ignore) else 1)
    unittest.main(argv=sys.argv[:1] + rest)
