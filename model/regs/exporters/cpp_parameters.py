# SPDX-License-Identifier: Apache-2.0
"""mxe_parameters.h: the parameters of the engine as data, for the model and for tools."""

from .model import Block, Parameter
from .text import banner, comment_block, cpp_table

HEAD = """// clang-format off
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mxe_values.h"

namespace mxe {

/// The parameters of one configuration. The defaults are those of the configuration `base`.
struct ParameterValues {"""

INFO = """};

/// One parameter: its name, member, allowed values, and the register that shows it.
struct ParameterInfo {
  const char* name;  ///< as in the parameter list of the SystemVerilog module mxe_top
  unsigned ParameterValues::*field;
  unsigned min, max;
  bool power_of_two;
  std::array<unsigned, %(choices)d> choices;  ///< allowed values, 0 = unused; all 0: see min and max
  const char* allowed;            ///< the allowed values as text after "must be"
  unsigned ParameterValues::*at_least;  ///< lower bound: another parameter, or null
  unsigned ParameterValues::*at_most;   ///< upper bound: another parameter, or null
  std::uint32_t offset;           ///< register that shows it
  unsigned shift;                 ///< its lowest bit in that register
  const char* shown_by;           ///< REGISTER, or REGISTER.field
  const char* unit;
};

/// A named configuration.
struct NamedParameters {
  const char* name;
  ParameterValues values;
};

/// Every parameter, in the order of the SystemVerilog parameter list."""


def pointer(name: str | None) -> str:
    return f"&ParameterValues::{name.lower()}" if name else "nullptr"


def row(p: Parameter, choices: int) -> str:
    numbers = ", ".join(str(n) for n in (*p.choices, *[0] * (choices - len(p.choices))))
    return (f'    {{"{p.name}", {pointer(p.name)}, {p.low}, {p.high}, '
            f'{str(p.power_of_two).lower()}, {{{numbers}}}, "{p.allowed}",\n'
            f"     {pointer(p.at_least)}, {pointer(p.at_most)}, 0x{p.offset:03x}u, "
            f'{p.field.low}, "{p.shown_by}", "{p.unit}"}},')


def members(parameters: tuple[Parameter, ...]) -> list[str]:
    lines = []
    for p in parameters:
        lines += comment_block(p.desc, "  /// ")
        lines.append(f"  unsigned {p.member} = {p.configurations['base']};")
    return lines


def configuration_row(parameters: tuple[Parameter, ...], name: str) -> str:
    values = ", ".join(str(p.configurations[name]) for p in parameters)
    return f'    {{"{name}", {{{values}}}}},'


def reader(parameters: tuple[Parameter, ...]) -> list[str]:
    lines = ["", "/// The parameters of a device from the capabilities that the driver has read.",
             "constexpr ParameterValues parameters_of(const struct mxe_capabilities& device) {",
             "  ParameterValues values;"]
    lines += [f"  values.{p.member} = device.{p.member};" for p in parameters]
    return lines + ["  return values;", "}"]


def export(registers: Block, descriptor: Block) -> str:
    del descriptor
    parameters = registers.parameters
    choices = max(1, *(len(p.choices) for p in parameters))
    lines = [banner("//"), HEAD, *members(parameters), INFO % {"choices": choices}]
    lines += cpp_table("ParameterInfo", "parameter_table", [row(p, choices) for p in parameters])
    lines += ["", "/// The named configurations."]
    lines += cpp_table("NamedParameters", "named_parameters",
                       [configuration_row(parameters, name) for name in registers.configurations])
    return "\n".join(lines + reader(parameters) + ["", "}  // namespace mxe"]) + "\n"
