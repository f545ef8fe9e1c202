#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the netlist of every module of the engine together with its source, for one simulation.

Yosys maps the whole hierarchy to simple gates. Each module's netlist, with the sources of inner modules, is compared
with its source. Writes netlist.sv, top module netlist_top, and modules.txt with the names of the pairs; "(wires)" marks
a module that only contains wires and instances. fault_i selects a planted fault, from 1, in the netlists of the modules
that faulty_i selects.
"""
import argparse
import json
import os
import random
import re
import subprocess

FAULTS = 12  # per module
WIRES = " (wires)"
# Inputs that keep a module inactive unless they are rare.
RARE = re.compile(r"clear|halt|drop|start|soft_reset|error")
# Inputs of struct types of mxe_pkg, and the functions that make them from random bits.
STRUCTS = {"fmt_i": "random_fmt", "job_i": "random_job", "result_i": "random_result"}
# The same of hand-overs with fields that are rarely set or sizes.
RARE_STRUCTS = {"control_i": "random_control", "load_i": "random_load", "status_i": "random_status",
                "axi_i": "random_axi", "shape_i": "random_shape", "matrix_i": "random_matrix"}
# Hand-overs of any values.
ANY_STRUCTS = {"watch_i", "fault_i", "word_i", "fetch_i", "desc_req_i", "bias_req_i", "b_req_i", "a_req_i", "write_i",
               "record_i", "results_i"}
RANDOM_STRUCTS = """
// Most are one of the formats that there are.
function automatic mxe_pkg::fmt_info_t random_fmt(input mxe_pkg::fmt_info_t bits, input logic is_small);
  return (is_small || bits.mag_mask[0]) ? mxe_pkg::fmt_info(bits.max_code[2:0]) : bits;
endfunction
function automatic mxe_pkg::operand_t random_operand(input mxe_pkg::operand_t bits, input logic is_small);
  random_operand = bits;
  random_operand.fmt = random_fmt(bits.fmt, is_small);
  if (is_small) random_operand.row_bytes = bits.row_bytes & 127;
endfunction
function automatic mxe_pkg::result_t random_result(input mxe_pkg::result_t bits, input logic is_small);
  random_result = bits;
  random_result.fmt = random_fmt(bits.fmt, is_small);
endfunction
function automatic mxe_pkg::job_t random_job(input mxe_pkg::job_t bits, input logic is_small);
  random_job = bits;
  random_job.a = random_operand(bits.a, is_small);
  random_job.b = random_operand(bits.b, is_small);
  random_job.d = random_result(bits.d, is_small);
  if (is_small) begin
    random_job.m = bits.m & 127;
    random_job.n = bits.n & 127;
    random_job.k_blocks = bits.k_blocks & 127;
    random_job.k_words = bits.k_words & 127;
  end
endfunction
function automatic mxe_pkg::control_t random_control(input mxe_pkg::control_t bits, rare, input logic is_small);
  random_control = bits;
  random_control.start = rare.start;
  random_control.halt = rare.halt;
  random_control.clear = rare.clear;
endfunction
function automatic mxe_pkg::load_t random_load(input mxe_pkg::load_t bits, rare, input logic is_small);
  random_load = bits;
  random_load.start = rare.start;
endfunction
function automatic mxe_pkg::status_t random_status(input mxe_pkg::status_t bits, rare, input logic is_small);
  random_status = bits;
  random_status.rd_error = rare.rd_error;
  random_status.desc_error = rare.desc_error;
  random_status.wr_error = rare.wr_error;
endfunction
function automatic mxe_pkg::axi_in_t random_axi(input mxe_pkg::axi_in_t bits, rare, input logic is_small);
  random_axi = bits;
  random_axi.r_error = rare.r_error;
  random_axi.b_error = rare.b_error;
endfunction
function automatic mxe_pkg::shape_t random_shape(input mxe_pkg::shape_t bits, rare, input logic is_small);
  random_shape = bits;
  if (is_small) begin
    random_shape.m = bits.m & 127;
    random_shape.n = bits.n & 127;
    random_shape.k_words = bits.k_words & 127;
  end
endfunction
function automatic mxe_pkg::matrix_t random_matrix(input mxe_pkg::matrix_t bits, rare, input logic is_small);
  random_matrix = bits;
  if (is_small) begin
    random_matrix.m = bits.m & 127;
    random_matrix.n = bits.n & 127;
  end
