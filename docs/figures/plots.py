# SPDX-License-Identifier: Apache-2.0
"""Plots of the figures in docs/data: docs/figures/plot_NAME.svg for each function of PLOTS. `scripts/figures --write`
writes them."""
import math
import pathlib
import sys

from svg import Drawing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import tables

WIDTH, BAR, GAP = 760, 14, 9


def rows_of(name):
    return tables.table(name).rows


def legend(d, x, y, series):
    for number, name in enumerate(series, 1):
        d.box(x, y - 9, 11, 11, f"s{number}")
        d.text(x + 17, y + 1, name, "dim")
        x += 40 + 6.6 * len(name)


def bars(title, rows, series, form="{}", log=False):
    """Horizontal bars. rows: (label, values), one value for each name in `series`; None leaves a bar out. Long labels
    stand above their bars, so that a phone, which shows the left half of a plot, shows bars."""
    left = 20 + 7.8 * max(len(label) for label, _ in rows)
    above = 17 if left > 0.4 * WIDTH else 0
    if above:
        left = 12
    right, top = WIDTH - 90, 30 if len(series) > 1 else 12
    values = [value for _, group in rows for value in group if value is not None]
    scale = (lambda value: math.log10(value / min(values)) + 0.3) if log else float
    unit = (right - left) / max(map(scale, values))
    height = top + sum(above + len(group) * BAR + GAP for _, group in rows) + 4
    d = Drawing(WIDTH, round(height), title)
    if len(series) > 1:
        legend(d, left, 16, series)
    y = top
    for label, group in rows:
        if above:
            d.text(left, round(y + above - 4), label)
        else:
            d.text(round(left - 8), round(y + len(group) * BAR / 2 + 4), label, anchor="end")
        y += above
        for number, value in enumerate(group, 1):
            if value is not None:
                width = round(scale(value) * unit, 1)
                d.box(round(left), y, width, BAR - 2, f"s{number}")
                d.text(round(left + width + 6), y + 10, tables.shown(form, value), "dim")
            y += BAR
        y += GAP
    return d


def lines(title, panels, x_name, form="{}"):
    """Panels side by side. panels: (heading, [x], [(series, [y])]); x has equal steps, y begins at 0."""
    series = [name for name, _ in panels[0][2]]
    top, bottom, gap = 66, 300, 56
    width = (WIDTH - gap * len(panels) - 16) / len(panels)
    most = max(value for _, _, found in panels for _, values in found for value in values)
    d = Drawing(WIDTH, bottom + 44, title)
    legend(d, gap, 18, series)
    for panel, (heading, xs, found) in enumerate(panels):
        left, step = gap + panel * (width + gap), width / (len(xs) - 1)
        d.text(round(left), 48, heading, "name")
        for tick in range(5):
            y = round(bottom - tick / 4 * (bottom - top))
            d.line([f"{left:.1f} {y}", f"{left + width:.1f} {y}"], "grid")
            d.text(round(left - 6), y + 4, tables.shown(form, most * tick / 4), "dim", anchor="end")
        for at, x in enumerate(xs):
            d.text(round(left + at * step), bottom + 18, str(x), "dim", anchor="middle")
        d.text(round(left + width / 2), bottom + 36, x_name, "dim", anchor="middle")
        for number, (_, values) in enumerate(found, 1):
            d.line([f"{left + at * step:.1f} {bottom - value / most * (bottom - top):.1f}"
                    for at, value in enumerate(values)], f"l{number}")
    return d


def utilization():
    rows = [(f"{m} x {n} x {k}, {a} x {b}, {d}", [used])
            for m, n, k, a, b, d, _, used, *_ in rows_of("utilization/utilization")]
    return bars("Share of the peak rate that does useful work", rows, ["utilization"], "{:.1f} %")


def queue():
    rows = [(f"{jobs}, latency {latency}", [one, early, batch])
            for jobs, latency, _, _, one, _, early, _, batch in rows_of("queue/queue")]
    return bars("Share of the bound that queued jobs reach", rows, ["one by one", "read early", "in one job"],
                "{:.1f} %")


