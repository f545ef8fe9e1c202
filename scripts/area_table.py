# SPDX-License-Identifier: Apache-2.0
"""The area of engines of many configurations, by Yosys: sw/explore/data/area.json.

Nothing is flattened, so a module's gates do not depend on the modules around it. A cache keeps the gates of each module
and set of parameters, by a hash of its sources. An engine's area is the sum over its instances.
"""
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import time

from area_flow import GATES, ROOT, RTL, elaborate, gate_costs, yosys

TABLE = os.path.join(ROOT, "sw", "explore", "data", "area.json")
NAMED = {"small": (4, 8, 2, 70, 1, 128, 64, 4, 128, 16, 16, 1),
         "base": (8, 32, 4, 70, 1, 1024, 512, 4, 256, 16, 16, 1),
         "large": (32, 64, 4, 70, 1, 1024, 256, 4, 512, 16, 16, 1)}
VALUES = {"NUM_PE": [1, 2, 4, 8, 16, 32, 64],
          "ROWS": [8, 16, 32, 64, 128, 256],
          "ACC_TILES": [1, 2, 4, 8, 16],
          "TREE_W": [42, 56, 70],
          "FP4_DUAL": [0, 1],
          "A_SLAB_K": [32 << i for i in range(10)],
          "B_BUF_K": [32 << i for i in range(10)],
          "B_BANKS": [2, 4, 8],
          "MEM_W": [64, 128, 256, 512],
          "QUEUE_DEPTH": [2 << i for i in range(8)],
          "MAX_BURST": [1 << i for i in range(9)],
          "NVFP4": [0, 1]}
RANDOM_DESIGNS = 24
PACKAGES = ("mxe_pkg.sv", "mxe_reg_pkg.sv")
NO_GATES = PACKAGES + ("mxe_datapath_checks.sv",)


def legal(design):
    return design["ROWS"] >= design["NUM_PE"] and design["B_BUF_K"] <= design["A_SLAB_K"]


def designs():
    """The named configurations; base with one parameter changed; every kind of PE; random ones from a fixed seed."""
    found = [dict(zip(VALUES, values)) for values in NAMED.values()]
    base = found[1]
    for name, values in VALUES.items():
        found += [dict(base, **{name: value}) for value in values]
    found += [dict(base, TREE_W=width, FP4_DUAL=dual, NVFP4=nvfp4)
              for width in VALUES["TREE_W"] for dual, nvfp4 in ((0, 0), (0, 1), (1, 0))]
    # A separate sequence for the banks of B, so that the other parameters do not depend on it.
    draw, draw_banks = random.Random(18), random.Random(19)
    drawn = 0
    while drawn < RANDOM_DESIGNS:
        design = {name: (draw_banks if name == "B_BANKS" else draw).choice(values)
                  for name, values in VALUES.items()}
        if legal(design):
            found.append(design)
            drawn += 1
    unique = {tuple(d.values()): d for d in found if legal(d)}
    return list(unique.values())


CONDITIONS = {"`ifdef SYNTHESIS": True, "`ifndef SYNTHESIS": False, "`ifdef FORMAL": False, "`ifndef FORMAL": True}
PROMISE = re.compile(r"`MXE_(?:ASSERT|REQUIRE)\(")


def text_of_source(name):
    """Returns a source without comments, assertions and requirements, as synthesis reads it."""
    with open(os.path.join(RTL, name), encoding="utf-8") as file:
        return " ".join(without_promises(synthesized(re.sub(r"//.*", "", file.read()))).split())


def synthesized(text):
    """Removes text under conditions that are false in synthesis."""
    kept, taken = [], []
    for line in text.splitlines():
        directive = line.strip()
        if directive in CONDITIONS:
            taken.append(CONDITIONS[directive])
        elif re.match(r"`ifn?def\b", directive):
            sys.exit(f"area: '{directive}' in the RTL is not known to scripts/area_table.py")
        elif directive == "`else":
            taken[-1] = not taken[-1]
        elif directive == "`endif":
            taken.pop()
        elif all(taken):
            kept.append(line)
    return "\n".join(kept)


def without_promises(text):
    kept = ""
    while promise := PROMISE.search(text):
        kept += text[:promise.start()]
        end, depth = promise.end(), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        text = text[end:]
    return kept + text


