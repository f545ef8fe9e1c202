# SPDX-License-Identifier: Apache-2.0
"""The ports of mxe_top, read from its source, and their names in the wrapper mxe_axi."""

import dataclasses
import pathlib
import re

from .model import Unsupported

TOP = pathlib.Path(__file__).resolve().parents[3] / "rtl/mxe_top.sv"
HEADER = re.compile(r"^module mxe_top #\(\n`include \"mxe_parameters.svh\"\n\) \(\n(.*?)\n\);$",
                    re.DOTALL | re.MULTILINE)
PORT = re.compile(r"  (input|output) +logic +(?:\[([^\[\]]+):0\] +)?(\w+),?")
CLOCK, RESET, INTERRUPT = "clk_i", "rst_ni", "irq_o"
PLAIN = {CLOCK: "clk", RESET: "rst_n", INTERRUPT: "irq"}


@dataclasses.dataclass(frozen=True)
class Port:
    name: str
    is_input: bool
    left: str | None  # index of the leftmost bit, an expression of parameters; None: one bit

    @property
    def bus(self) -> str | None:
        """s for the AXI4-Lite slave, m for the AXI4 master."""
        found = re.fullmatch(r"([sm])_\w+", self.name)
        return found[1] if found else None

    @property
    def signal(self) -> str:
        """The signal of AXI in upper case."""
        return self.name[2:-2].upper()

    @property
    def plain(self) -> str:
        """The name in the wrapper."""
        return PLAIN.get(self.name) or f"{self.bus}_axi_{self.signal.lower()}"


def read_ports(path: pathlib.Path = TOP) -> list[Port]:
    """Every line between the parentheses must be a port, so that none is overlooked."""
    header = HEADER.search(path.read_text(encoding="utf-8"))
    if not header:
        raise Unsupported(f"{path.name}: no header 'module mxe_top #(`include ...) ('")
    ports = []
    for line in header[1].split("\n"):
        found = PORT.fullmatch(line)
        if not found or not re.fullmatch(r"[sm]_\w+_[io]|" + "|".join(PLAIN), found[3]):
            raise Unsupported(f"{path.name}: '{line.strip()}' is not a port as expected; "
                              f"allowed: s_*, m_*, {', '.join(PLAIN)} of type logic or logic [LEFT:0]")
        ports.append(Port(name=found[3], is_input=found[1] == "input", left=found[2]))
    return ports
