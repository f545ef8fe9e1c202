# SPDX-License-Identifier: Apache-2.0
"""The table of parameters in docs/architecture.md."""

from .model import Block, Parameter


def row(p: Parameter) -> str:
    allowed = p.allowed.removeprefix("a ").removeprefix("from ")
    allowed += f", at least {p.at_least}" if p.at_least else ""
    allowed += f", at most {p.at_most}" if p.at_most else ""
    values = " | ".join(str(value) for value in p.configurations.values())
    return f"| {p.name} | {p.desc} | {p.unit} | {values} | {allowed} |"


def export(registers: Block, descriptor: Block) -> str:
    del descriptor
    names = registers.configurations
    lines = [f"| name | meaning | unit | {' | '.join(names)} | allowed |",
             "|---" * (4 + len(names)) + "|"]
    return "\n".join(lines + [row(p) for p in registers.parameters]) + "\n"