def items_of(package):
    """Returns a package's constants, types and functions by name; an enumeration value maps to its enumeration."""
    items = {}
    text = text_of_source(package)
    for found in re.finditer(r"localparam [^;=]*?(\w+) = [^;]*;"
                             r"|typedef (?:struct|enum)[^{]*\{([^}]*)\} (\w+);"
                             r"|function automatic [^;(]*?(\w+) ?\(.*?endfunction", text):
        constant, body, kind, function = found.groups()
        items[constant or kind or function] = found[0]
        if kind and found[0].startswith("typedef enum"):
            items.update(dict.fromkeys(re.findall(r"\w+", body), found[0]))
    return items


def used_items(text, package, items):
    """Returns the texts of the package items that a source uses, directly or through other items."""
    used = {}
    names = set(re.findall(package + r"::(\w+)", text))
    while names:
        name = names.pop()
        if name not in items:
            sys.exit(f"area: {package} declares no '{name}'")
        used[name] = items[name]
        names |= (set(re.findall(r"\w+", items[name])) & items.keys()) - used.keys()
    return [used[name] for name in sorted(used)]


def source_hashes():
    """Returns a hash of each module: of text_of_source(), its package items, GATES and Yosys' version."""
    version = subprocess.run(["yosys", "-V"], capture_output=True, text=True, check=True).stdout.split()[1]
    common = [version] + GATES
    packages = {name[:-3]: items_of(name) for name in PACKAGES}

    def source(name):
        text = text_of_source(name)
        used = [u for package, items in packages.items() for u in used_items(text, package, items)]
        return hashlib.sha256("\n".join([text] + used + common).encode()).hexdigest()[:16]

    return {name[:-3]: source(name)
            for name in sorted(os.listdir(RTL)) if name.endswith(".sv") and name not in NO_GATES}


def modules_of(path):
    """Returns the modules of an elaborated design: their instances and the bits of their memories."""
    modules = {}
    module = None
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("module "):
                module = modules[line.split(None, 1)[1].strip()] = {"cells": {}, "bits": 0}
            elif line.startswith("  cell "):
                kind, name = line.split()[1:3]
                module["cells"][name.lstrip("\\")] = kind
            elif line.startswith("  memory "):
                size = re.match(r"  memory(?: width (\d+))?(?: size (\d+))?", line)
                module["bits"] += int(size[1] or 1) * int(size[2] or 1)
    for module in modules.values():
        module["cells"] = {n: k for n, k in module["cells"].items() if k in modules}
    return modules


class ModuleCache:
    """A file with the gate equivalents of modules, without inner modules, and with rows of the table."""

    def __init__(self, work):
        self.path = os.path.join(work, "modules.json")
        self.sources = source_hashes()
        self.known = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                self.known = json.load(file)

    def key(self, module, design):
        """Yosys' name of a module contains its parameters, except for the top module."""
        name = re.search(r"\\(mxe_\w+)", module)[1]
        values = f"{tuple(design.values())}" if name == "mxe_top" else ""
        return module.lstrip("\\") + values + "@" + self.sources[name]

    def row_key(self, design):
        return f"{tuple(design.values())}@" + hashlib.sha256(repr(self.sources).encode()).hexdigest()[:16]

    def missing(self, modules, design):
        return [m for m in modules if self.key(m, design) not in self.known]

    def add(self, gates, design):
        self.keep({self.key(m, design): value for m, value in gates.items()})

    def keep(self, entries):
        self.known.update(entries)
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            json.dump(self.known, file, indent=0, sort_keys=True)
        os.replace(self.path + ".new", self.path)


def synthesize(work, design, modules, wanted):
    """Returns the gate equivalents of the `wanted` modules of a design; the others are black boxes."""
    stat = os.path.join(work, "table.stat")
    lines = [f"read_ilang {design}", "setattr -mod -unset top mxe_top"]
    lines += [f"blackbox {m}" for m in modules if m not in wanted]
    yosys(work, "table_gates", lines + GATES + [f"tee -q -o {stat} stat -json"])
    with open(stat, encoding="utf-8") as file:
        text = file.read()
    end = text.find("\n   },")
    counted = json.loads(text[:end] + "}}" if end >= 0 else text)["modules"]
    costs = gate_costs()
    return {m: sum(number * (costs["logic"](cell) + costs["register"](cell))
                   for cell, number in counted[m]["num_cells_by_type"].items()) for m in wanted}


def elaborated(work, parameters):
    path = os.path.join(work, "table.il")
    yosys(work, "table_design", elaborate("mxe_top", parameters) + [f"write_ilang {path}"])
    return path, modules_of(path)