endfunction
"""

SCRIPT = """
read_verilog -sv -I{include} {sources}
chparam {parameters} {top}
hierarchy -check -top {top}
proc -noopt
write_json {work}/source.json
opt -full
wreduce
alumacc
memory -nomap
opt_clean
techmap
{abc}
splitnets
opt_clean
write_verilog -noattr {work}/gates.v
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--yosys", default="yosys")
    parser.add_argument("--include", required=True)
    parser.add_argument("--top", default="mxe_top")
    parser.add_argument("--abc", default="abc -fast -g simple", help="command; newer versions of Yosys have no -fast")
    parser.add_argument("--parameter", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--output", required=True, help="directory")
    parser.add_argument("sources", nargs="+")
    return parser.parse_args()


def synthesize(args):
    """The modules as Yosys read them, and the text of each netlist."""
    parameters = " ".join("-set " + p.replace("=", " ") for p in args.parameter)
    script = SCRIPT.format(include=args.include, sources=" ".join(args.sources), top=args.top,
                           parameters=parameters, work=args.output, abc=args.abc)
    path = os.path.join(args.output, "netlist.ys")
    with open(path, "w", encoding="utf-8") as file:
        file.write(script)
    subprocess.run([args.yosys, "-q", "-s", path], check=True)
    with open(os.path.join(args.output, "source.json"), encoding="utf-8") as file:
        modules = json.load(file)["modules"]
    with open(os.path.join(args.output, "gates.v"), encoding="utf-8") as file:
        gates = file.read()
    texts = re.findall(r"^module .*?^endmodule", gates, re.MULTILINE | re.DOTALL)
    return modules, {re.match(r"module \\?([^\s(]+)", t)[1]: t for t in texts}


class Module:
    def __init__(self, number, name, description):
        self.number = number
        self.name = name
        hdlname = description["attributes"].get("hdlname", name)
        self.source = hdlname.lstrip("\\")
        self.ports = {n: (p["direction"], len(p["bits"])) for n, p in description["ports"].items()}
        self.parameters = {n: int(v, 2)
                           for n, v in description.get("parameter_default_values", {}).items()}

    def label(self):
        return " ".join([self.source] + [f"{n}={v}" for n, v in self.parameters.items()])

    def instance(self, name):
        parameters = ", ".join(f".{n}({v})" for n, v in self.parameters.items())
        return f"{self.source} #({parameters}) {name}"

    def child(self):
        ports = ", ".join(f"{'input' if d == 'input' else 'output'} logic [{w - 1}:0] {n}"
                          for n, (d, w) in self.ports.items())
        return f"module child_{self.number} ({ports});\n  {self.instance('u')} (.*);\nendmodule\n"

    def stimulus(self, name, width, offset):
        """The driver of an input: random values that change each cycle, rarely, or are rarely set."""
        part = f"[{offset} +: {width}]"
        if width == 1:
            return f"(rare_i{part} | ({0 if RARE.search(name) else 1} & fast_i{part}))"
        if name == "desc_i":  # random values would always violate the first rule
            reserved = "mxe_reg_pkg::DESC_RESERVED_MASK"
            return (f"(((small_i ? rare_i{part} : fast_i{part}) & ~{reserved}) | "
                    f"(seldom_i ? 1024'd0 : (rare_i{part} & fast_i{part} & {reserved})))")
        if name in ANY_STRUCTS and width != 256:  # the word_i of decoders is no struct
            return f"(seldom_i ? slow_i{part} : fast_i{part})"
        if name in RARE_STRUCTS:
            sizes = f"(seldom_i ? slow_i{part} : fast_i{part})" if name in ("shape_i", "matrix_i") else f"fast_i{part}"
            return f"{RARE_STRUCTS[name]}({sizes}, rare_i{part}, small_i)"
        if name in STRUCTS:
            return f"{STRUCTS[name]}(seldom_i ? slow_i{part} : fast_i{part}, small_i)"
        if width < 16:
            return f"fast_i{part}"
        return f"((seldom_i ? slow_i{part} : fast_i{part}) & (small_i ? {width}'d127 : ~{width}'d0))"

    def pair(self):
        """Source and netlist in parallel, and a flag for different outputs."""
        lines = [f"module pair_{self.number} (input logic clk_i, rst_ni, seldom_i, small_i,",
                 "  input logic [VECTOR-1:0] fast_i, slow_i, rare_i, output logic differs_o);"]
        connections = {"source": [], "netlist": []}
        differences = []
        offset = 0
        for name, (direction, width) in self.ports.items():
            if direction == "input":
                if name in ("clk_i", "rst_ni"):
                    value = name
                else:
                    lines.append(f"  wire [{width - 1}:0] {name} = "
                                 f"{self.stimulus(name, width, offset)};")
                    offset += width
                    value = name
                for side in connections:
                    connections[side].append(f".{name}({value})")
            else:
                lines.append(f"  wire [{width - 1}:0] source_{name}, netlist_{name};")
                for side in connections:
                    connections[side].append(f".{name}({side}_{name})")
                differences.append(f"(source_{name} != netlist_{name})")
        lines += [f"  {self.instance('u_source')} ({', '.join(connections['source'])});",
                  f"  gates_{self.number} u_netlist ({', '.join(connections['netlist'])});",
                  f"  assign differs_o = {' | '.join(differences)};", "endmodule", ""]
        return "\n".join(lines), offset


def with_faults(text, module, chooser):
    """Plants up to FAULTS inverted gates or registers, which a fault number selects. Returns the text and their
    count, 0 without gates. The bits of a register are one place, or descriptors of 896 bits would get all faults."""
    # Assignments without an operator only rename wires, which are often unused.
    places = {}
    for match in re.finditer(r"^  assign .*? = (.*[~&|^?].*);$|(\S+) +<= (.*);$", text, re.MULTILINE):
        group = 1 if match[1] else 3
        name = match.start() if match[1] else re.sub(r"\[\d+\]$", "", match[2])
        places.setdefault(name, []).append(match.span(group))
    chosen = [chooser.choice(bits) for bits in chooser.sample(list(places.values()), min(FAULTS, len(places)))]
    for number, (start, end) in enumerate(sorted(chosen, reverse=True)):
        text = (f"{text[:start]}({text[start:end]}) ^ "
                f"(fault_pkg::faulty[{module}] && fault_pkg::chosen == {1 + number}){text[end:]}")
    return text, len(chosen)


def main():
    args = arguments()
    os.makedirs(args.output, exist_ok=True)
    descriptions, texts = synthesize(args)
    modules = {name: Module(number, name, descriptions[name])
               for number, name in enumerate(sorted(set(descriptions) & set(texts)))}
    chooser = random.Random(1)
    gates, pairs, labels, width = [], [], [], 1
    for module in modules.values():
        text = texts[module.name]
        head, body = text.split("\n", 1)
        head = re.sub(r"^module \S+?\s*\(", f"module gates_{module.number} (", head)
        for inner in modules.values():
            body = body.replace(f"\n  \\{inner.name}  ", f"\n  child_{inner.number} ")
            body = body.replace(f"\n  {inner.name} ", f"\n  child_{inner.number} ")
        text, faults = with_faults(head + "\n" + body, module.number, chooser)
        gates.append(text)
        labels.append(module.label() + ("" if faults else WIRES))
        pair, used = module.pair()
        pairs.append(pair)
        width = max(width, used)
    top = ["module netlist_top (input logic clk_i, rst_ni, seldom_i, small_i,",
           "  input logic [VECTOR-1:0] fast_i, slow_i, rare_i, input int fault_i,",
           f"  input logic [{len(modules) - 1}:0] faulty_i,",
           f"  output logic [{len(modules) - 1}:0] differs_o);",
           "  always_comb fault_pkg::chosen = fault_i;",
           "  always_comb fault_pkg::faulty = faulty_i;"]
    top += [f"  pair_{m.number} u_{m.number} (.differs_o(differs_o[{m.number}]), .*);"
            for m in modules.values()]
    with open(os.path.join(args.output, "netlist.sv"), "w", encoding="utf-8") as file:
        file.write("package fault_pkg;\n  int chosen;\n"
                   f"  logic [{len(modules) - 1}:0] faulty;\nendpackage\n")
        file.write(f"localparam int VECTOR = {(width + 31) // 32 * 32};\n")
        file.write(RANDOM_STRUCTS)
        file.write("\n".join(gates + [m.child() for m in modules.values()] + pairs + top))
        file.write("\nendmodule\n")
    with open(os.path.join(args.output, "modules.txt"), "w", encoding="utf-8") as file:
        file.writelines(label + "\n" for label in labels)


if __name__ == "__main__":
    main()
