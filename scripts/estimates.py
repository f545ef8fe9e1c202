# SPDX-License-Identifier: Apache-2.0
"""What build/mxe says of products and networks, for the scripts that make tables of it."""
import json
import os
import subprocess
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
WORKLOADS = os.path.join(ROOT, "sw", "explore", "workloads")


def answer(*words):
    """What mxe prints."""
    command = [os.path.join(ROOT, "build", "mxe")] + [str(word) for word in words]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def estimate(m, n, k, format_a, format_b, **options):
    """The JSON of `mxe estimate`. An option mem_latency=64 is --mem-latency 64."""
    words = [word for name, value in options.items() for word in ("--" + name.replace("_", "-"), value)]
    return json.loads(answer("estimate", m, n, k, "--format-a", format_a, "--format-b", format_b, "--json", *words))


def share(job):
    """Of the bound that an estimate reaches."""
    return job["bound_cycles"] / job["cycles"]


def explore(workload, config, latencies, format_a, format_b):
    """The points of `mxe explore`, one for each latency, of a workload that ships."""
    with tempfile.TemporaryDirectory() as folder:
        space, output = os.path.join(folder, "space.yaml"), os.path.join(folder, "output")
        with open(space, "w", encoding="utf-8") as file:
            file.write(f"config: {config}\nparameters:\n  mem_latency: {list(latencies)}\n"
                       f"  format_a: [{format_a}]\n  format_b: [{format_b}]\n")
        answer("explore", space, "--workload", os.path.join(WORKLOADS, workload + ".csv"), "--output", output,
               "--parallel", os.cpu_count())
        with open(os.path.join(output, "points.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]


def percent(value):
    return f"{100 * value:.1f} %"
