#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the timing diagrams of the pages from simulations of the RTL: docs/figures/NAME.json, for WaveDrom.

  .venv-docs/bin/python docs/figures/waves.py build           runs the simulations and writes the files
  .venv-docs/bin/python docs/figures/waves.py build --check   compares the files instead; exit status 1 if one differs

Needs build/mxe, build/mxe-run, the design small_fst and build/firmware/abort64.elf.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import pywellen

HERE = pathlib.Path(__file__).resolve().parent
STATES = {0: "idle", 1: "setup", 2: "start", 3: "run", 4: "abort", 5: "clear", 6: "reset"}
ESTIMATE = ["mxe", "estimate", "8", "8", "128", "--format-a", "mxfp8_e4m3", "--format-b", "mxfp8_e4m3"]
ABORT = ["mxe", "run", "firmware/abort64.elf"]


@dataclasses.dataclass
class Lane:
    """A row of a diagram: a signal of mxe_top, its label, and the texts of its values if it is a bus."""
    label: str
    signal: str
    texts: object = None  # for a bus: a function from value to text
    valid: str = ""       # the bus is shown only while this signal is 1


@dataclasses.dataclass
class Diagram:
    name: str
    command: list
    title: str
    zero: tuple      # (signal, n): cycle 0 is the n-th cycle in which the signal is 1, counted from 1
    windows: list    # (first, last) cycle of each part that is shown
    lanes: list
    skin: str = "default"


SEQ, CMD = "u_datapath.u_seq.", "u_cmd."
READ_ERROR = "u_datapath.rd_error_q"
STATE = Lane("mxe_cmd", CMD + "state_q", STATES.get)
DIAGRAMS = [
    Diagram("pass", ESTIMATE, "The last pass of a tile, on small (ROWS = 8)", (SEQ + "last_o", 1), [(-2, 19)], [
        Lane("pass_start_o", SEQ + "pass_start_o"),
        Lane("row_valid_o", SEQ + "row_valid_o"),
        Lane("row_o", SEQ + "row_o", str, SEQ + "row_valid_o"),
        Lane("word of K", SEQ + "a_word_o", str, SEQ + "row_valid_o"),
        Lane("PEs take B", "u_datapath.u_array.b_swap"),
        Lane("stall_b", SEQ + "stall_b_o"),
        Lane("stall_latency", SEQ + "stall_latency_o"),
        Lane("results valid", "u_datapath.u_array.res_valid_o"),
        Lane("row of results", "u_datapath.u_array.res_row_o", str, "u_datapath.u_array.res_valid_o"),
    ]),
    Diagram("job", ESTIMATE, "A job of 8 x 8 x 128 on small, from doorbell to interrupt", ("doorbell", 2),
            [(-2, 4), (34, 36), (41, 51), (266, 269), (299, 306), (336, 341)], [
        Lane("s_awvalid_i", "s_awvalid_i"),
        Lane("doorbell", "doorbell"),
        Lane("m_arvalid_o", "m_arvalid_o"),
        Lane("m_rvalid_i", "m_rvalid_i"),
        Lane("m_rlast_i", "m_rlast_i", None, "m_rvalid_i"),
        STATE,
        Lane("m_awvalid_o", "m_awvalid_o"),
        Lane("m_wvalid_o", "m_wvalid_o"),
        Lane("m_bvalid_i", "m_bvalid_i"),
        Lane("irq_o", "irq_o"),
    ], "narrow"),
    Diagram("abort", ABORT, "A bus error on an operand, on small", (READ_ERROR, 1), [(-3, 4), (36, 46), (76, 79)], [
        Lane("m_rvalid_i", "m_rvalid_i"),
        Lane("m_rresp_i", "m_rresp_i", lambda value: {0: "ok", 3: "error"}[value], "m_rvalid_i"),
        Lane("rd_error", READ_ERROR),
        STATE,
        Lane("halt", CMD + "halt"),
        Lane("rd_idle", "u_datapath.u_rd_port.idle_o"),
        Lane("clear", CMD + "clear"),
        Lane("m_awvalid_o", "m_awvalid_o"),
        Lane("m_wvalid_o", "m_wvalid_o"),
        Lane("m_bvalid_i", "m_bvalid_i"),
    ]),
]


