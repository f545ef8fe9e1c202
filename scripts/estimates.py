# SPDX-License-Identifier: Apache-2.0
import csv
import json
import os
import subprocess
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PROGRAMS = os.environ.get("MXE_PROGRAMS", os.path.join(ROOT, "build"))
WORKLOADS = os.path.join(ROOT, "sw", "explore", "workloads")


def answer(*words):
    command = [os.path.join(PROGRAMS, "mxe")] + [str(word) for word in words]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def estimate(m, n, k, format_a, format_b, *arguments, **options):
    """Returns the JSON of `mxe estimate`. Arguments are passed on. mem_latency=64 becomes --mem-latency 64,
    multicast=True --multicast."""
    words = list(arguments)
    for name, value in options.items():
        if value is not False:
            words += ["--" + name.replace("_", "-")] + ([] if value is True else [value])
    return json.loads(answer("estimate", m, n, k, "--format-a", format_a, "--format-b", format_b, "--json", *words))


def share(job):
    return job["bound_cycles"] / job["cycles"]


def explore(workload, config, latencies, format_a, format_b):
    """Returns the points of `mxe explore` for a shipped workload, one for each latency."""
    with tempfile.TemporaryDirectory() as folder:
        space, output = os.path.join(folder, "space.yaml"), os.path.join(folder, "output")
        with open(space, "w", encoding="utf-8") as file:
            file.write(f"config: {config}\nparameters:\n  mem_latency: {list(latencies)}\n"
                       f"  format_a: [{format_a}]\n  format_b: [{format_b}]\n")
        answer("explore", space, "--workload", os.path.join(WORKLOADS, workload + ".csv"), "--output", output,
               "--parallel", os.cpu_count())
        with open(os.path.join(output, "points.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]


def layers(workload):
    with open(os.path.join(WORKLOADS, workload + ".csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return [(row["layer"],) + tuple(int(row[name]) for name in ("M", "N", "K", "count")) for row in rows]


def queue(target, config, latency, when, result, jobs):
    """Returns the cycles of consecutive jobs (M, N, K, count) without the first one, and the number of jobs counted.
    `when`: the time at which operands are read, `turn`, `early` or `layers`."""
    words = [os.path.join(PROGRAMS, "mxe_queue_cost"), target, config, latency, when, result]
    for job in jobs:
        words += job
    done = subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True)
    cycles, count = done.stdout.split()[-2:]
    return int(cycles), int(count)
