# SPDX-License-Identifier: Apache-2.0
"""mxe_parameter*.svh: pieces of the SystemVerilog module mxe_top."""

from .model import Block, Parameter
from .text import banner, comment_block


def declaration(p: Parameter, last: bool) -> list[str]:
    value = p.configurations["base"]
    kind = "bit         " if p.field.width == 1 else "int unsigned"
    text = f"1'b{value}" if p.field.width == 1 else str(value)
    comma = "" if last else ","
    return [*comment_block(p.desc, "  // "), f"  parameter {kind} {p.name} = {text}{comma}"]


def connection(p: Parameter) -> str:
    value = p.name if p.field.width == 1 else f"32'({p.name})"
    return f"    .{f'{p.register}_{p.field.name}_i'.lower():<30} ({value}),"


def wrong(p: Parameter) -> str:
    """The condition under which a value is not allowed; empty if the type allows no such value."""
    n = p.name
    if p.choices:
        return " && ".join(f"({n} != {c})" for c in p.choices)
    terms = []
    if p.low > 0:
        terms.append(f"({n} < {p.low})")
    if p.field.width > 1:
        terms.append(f"({n} > {p.high})")
    if p.power_of_two:
        terms.append(f"(({n} & ({n} - 1)) != 0)")
    if p.at_least:
        terms.append(f"({n} < {p.at_least})")
    if p.at_most:
        terms.append(f"({n} > {p.at_most})")
    return " || ".join(terms)


def message(p: Parameter) -> str:
    relations = [f", at least {p.at_least}" if p.at_least else "",
                 f", at most {p.at_most}" if p.at_most else ""]
    return f"{p.name} must be {p.allowed}{''.join(relations)}"


def check(p: Parameter) -> list[str]:
    condition = wrong(p)
    if not condition:
        return []
    head = f"  if ({condition}) begin : gen_bad_{p.member}"
    if len(head) > 100:
        before, operator, after = condition.rpartition(" || ")
        head = f"  if ({before}{operator.rstrip()}\n      {after}) begin : gen_bad_{p.member}"
    return [head, f'    $error("{message(p)}");', "  end"]


class Declarations:
    """The parameter list of mxe_top, to be included between its parentheses."""

    @staticmethod
    def export(registers: Block, descriptor: Block) -> str:
        del descriptor
        lines = [banner("//")]
        for p in registers.parameters:
            lines += declaration(p, p is registers.parameters[-1])
        return "\n".join(lines) + "\n"


class Checks:
    """What refuses parameters that are not allowed, to be included in the body of mxe_top."""

    @staticmethod
    def export(registers: Block, descriptor: Block) -> str:
        del descriptor
        lines = [banner("//")]
        for p in registers.parameters:
            lines += check(p)
        return "\n".join(lines) + "\n"


class Connections:
    """The ports of mxe_regs that show parameters, to be included in the ports of its instance."""

    @staticmethod
    def export(registers: Block, descriptor: Block) -> str:
        del descriptor
        lines = [banner("//"), *(connection(p) for p in registers.parameters)]
        return "\n".join(lines) + "\n"
