# SPDX-License-Identifier: Apache-2.0
"""Finds the input bits that the modules of a design do not use, in Yosys' RTLIL.

Modules receive whole records, for example jobs, but use only some fields. A proof that leaves a module out requires
equal inputs for it in both copies of the design, except for unused bits.
"""
import re

MODULE = re.compile(r"^module (\S+)\n(.*?^end\n)", re.MULTILINE | re.DOTALL)
WIRE = re.compile(r"^  wire (.*?)(\S+)$", re.MULTILINE)
STATEMENT = re.compile(r"^  cell (\S+) (\S+)$|^(  |    )connect (\S+(?: \[[\d:]+\])?|\{.*?\}) (.+)$", re.MULTILINE)
TOKEN = re.compile(r"([\\$]\S+)(?: \[(\d+)(?::(\d+))?\])?|(\d+)'([01xzm-]*)|\{|\}")
ZERO = ("const", "0")
# Each bit of these outputs comes from the same bit of these inputs.
BITWISE = {"$mux": ("Y", "AB"), **dict.fromkeys(("$dff", "$dffe", "$adff", "$adffe", "$sdff", "$sdffe", "$sdffce"),
                                                ("Q", "D"))}


class Module:
    """Wires, connections and cells of one module. A bit is (wire, index) or ("const", value)."""

    def __init__(self, body):
        self.widths, self.inputs, self.outputs = {}, set(), set()
        for options, name in WIRE.findall(body):
            width = re.search(r"width (\d+)", options)
            self.widths[name] = int(width[1]) if width else 1
            for kind, names in (("input", self.inputs), ("output", self.outputs)):
                if re.search(rf"\b{kind} \d", options):
                    names.add(name)
        self.connections, self.cells = [], []  # (bits, their drivers); (type, {port: bits})
        for kind, _, indent, left, right in STATEMENT.findall(body):
            if kind:
                self.cells.append((kind, {}))
            elif len(indent) == 2:
                self.connections.append((self.bits(left), self.bits(right)))
            else:
                self.cells[-1][1][left] = self.bits(right)
        for kind, ports in self.cells:
            output, inputs = BITWISE.get(kind, ("", ""))
            for port in inputs:
                self.connections.append((ports["\\" + output], ports.pop("\\" + port)))
            ports.pop("\\" + output, None)
            if kind == "$and":
                mask(ports)

    def bits(self, signal):
        """The bits of a signal, the lowest first."""
        parts = []  # the highest first
        for name, high, low, _, values in TOKEN.findall(signal):
            if name:
                top = int(high) if high else self.widths[name] - 1
                bottom = int(low) if low else int(high) if high else 0
                parts += [(name, i) for i in range(top, bottom - 1, -1)]
            elif values:
                parts += [("const", value) for value in values]
        return parts[::-1]


def mask(ports):
    """Drops those bits of a bitwise and where the other side is constant zero."""
    sides = ports["\\A"], ports["\\B"]
    if len(sides[0]) == len(sides[1]):
        pairs = [pair for pair in zip(*sides) if ZERO not in pair]
        ports["\\A"], ports["\\B"] = [a for a, _ in pairs], [b for _, b in pairs]


def find(text):
    """{module: {input: indices of unused bits}}, only for inputs with unused bits."""
    modules = {name: Module(body) for name, body in MODULE.findall(text)}
    unused = {}

    def visit(name):
        if name in unused:
            return
        module = modules[name]
        used = {(wire, i) for wire in module.outputs for i in range(module.widths[wire])}
        for kind, ports in module.cells:
            if kind in modules:
                visit(kind)
            for port, bits in ports.items():
                ignored = unused.get(kind, {}).get(port, ())
                used.update(bit for i, bit in enumerate(bits) if i not in ignored)
        before = -1
        while before != len(used):  # the driver of a used bit is used
            before = len(used)
            for left, right in module.connections:
                used.update(r for l, r in zip(left, right) if l in used)
        found = {wire: set(range(module.widths[wire])) - {i for w, i in used if w == wire}
                 for wire in module.inputs}
        unused[name] = {wire: indices for wire, indices in found.items() if indices}
    for name in modules:
        visit(name)
    return unused


def common(first, second):
    return {name: {wire: indices & second[name][wire] for wire, indices in wires.items()
                   if wire in second[name]}
            for name, wires in first.items() if name in second}


def tie(text, unused):
    """The design with these bits tied to zero at every instance."""
    def tied_module(match):
        module = Module(match[2])
        kind = None

        def tied_line(statement):
            nonlocal kind
            if statement[1]:
                kind = statement[1]
            ignored = unused.get(kind, {}).get(statement[4])
            if statement[1] or statement[3] == "  " or not ignored:
                return statement[0]
            bits = [ZERO if i in ignored else bit for i, bit in enumerate(module.bits(statement[5]))]
            return f"    connect {statement[4]} {{ {' '.join(map(written, reversed(bits)))} }}"
        return f"module {match[1]}\n" + STATEMENT.sub(tied_line, match[2])
    return MODULE.sub(tied_module, text)


def written(bit):
    return f"1'{bit[1]}" if bit[0] == "const" else f"{bit[0]} [{bit[1]}]"
