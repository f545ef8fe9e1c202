#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes invented points in the form of mxe explore; the same seed gives the same points.

    points.py DIR [--points N] [--layers N] [--seed N]
"""
import argparse
import hashlib
import json
import math
import os
import random

FORMATS = {"mxfp8_e4m3": (8.25, 27.5), "mxfp6_e2m3": (6.25, 27.9), "mxint8": (8.25, 38.6), "mxfp4_e2m1": (4.25, 15.8)}
PAIRS = [("mxfp8_e4m3", "mxfp8_e4m3"), ("mxfp8_e4m3", "mxfp4_e2m1"), ("mxfp6_e2m3", "mxfp6_e2m3"),
         ("mxint8", "mxint8"), ("mxfp4_e2m1", "mxfp4_e2m1")]
# Would end the page's script and add an element if it were not escaped.
NASTY = "</script><script>window.broken=1</script><img src=x onerror=window.broken=1>"
STALLS = ["stall_a", "stall_b", "stall_c", "stall_drain", "stall_latency", "idle"]


def layer_of(draw, number, parameters, formats, bytes_per_cycle):
    m, n, k = (draw.choice([64, 196, 784, 3136]), draw.choice([64, 256, 512]), draw.choice([64, 576, 2304]))
    macs = m * n * k
    dual = parameters["FP4_DUAL"] and formats == ("mxfp4_e2m1", "mxfp4_e2m1")
    busy = macs / (32 * parameters["NUM_PE"] * (2 if dual else 1))
    bits = [FORMATS[f][0] for f in formats]
    read = (m * k * bits[0] + n * k * bits[1]) / 8 * draw.uniform(1, 1.6)
    bound = max(busy, (read + 4 * m * n) / bytes_per_cycle)
    stalls = {name: int(busy * draw.uniform(0, 0.1)) for name in STALLS}
    stalls["stall_b"] += int(bound - busy)
    cycles = int(busy) + sum(stalls.values())
    if number == 3 and formats[0] != "mxfp4_e2m1":
        formats = (formats[0], "mxfp6_e3m2")  # its own format of B
    return {"name": NASTY if number == 1 else f"layer{number // 4}.{number % 4}.conv", "m": m, "n": n, "k": k,
            "count": draw.choice([1, 1, 2]), "format_a": formats[0], "format_b": formats[1], "cycles": cycles,
            "macs": macs, "bound_cycles": int(bound), "bound_by": "memory" if bound > busy else "array",
            "b": "kv_cache" if number % 7 == 2 else "weights", "b_bytes": n * k * bits[1] / 8, "stalls": stalls, "bytes_read": int(read),
            "bytes_written": 4 * m * n}


def point_of(draw, workload, layers):
    parameters = {"NUM_PE": draw.choice([4, 8, 16, 32]), "ROWS": draw.choice([32, 64]),
                  "ACC_TILES": draw.choice([2, 4]), "TREE_W": 70, "FP4_DUAL": 1, "A_SLAB_K": 1024,
                  "B_BUF_K": 256, "MEM_W": draw.choice([128, 256, 512]), "QUEUE_DEPTH": 16, "MAX_BURST": 16}
    formats = draw.choice(PAIRS)
    bandwidth = parameters["MEM_W"] // 8
    shape = random.Random(workload)  # the same layers for every point of a workload
    table = [layer_of(shape, i, parameters, formats, bandwidth) for i in range(layers)]
    for layer in table:
        layer["cycles"] += layer["stalls"]["idle"] // 2 * draw.choice([0, 1])

    def total(key):
        return sum(layer[key] * layer["count"] for layer in table)

    cycles, macs = total("cycles"), total("macs")
    clock = 1000
    seconds = cycles / (clock * 1e6)
    area = 25e3 + 101e3 * parameters["NUM_PE"] + 250 * parameters["MEM_W"]
    traffic = total("bytes_read") + total("bytes_written")
    energy = {"mac": macs * 0.6e-12, "sram": macs * 0.1e-12, "dram": traffic * 32e-12}
    point = {"version": 1, "parameters": parameters, "format_a": formats[0], "format_b": formats[1],
             "format_d": "fp32", "mem_latency": draw.choice([32, 64, 128]), "mem_bytes_per_cycle": draw.choice([bandwidth // 2, 0]),
             "clock_mhz": clock, "engines": 1, "workload": workload, "batch": 1, "tokens": 0, "macs": macs,
             "cycles": cycles, "seconds": seconds, "items_per_second": 1 / seconds,
             "bound_cycles": total("bound_cycles"), "lower_bound": total("bound_cycles"),
             "utilisation": total("bound_cycles") / cycles * 0.97,
             "roofline_share": total("bound_cycles") / cycles, "bound_by": "array", "bound_by_share": 0.7,
             "b_bytes": sum(l["b_bytes"] for l in table), "weight_bytes": sum(l["b_bytes"] for l in table if l["b"] == "weights"),
             "kv_bytes": sum(l["b_bytes"] for l in table if l["b"] == "kv_cache"), "kv_formats": [formats[1]],
             "stalls": {s: sum(l["stalls"][s] * l["count"] for l in table) for s in STALLS},
             "bytes_read": total("bytes_read"), "bytes_written": total("bytes_written"),
             "compulsory_bytes": int(traffic / 1.3),
             "area": {"ge": area, "sram_kib": parameters["ROWS"] * parameters["ACC_TILES"] * parameters["NUM_PE"] / 32 + 90,
                      "error": 0.012, "synthesized": draw.random() < 0.3},
             "macs_per_second_per_ge": macs / seconds / area,
             "energy": dict(energy, joules=sum(energy.values())),
             "sqnr_db": -10 * math.log10(sum(10 ** (-FORMATS[f][1] / 10) for f in formats) / 2),
             "layers": table}
    identity = hashlib.sha256(json.dumps([parameters, formats, point["mem_latency"], workload]).encode())
    return {"id": identity.hexdigest()[:16], **point}


def mixtures_of(draw, workload, layers, number):
    """The front of invented mixtures: accuracy grows with the cycles; the last one has a single pair."""
    names = [NASTY if i == 1 else f"layer{i // 4}.{i % 4}*" for i in range(layers)]
    made = []
    for i in range(number):
        pairs = [PAIRS[0] if draw.random() < i / (number - 1) else draw.choice(PAIRS) for _ in names]
        cycles, sqnr = 100000 + 1000 * i + draw.randrange(900), 8 + 20 * i / number
        made.append({"workload": workload, "cycles": cycles, "seconds": cycles / 1e9, "noise": 10 ** (-sqnr / 10),
                     "sqnr_db": sqnr, "exact": False, "correct": 400 + i,
                     "layers": [{"name": n, "format_a": a, "format_b": b} for n, (a, b) in zip(names, pairs)]})
    made[number // 3]["chosen"] = True
    return made


def write(folder, points=120, layers=30, seed=18, workloads=("resnet50_b1", "llama3_8b " + NASTY)):
    """The written points, the id of the one with a trace, and the mixtures."""
    draw = random.Random(seed)
    made = {}
    for number in range(points):
        point = point_of(draw, workloads[number % len(workloads)], layers)
        made[point["id"]] = point
    os.makedirs(os.path.join(folder, "traces"), exist_ok=True)
    with open(os.path.join(folder, "points.jsonl"), "w", encoding="utf-8") as file:
        for point in made.values():
            file.write(json.dumps(point) + "\n")
    with open(os.path.join(folder, "space.json"), "w", encoding="utf-8") as file:
        json.dump({"version": 1, "workloads": list(workloads),
                   "skipped": {"B_BUF_K must be at most A_SLAB_K": 12, "pair needs TREE_W 56 (" + NASTY + ")": 3}}, file)
    mixtures = [m for w in workloads[:1] for m in mixtures_of(draw, w, layers, 90)]
    with open(os.path.join(folder, "formats.jsonl"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(mixture) + "\n" for mixture in mixtures)
    traced = next(p for p in made.values() if p["workload"] == workloads[0])
    with open(os.path.join(folder, "traces", traced["id"] + ".json"), "w", encoding="utf-8") as file:
        file.write('{"traceEvents":[]}')
    return list(made.values()), traced["id"], mixtures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--points", type=int, default=120)
    parser.add_argument("--layers", type=int, default=30)
    parser.add_argument("--seed", type=int, default=18)
    args = parser.parse_args()
    write(args.folder, args.points, args.layers, args.seed)
