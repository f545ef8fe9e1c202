# SPDX-License-Identifier: Apache-2.0
"""mxe_parameters.cmake: the named configurations, for builds of the RTL."""

from .model import Block
from .text import banner


def export(registers: Block, descriptor: Block) -> str:
    del descriptor
    lines = [banner("#"), "", "# Parameters of each named configuration that differ from `base`, the "
             "defaults of mxe_top."]
    for name in registers.configurations:
        pairs = [f"{p.name}={p.configurations[name]}" for p in registers.parameters
                 if p.configurations[name] != p.configurations["base"]]
        lines.append(f"set(MXE_RTL_PARAMETERS_{name} {' '.join(pairs)})"
                     if pairs else f'set(MXE_RTL_PARAMETERS_{name} "")')
    return "\n".join(lines) + "\n"
