#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes mutants of the engine: small faults that Yosys draws from every module; a number selects one at run time.

There are several copies of the RTL, the groups, because one with all mutants would be slow. In each, Yosys has written
some modules with their mutants; the others are the sources.

Writes to the output directory
  <group>/*.sv   the engine with the mutants of one group, top module mxe_top
  <group>.vlt    the signals that a simulation shows (from mxe_states.vlt)
  mutants.json   list of the mutants: number, group, module, change, and line of the source
  mutants.il     the engine without mutants, as Yosys read it
  promises.il    the same with the assertions and requirements of the modules, for proofs
"""
import argparse
import json
import math
import os
import re
import subprocess

TOP = "mxe_top"
# Designers do not make faults in clocks or resets, so these are not mutated.
UNTOUCHED_PORTS = {"CLK", "ARST", "clk_i", "rst_ni"}
# By the block diagram, each about a quarter of the engine.
GROUPS = {
    "control": ["top", "regs", "cmd", "desc", "record", "job", "check", "counters", "walk", "rows", "load", "load_bias",
                "bursts", "rd_port", "unpack", "expand", "opbuf", "cbuf", "ram", "fifo", "feed", "seq", "datapath"],
    "results": ["drain", "merge", "factor", "alpha", "collect", "amax", "narrow", "requant", "requant_scale", "requant_lane",
                "block_wr", "wr_port"],
    "sums": ["array", "pe", "scale", "scale_e4m3", "scales_e4m3", "scaled_block", "scaled_sum", "facc", "tree", "dot"],
    "products": ["decode", "decode4", "decode_word", "lane", "quad", "csa"],
}

READ = """
read_verilog -sv {options} -I{include} {sources}
chparam {parameters} {top}
hierarchy -check -top {top}
"""

DESIGN = """
# Names by which simulations find registers, to be kept.
setattr -set kept_name 1 w:*value_q w:*state_q
proc
opt -full
wreduce
opt_clean
rename -top {top}
write_rtlil {work}/mutants.il
write_json {work}/modules.json
"""

PROMISES = """
proc
opt_clean
rename -top {top}
write_rtlil {work}/promises.il
"""


class ListGroups(argparse.Action):
    def __call__(self, parser, *_):
        print(*GROUPS)
        parser.exit()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list-groups", action=ListGroups, nargs=0, help="print the groups' names")
    parser.add_argument("--yosys", default="yosys")
    parser.add_argument("--include", required=True, help="directory of the headers")
    parser.add_argument("--states", required=True, help="mxe_states.vlt")
    parser.add_argument("--parameter", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--count", type=int, default=600, help="mutants to make, about")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", required=True, help="directory")
    parser.add_argument("sources", nargs="+")
    return parser.parse_args()


def run_yosys(args, name, script):
    path = os.path.join(args.output, name)
    write(path, script)
    subprocess.run([args.yosys, "-q", "-s", path], check=True)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def take(args, name):
    text = read(args.output, name)
    os.remove(os.path.join(args.output, name))
    return text


def write(path, text):
    """Writes a file only if it changes, so that later build steps do not run again."""
    if os.path.exists(path) and read(path) == text:
        return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def source_name(module):
    """The name in the source: mxe_fifo for $paramod$<hash>\\mxe_fifo."""
    return re.search(r"mxe_\w+", module)[0]


def counts(args, modules):
    """Mutants of each module: proportional to the square root of its size, so that small modules have some. Versions
    with other parameters share them."""
    text = read(args.output, "mutants.il")
    bodies = re.findall(r"^module (\S+)$(.*?)^end$", text, re.MULTILINE | re.DOTALL)
    cells = {name.lstrip("\\"): body.count("\n  cell ") for name, body in bodies}
    versions = {}
    for module in modules:
        versions.setdefault(source_name(module), []).append(module)
    weights = {m: math.sqrt(max(cells[m], 1)) / len(versions[source_name(m)]) for m in modules}
    total = sum(weights.values())
    return {m: max(2, round(args.count * w / total)) for m, w in weights.items()}


class Mutant:
    def __init__(self, line):
        words = line.split()
        options = {}
        self.source = []
        index = 1
        while index < len(words):
            option = words[index].lstrip("-")
            if option == "ctrl":
                index += 4
                continue
            if option == "src":
                self.source.append(words[index + 1])
            else:
                options[option] = words[index + 1]
            index += 2
        self.options = options

    def is_wanted(self):
        port = self.options["port"].lstrip("\\")
        # Tests set the registers of the counters, so these must stay registers.
        is_counter = source_name(self.options["module"]) == "mxe_counters" and port == "Q"
        return port not in UNTOUCHED_PORTS and not is_counter

    def command(self, number=None):
        """The Yosys command for the mutant: selected by `number`, or permanent."""
        keep = ("mode", "module", "cell", "port", "portbit", "ctrlbit")
        options = " ".join(f"-{k} {self.options[k]}" for k in keep if k in self.options)
        switch = f"-ctrl mutant 16 {number} " if number is not None else ""
        return f"mutate {switch}{options}"

    def describe(self, number, include):
        wire = self.options.get("wire")
        where = f"{wire}[{self.options['wirebit']}]" if wire else (
            f"{self.options['port']}[{self.options['portbit']}]")
        places = [s.replace(include + "/", "") for s in self.source]
        module = source_name(self.options["module"])
        group = next(g for g, names in GROUPS.items() if module[len("mxe_"):] in names)
        return {"number": number, "group": group, "module": module,
                "mode": self.options["mode"], "where": where.replace("\\", ""),
                "cell": self.options["cell"].replace(include + "/", "").replace("\\", ""),
                "source": places[-1] if places else "", "command": self.command()}


def list_mutants(args, modules):
    wanted = counts(args, modules)
    script = f"read_rtlil {args.output}/mutants.il\n"
    for index, (module, count) in enumerate(wanted.items()):
        script += (f"mutate -list {2 * count} -seed {args.seed} -module {module} "
                   f"-o {args.output}/list-{index}.txt\n")
    run_yosys(args, "list.ys", script)
    mutants = []
    for index, count in enumerate(wanted.values()):
        lines = [Mutant(line) for line in take(args, f"list-{index}.txt").splitlines()]
        mutants += [m for m in lines if m.is_wanted()][:count]
    return mutants


class Module:
    def __init__(self, args, name, number, description):
        self.name = name
        self.source = source_name(name)
        self.plain = f"{self.source}__{number}"
        self.parameters = {n: int(v, 2)
                           for n, v in description.get("parameter_default_values", {}).items()}
        self.ports = {n: (p["direction"], len(p["bits"])) for n, p in description["ports"].items()}
        self.path = next(p for p in args.sources if os.path.basename(p) == self.source + ".sv")

    def child(self):
        ports = ", ".join(f"{d} logic [{w - 1}:0] {n}" for n, (d, w) in self.ports.items())
        values = ", ".join(f".{n}({v})" for n, v in self.parameters.items())
        return f"module {self.plain} ({ports});\n  {self.source} #({values}) u_source (.*);\nendmodule\n"


def distinct(modules):
    """Drops versions that differ only in the types of their parameters."""
    seen = {}
    for module in modules.values():
        seen.setdefault((module.source, tuple(sorted(module.parameters.items()))), module)
    return {m.name: m for m in seen.values()}


def header_of(path):
    return re.match(r".*?^\);\n", read(path), re.MULTILINE | re.DOTALL)[0]


def mutated_modules(args, modules):
    """The text of each module with its mutants; inner modules have their plain names."""
    plain = {m.name: m.plain for m in modules.values()}
    text = take(args, "mutated.v")
    text = re.sub(r"\\(\$paramod\S*) ", lambda m: plain[m[1]] + " ", text)
    text = re.sub(r",\n {4}\.mutant\(mutant\)|^ {4}\.mutant\(mutant\),\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"\n  wire \[15:0\] mutant;", "\n  wire [15:0] mutant = mxe_mutant_pkg::mxe_mutant();",
                  text)
    text = text.replace("\n  input [15:0] mutant;", "")
    text = re.sub(r"^(module [^;]*?)(, mutant\b|\bmutant, )", r"\1", text, flags=re.MULTILINE)
    texts = {}
    for match in re.finditer(r"^module \\?(\S+?) ?\(.*?^endmodule\n", text, re.MULTILINE | re.DOTALL):
        texts[match[1]] = match[0]
    return {m.name: texts[m.plain if m.name != m.source else m.source] for m in modules.values()}


def replacement(versions, texts):
    """A module with the source's name and parameters that instantiates its mutated versions."""
    if len(versions) == 1:
        return with_parameters(versions[0], texts[versions[0].name])
    text = ""
    branches = []
    for version in versions:
        name = version.plain + "_mutated"
        text += re.sub(r"^module \S+?(?= ?\()", f"module {name}", texts[version.name], count=1)
        chosen = " && ".join(f"({n} == {v})" for n, v in version.parameters.items())
        branches.append(f"if ({chosen}) begin : gen_{version.plain}\n    {name} u_mutated (.*);\n  end")
    return (text + header_of(versions[0].path) + "  " + " else ".join(branches) +
            "\nendmodule\n`default_nettype wire\n")


def with_parameters(module, text):
    parameters = ", ".join(f"parameter {n} = {v}" for n, v in module.parameters.items())
    opening = f"module {module.source} " + (f"#({parameters}) " if parameters else "")
    return re.sub(r"^module \S+? ?(?=\()", opening, text, count=1)


def versions_by_source(modules):
    versions = {}
    for module in distinct(modules).values():
        versions.setdefault(module.source, []).append(module)
    return versions


def write_group(args, group, modules, texts):
    directory = os.path.join(args.output, group)
    os.makedirs(directory, exist_ok=True)
    versions = versions_by_source(modules)
    changed = {s: v for s, v in versions.items() if s[len("mxe_"):] in GROUPS[group]}
    # A single version replaces its source directly, so that the paths in simulations stay.
    names = {m.plain: m.source for m in modules.values() if len(changed.get(m.source, ())) == 1}
    texts = {name: re.sub(r"\bmxe_\w+__\d+\b", lambda m: names.get(m[0], m[0]), text)
             for name, text in texts.items()}
    write(f"{directory}/mxe_mutant_pkg.sv", PACKAGE)
    write(f"{directory}/children.sv", "".join(m.child() for m in modules.values()))
    for path in args.sources:
        name = os.path.basename(path)
        source = name[:-len(".sv")]
        write(f"{directory}/{name}", replacement(changed[source], texts) if source in changed
              else read(path))
    lines = []
    for line in read(args.states).splitlines():
        match = re.match(r'(public\w+) -module "(\w+)" -var "(\w+)"', line)
        if not match:
            lines.append(line)
            continue
        mutated = [m.plain + "_mutated" for m in changed.get(match[2], ())]
        for module in mutated if len(mutated) > 1 else [match[2]]:
            lines.append(f'{match[1]} -module "{module}" -var "*{match[3]}"')
    write(f"{args.output}/{group}.vlt", "\n".join(lines) + "\n")


PACKAGE = """package mxe_mutant_pkg;
  import "DPI-C" pure function shortint unsigned mxe_mutant();
endpackage
"""


def main():
    args = arguments()
    os.makedirs(args.output, exist_ok=True)
    values = {"include": args.include, "sources": " ".join(args.sources), "top": TOP,
              "parameters": " ".join("-set " + p.replace("=", " ") for p in args.parameter),
              "work": args.output}
    # Separate runs, so that one does not influence the names in the other.
    run_yosys(args, "read.ys", (READ + DESIGN).format(options="-DSYNTHESIS", **values))
    run_yosys(args, "promises.ys", (READ + PROMISES).format(options="-formal", **values))
    descriptions = json.loads(take(args, "modules.json"))["modules"]
    modules = {name: Module(args, name, i, d)
               for i, (name, d) in enumerate(sorted(descriptions.items()))}
    mutants = list_mutants(args, sorted(distinct(modules)))
    script = f"read_rtlil {args.output}/mutants.il\n"
    script += "".join(m.command(i + 1) + "\n" for i, m in enumerate(mutants))
    script += f"write_verilog -noattr {args.output}/mutated.v\n"
    run_yosys(args, "mutate.ys", script)
    texts = mutated_modules(args, modules)
    for group in GROUPS:
        write_group(args, group, modules, texts)
    description = [m.describe(i + 1, args.include) for i, m in enumerate(mutants)]
    write(f"{args.output}/mutants.json", json.dumps(description, indent=1))


if __name__ == "__main__":
    main()