def blocks_of(modules):
    """Returns the modules of each block of an engine with their numbers, inner modules included; of the PEs, one."""
    def add(found, module, number=1):
        found[module] = found.get(module, 0) + number
        for kind in modules[module]["cells"].values():
            add(found, kind, number)
        return found

    def child(module, name):
        return modules[module]["cells"][name]

    top = "\\mxe_top"
    datapath = child(top, "u_datapath")
    array = child(datapath, "u_array")
    pes = [k for k in modules[array]["cells"].values() if k.endswith("mxe_pe") or "\\mxe_pe\\" in k]
    blocks = {"glue": {top: 1, datapath: 1}, "pe": add({}, pes[0]), "array": add({}, array)}
    for pe in pes:
        add(blocks["array"], pe, -1)
    for module in (top, datapath):
        for name, inner in modules[module]["cells"].items():
            if inner not in (datapath, array):
                blocks[name[2:]] = add({}, inner)
    counts = add({}, top)
    for found in [*blocks.values(), *[blocks["pe"]] * (len(pes) - 1)]:
        for module, number in found.items():
            counts[module] -= number
    if any(counts.values()):
        sys.exit("area: the blocks of an engine do not add up to it")
    return {name: {m: n for m, n in found.items() if n} for name, found in blocks.items()}


def memory_bits(modules):
    def total(module):
        return modules[module]["bits"] + sum(total(k) for k in modules[module]["cells"].values())
    return total("\\mxe_top")


class OldTable:
    """The table before: a block whose sources have not changed keeps its area."""

    def __init__(self):
        self.rows, self.changed = [], set()
        if os.path.exists(TABLE):
            with open(TABLE, encoding="utf-8") as file:
                self.rows = json.load(file)["designs"]
            self.changed = set(check_table())

    def blocks(self, parameters, found):
        """Returns the areas of the blocks in `found` that have not changed."""
        row = next((r for r in self.rows if r["parameters"] == parameters), {"blocks": {}})
        return {name: row["blocks"][name] for name, modules in found.items() if name in row["blocks"]
                and not any(re.search(r"\\(mxe_\w+)", m)[1] in self.changed for m in modules)}


def measure_design(work, cache, old, parameters):
    if cache.row_key(parameters) in cache.known:
        return cache.known[cache.row_key(parameters)], 0
    path, modules = elaborated(work, parameters)
    found = blocks_of(modules)
    blocks = old.blocks(parameters, found)
    measured = {name: parts for name, parts in found.items() if name not in blocks}
    missing = cache.missing(sorted({m for parts in measured.values() for m in parts}), parameters)
    if missing:
        cache.add(synthesize(work, path, modules, missing), parameters)
    for name, parts in measured.items():
        blocks[name] = round(sum(n * cache.known[cache.key(m, parameters)] for m, n in parts.items()), 2)
    blocks = dict(sorted(blocks.items()))
    row = {"parameters": parameters, "memory_bits": memory_bits(modules), "blocks": blocks}
    cache.keep({cache.row_key(parameters): row})
    return row, len(missing)


def text_of(rows, sources):
    head = json.dumps({"version": 1, "flow": "; ".join(GATES), "sources": sources}, indent=1)
    # The cache sorts keys; the table keeps the order of VALUES.
    rows = [dict(r, parameters={n: r["parameters"][n] for n in VALUES}) for r in rows]
    lines = ",\n".join("  " + json.dumps({k: r[k] for k in ("parameters", "memory_bits", "blocks")})
                       for r in rows)
    return head[:-2] + ',\n "designs": [\n' + lines + "\n ]\n}\n"


def write_table(work):
    cache, old = ModuleCache(work), OldTable()
    rows = []
    everything = designs()
    start = time.time()
    for number, parameters in enumerate(everything, 1):
        row, fresh = measure_design(work, cache, old, parameters)
        rows.append(row)
        print(f"area: {number}/{len(everything)} designs, {fresh} modules synthesized, "
              f"{time.time() - start:.0f} s", file=sys.stderr)
    with open(TABLE, "w", encoding="utf-8") as file:
        file.write(text_of(rows, cache.sources))


def check_table():
    """Returns the names of the modules whose sources have changed since the table was made."""
    with open(TABLE, encoding="utf-8") as file:
        kept = json.load(file)["sources"]
    now = source_hashes()
    return sorted(m for m in now.keys() | kept.keys() if now.get(m) != kept.get(m))
