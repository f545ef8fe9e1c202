# SPDX-License-Identifier: Apache-2.0
"""Tables of the element formats in handwritten files of C++ and C."""

from .model import Block, ElementShape


def specials(s: ElementShape) -> str:
    return "ieee" if s.infinity else "nan_only" if s.nan else "none"


def shape(s: ElementShape) -> str:
    if s.integer:
        return f"integer_shape({s.bits})"
    return f"float_shape({s.exponent_bits}, {s.mantissa_bits}, {s.bias}, Specials::{specials(s)})"


def table(head: str, rows: list[str]) -> str:
    return "\n".join([f"{head} {{", *rows, "};"]) + "\n"


def named(rows: list[str], shapes: tuple[ElementShape, ...]) -> list[str]:
    """Adds the names of the formats as aligned comments."""
    width = max(len(row) for row in rows)
    return [f"{row:<{width}}  // {s.name}" for row, s in zip(rows, shapes)]


class CppCodes:
    """enum FormatId."""

    @staticmethod
    def export(registers: Block, descriptor: Block) -> str:
        del registers
        rows = [f"  {s.name} = {s.code}," for s in descriptor.element_shapes]
        return table("enum class FormatId : uint8_t", rows)


class CppRows:
    """kFormats."""

    @staticmethod
    def export(registers: Block, descriptor: Block) -> str:
        del registers
        rows = [f'    {{FormatId::{s.name}, "{s.name}", {shape(s)}}},' for s in descriptor.element_shapes]
        return table("inline constexpr FormatRow kFormats[] =", rows)


class CRows:
    """The rows of mxe_quantize()."""

    @staticmethod
    def row(s: ElementShape) -> str:
        infinity = f"0x{s.max_code + 1:02X}" if s.infinity else "0"
        range_of = f"{s.min_log2}, {s.max_log2}, 0x{s.max_code:02X}, {infinity}"
        return (f"    {{{s.bits}, {s.stored_bits}, {s.mantissa_bits}, {range_of}, "
                f"{str(s.integer).lower()}, 0x{s.max_significand:06X}}},")

    @staticmethod
    def export(registers: Block, descriptor: Block) -> str:
        del registers
        shapes = descriptor.element_shapes
        return table("static const struct format formats[] =", named([CRows.row(s) for s in shapes], shapes))


class CBits:
    """Bits of an element in memory, and of its magnitude in the adder tree."""

    @staticmethod
    def export(registers: Block, descriptor: Block) -> str:
        del registers
        shapes = descriptor.element_shapes
        rows = [f"    {{{s.stored_bits}, {s.magnitude_bits}}}," for s in shapes]
        return table("static const struct element_bits format_bits[] =", named(rows, shapes))