class Waves:
    """The values of signals in each cycle of a recording, just before the rising edge of the clock."""

    def __init__(self, path):
        recording = pywellen.Waveform(str(path))
        self.variables = {variable.full_name: variable for variable in recording.all_vars()}
        levels = [(time, int(value)) for time, value in self.find("clk_i").tv]
        self.edges = [time for (_, before), (time, level) in zip(levels, levels[1:]) if level > before]

    def find(self, signal):
        return self.variables[f"mxe_top.mxe_top.{signal}"]

    def values(self, signal):
        recorded = self.find(signal).signal
        return [int(recorded.value_at(edge - 1)) for edge in self.edges]


def zero_of(waves, signal, number):
    values = waves.values(signal)
    return [cycle for cycle, value in enumerate(values) if value][number - 1]


def lane_of(waves, lane, zero, windows, narrow):
    """A row of the diagram. A narrow one has no space for the texts of values that last a cycle."""
    values = waves.values(lane.signal)
    valid = waves.values(lane.valid) if lane.valid else [1] * len(values)
    wave, data, previous = "", [], None
    for number, (first, last) in enumerate(windows):
        wave += "|" if number else ""
        for cycle in range(zero + first, zero + last + 1):
            shown = values[cycle] if valid[cycle] else "x"
            if shown == previous:
                wave += "."
            elif shown == "x" or lane.texts is None:
                wave += str(shown)
            else:
                wave += "="
                lasts = values[cycle + 1] == shown
                data.append(lane.texts(shown) if lasts or not narrow else " ")
            previous = shown
    return {"name": lane.label, "wave": wave, **({"data": data} if data else {})}


def cycles_of(windows, one_by_one):
    """The row with the numbers of the cycles, of each or of each window."""
    if one_by_one:
        numbers = [cycle for first, last in windows for cycle in range(first, last + 1)]
        wave = "|".join("3" * (last - first + 1) for first, last in windows)
        return {"name": "cycle", "wave": wave, "data": [str(number) for number in numbers]}
    wave = "|".join("3" + "." * (last - first) for first, last in windows)
    return {"name": "cycles", "wave": wave, "data": [f"{first}..{last}" for first, last in windows]}


def drawn(diagram, waves):
    zero = zero_of(waves, *diagram.zero)
    narrow = diagram.skin == "narrow"
    lanes = [cycles_of(diagram.windows, not narrow)]
    lanes += [lane_of(waves, lane, zero, diagram.windows, narrow) for lane in diagram.lanes]
    return {"head": {"text": diagram.title}, "config": {"skin": diagram.skin}, "signal": lanes}


def written(drawing):
    """The diagram as JSON with a line for each row."""
    rows = ",\n".join("  " + json.dumps(lane) for lane in drawing["signal"])
    rest = ",\n".join(f'"{key}": {json.dumps(drawing[key])}' for key in ("head", "config"))
    return f'{{{rest},\n"signal": [\n{rows}\n]}}\n'


def record(command, build, folder):
    """Runs a simulation of `small` and returns its waves."""
    path = pathlib.Path(folder) / f"{command[1]}.fst"
    program, *words = command
    words = [str(build / word) if "/" in word else word for word in words]
    environment = os.environ | {"SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}
    subprocess.run([build / program, *words, "--on", "rtl", "--config", "small", "--waves", path],
                   stdout=subprocess.DEVNULL, env=environment, check=True)
    return Waves(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="the build folder")
    parser.add_argument("--check", action="store_true", help="compare the files, do not write them")
    options = parser.parse_args()
    status = 0
    with tempfile.TemporaryDirectory(prefix="mxe_waves_") as folder:
        recordings = {}
        for diagram in DIAGRAMS:
            key = tuple(diagram.command)
            if key not in recordings:
                recordings[key] = record(diagram.command, options.build.resolve(), folder)
            text = written(drawn(diagram, recordings[key]))
            path = HERE / f"{diagram.name}.json"
            if not options.check:
                path.write_text(text, encoding="utf-8")
            elif not path.exists() or path.read_text(encoding="utf-8") != text:
                print(f"{path}: differs from the simulation:\n{text}", file=sys.stderr)
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
