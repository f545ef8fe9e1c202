# SPDX-License-Identifier: Apache-2.0
"""mxe_axi.v: mxe_top with the port names that tools recognise as AXI buses."""

from .model import Block, Parameter
from .ports import Port, read_ports
from .text import comment_block, port_banner

ABOUT = ("The engine with the port names by which tools connect AXI buses. This file is Verilog 2005: packagers of IP "
         "do not take SystemVerilog as the top. docs/integration.md describes the ports.")


def parameter(p: Parameter, last: bool) -> list[str]:
    return [*comment_block(p.desc, "  // "), f"  parameter {p.name} = {p.configurations['base']}{'' if last else ','}"]


def port(p: Port, last: bool) -> str:
    width = f"[{p.left}:0]" if p.left else ""
    return f"  {'input ' if p.is_input else 'output'} wire {width:<16} {p.plain}{'' if last else ','}"


def connections(pairs: list[tuple[str, str]]) -> str:
    width = max(len(name) for name, _ in pairs)
    return ",\n".join(f"    .{name:<{width}} ({value})" for name, value in pairs)


def export(registers: Block, descriptor: Block) -> str:
    del descriptor
    ports, parameters = read_ports(), registers.parameters
    lines = [port_banner("//"), *comment_block(ABOUT, "// "), "`default_nettype none", "module mxe_axi #("]
    for p in parameters:
        lines += parameter(p, p is parameters[-1])
    lines += [") (", *(port(p, p is ports[-1]) for p in ports), ");", "  mxe_top #(",
              connections([(p.name, p.name) for p in parameters]), "  ) u_mxe (",
              connections([(p.name, p.plain) for p in ports]), "  );", "endmodule", "`default_nettype wire"]
    return "\n".join(lines) + "\n"