def roofline():
    rows = [(name, [alone, queued]) for name, config, latency, alone, queued in rows_of("roofline/networks")
            if (config, latency) == ("large", 200)]
    return bars("Share of the bound that networks reach on large at a latency of 200 cycles", rows,
                ["each job by itself", "in a queue"], "{:.1f} %")


def latency():
    columns = tables.table("latency/latency").columns
    panels = []
    for config in ("base", "large"):
        found = [(f"{bursts} bursts", shares) for name, m, n, k, _, bursts, *shares in rows_of("latency/latency")
                 if (name, m, n, k) == (config, 512, 512, 64)]
        panels.append((f"{config}, 512 x 512 x 64", [heading for heading, _ in columns[6:]], found))
    return lines("Share of the bound by latency and number of bursts", panels, "latency, cycles", "{:.0f} %")


def scaling():
    panels = []
    for bandwidth in (32, 128):
        found = [(f"split {split}", [1] + [cell[0] for cell in cells])
                 for m, n, k, split, rate, *cells in rows_of("scaling/scaling")
                 if (m, n, k, rate) == (512, 512, 512, bandwidth)]
        panels.append((f"512 x 512 x 512, {bandwidth} bytes per cycle", [1, 2, 4, 8], found))
    return lines("Speedup by number of engines", panels, "engines", "{:.0f}")


def clock():
    rows = [(name.strip("`"), [before, now]) for table in ("stages", "blocks")
            for name, before, now in rows_of(f"clock/{table}") if name not in ("longest", "MHz")]
    return bars("Longest path of each stage and block, ns", rows, ["before", "now"], "{:.2f} ns")


def area():
    rows = [(name.strip("`").partition("#")[0], [lut]) for name, lut, *_ in rows_of("area/modules")[:16]]
    return bars("LUTs of the largest modules of base, with everything inside them", rows, ["LUT"], "{:,}")


def depth():
    rows = [(stage, gates) for stage, *gates in rows_of("area/stages")]
    return bars("Gates on the longest path of each stage", rows, ["TREE_W 42", "TREE_W 56", "TREE_W 70"])


def speed():
    rows = [(name, [rate]) for name, rate, _ in rows_of("speed/engine")]
    return bars("Simulated cycles per second, logarithmic", rows, ["cycles per second"], "magnitude", log=True)


def minilm():
    rows = [(name, [100 * (1 - mean), 100 - order])
            for name, mean, _, _, _, _, order in rows_of("minilm/accuracy") if name != "float32"]
    return bars("Loss of MiniLM's embeddings in each format", rows,
                ["1 - mean cosine", "pairs in another order"], "{:.1f} %")


def decoder():
    rows = [(name, [bits]) for name, bits, _ in rows_of("decoder/accuracy")]
    return bars("Bits per byte of the small Llama in each format", rows, ["bits per byte"], "{:.3f}")


def magika():
    rows = [(name, [same[2]]) for name, same, *_ in rows_of("magika/accuracy")]
    return bars("Magika's answers that are those of float32", rows, ["same answers"], "{:.1f} %")


def gemm():
    rows = [(name, [times]) for name, _, times, *_ in rows_of("gemm/gemm")]
    return bars("Speed of the golden GEMM relative to sgemm", rows, ["times sgemm"], "{:.2f}")


def quantize():
    rows = [(name, [rate[1] if isinstance(rate, list) else tables.number(rate) if isinstance(rate, str) else rate])
            for name, rate, *_ in rows_of("quantize/presets")]
    return bars("Quantizing with each preset, M elements/s", rows, ["M elements/s"])


def mutation():
    return bars("Mutants by result", [(name, [count]) for name, count in rows_of("mutation/results")], ["mutants"])


PLOTS = (utilization, queue, roofline, latency, scaling, clock, area, depth, speed, minilm, decoder, magika, gemm,
         quantize, mutation)


def outputs():
    """Yields the path and the text of each plot."""
    for plot in PLOTS:
        yield pathlib.Path(__file__).with_name(f"plot_{plot.__name__}.svg"), plot().written("scripts/figures")
