# SPDX-License-Identifier: Apache-2.0
"""mxe_top.sdc, mxe_axi.sdc: timing constraints of the ports."""

import textwrap

from .model import Block
from .ports import CLOCK, RESET, Port, read_ports
from .text import comment_block, port_banner

ABOUT = ("Timing constraints of the ports of {module}. Set the period in ns before a tool reads this file, for example "
         "to 4: `set mxe_clock_ns 4.0`. Assumptions:")
ASSUMPTIONS = (
    "There is one clock, and every port belongs to it. Nothing crosses a clock domain, and no path is a false or a "
    "multicycle path.",
    "Inputs arrive mxe_input_share of the period after the clock edge, and outputs are needed mxe_output_share of it "
    "before the next edge. Both shares are 0.5, unless they are set before. Example: 4 ns give 2 ns to logic inside.",
    "The reset may be asserted at any time. A synchroniser outside of the engine releases it, as late as the other "
    "inputs, so tools check recovery and removal of the registers.",
)


def port_list(names: list[str]) -> str:
    return textwrap.fill(" ".join(names), 100, initial_indent="  ", subsequent_indent="  ")


def delay(kind: str, names: list[str]) -> list[str]:
    return [f"set_{kind}_delay $mxe_{kind}_ns -clock mxe_clk [get_ports {{", port_list(names), "}]"]


def share(kind: str) -> list[str]:
    return [f"if {{![info exists mxe_{kind}_share]}} {{ set mxe_{kind}_share 0.5 }}",
            f"set mxe_{kind}_ns [expr {{$mxe_clock_ns * $mxe_{kind}_share}}]"]


def text(module: str, ports: list[Port], name_of: dict[str, str]) -> str:
    inputs = [name_of[p.name] for p in ports if p.is_input and p.name != CLOCK]
    outputs = [name_of[p.name] for p in ports if not p.is_input]
    lines = [port_banner("#"), *comment_block(ABOUT.format(module=module), "# ")]
    for assumption in ASSUMPTIONS:
        first, *rest = comment_block(assumption, "#   ")
        lines += [first.replace("#   ", "# - ", 1), *rest]
    lines += [*share("input"), *share("output"), "",
              f"create_clock -name mxe_clk -period $mxe_clock_ns [get_ports {{{name_of[CLOCK]}}}]",
              *delay("input", [n for n in inputs if n != name_of[RESET]]),
              f"set_input_delay $mxe_input_ns -clock mxe_clk [get_ports {{{name_of[RESET]}}}]",
              *delay("output", outputs)]
    return "\n".join(lines) + "\n"


class Top:
    """The ports of mxe_top."""

    @staticmethod
    def export(registers: Block, descriptor: Block) -> str:
        del registers, descriptor
        ports = read_ports()
        return text("mxe_top", ports, {p.name: p.name for p in ports})


class Wrapper:
    """The ports of mxe_axi."""

    @staticmethod
    def export(registers: Block, descriptor: Block) -> str:
        del registers, descriptor
        ports = read_ports()
        return text("mxe_axi", ports, {p.name: p.plain for p in ports})
