# SPDX-License-Identifier: Apache-2.0
"""mxe_parameter*.svh: include files of the SystemVerilog module mxe_top."""

import re

from .model import Block, Parameter
from .text import banner, comment_block

REASON = ("Checks of the parameters. Some tools report $error as a warning and continue; "
          "all of them stop at an instance of a module that does not exist.")


def declaration(p: Parameter, last: bool) -> list[str]:
    value = p.configurations["base"]
    comma = "" if last else ","
    return [*comment_block(p.desc, "  // "), f"  parameter int unsigned {p.name} = {value}{comma}"]


def connection(p: Parameter) -> str:
    value = f"{1 if p.field.width == 1 else 32}'({p.name})"
    return f"    .{f'{p.register}_{p.field.name}_i'.lower():<30} ({value}),"


def wrong(p: Parameter) -> str:
    """The condition for an illegal value."""
    n = p.name
    if p.choices:
        return " && ".join(f"({n} != {c})" for c in p.choices)
    terms = []
    if p.low > 0:
        terms.append(f"({n} < {p.low})")
    terms.append(f"({n} > {p.high})")
    if p.power_of_two:
        terms.append(f"(({n} & ({n} - 1)) != 0)")
    if p.at_least:
        terms.append(f"({n} < {p.at_least})")
    if p.at_most:
        terms.append(f"({n} > {p.at_most})")
    return " || ".join(terms) if len(terms) > 1 else terms[0][1:-1]


def message(p: Parameter) -> str:
    relations = [f", at least {p.at_least}" if p.at_least else "",
                 f", at most {p.at_most}" if p.at_most else ""]
    return f"{p.name} must be {p.allowed}{''.join(relations)}"


def missing_module(text: str) -> str:
    """The name of a module that does not exist. Every tool stops at its instance and reports this name."""
    return "mxe_error_" + re.sub(r"\W+", "_", text)


def check(p: Parameter) -> list[str]:
    condition = wrong(p)
    head = f"  if ({condition}) begin : gen_bad_{p.member}"
    if len(head) > 100:
        before, operator, after = condition.rpartition(" || ")
        head = f"  if ({before}{operator.rstrip()}\n      {after}) begin : gen_bad_{p.member}"
    text = message(p)
    return [head, f'    $error("{text}");', f"    {missing_module(text)} u_stop ();", "  end"]


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
    """The checks of the parameters, to be included in the body of mxe_top. With -Wno-fatal, Verilator
    treats $error as a warning; a missing module stops every tool."""

    @staticmethod
    def export(registers: Block, descriptor: Block) -> str:
        del descriptor
        lines = [banner("//"), *comment_block(REASON, "  // ")]
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
