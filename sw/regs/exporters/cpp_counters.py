# SPDX-License-Identifier: Apache-2.0
"""mxe_counter_table.h: the counters as data, for models of the device and for those who read it."""

from .model import Block, Counter
from .text import banner, cpp_table

HEAD = """// clang-format off
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mxe_values.h"

namespace mxe {

/// The performance counters, in the order of their registers.
enum class Counter : std::uint8_t {"""

INFO = """};

/// One counter.
struct CounterInfo {
  const char* name;               ///< as users see it, and as the member of struct mxe_counters
  std::uint32_t offset;           ///< register of the low word; the high word is the next register
  std::uint64_t mxe_counters::*value;
  bool part_of_total;             ///< `total` is the sum of all these
  bool wait_of_array;             ///< clocks in which the array waits for one cause
  bool exact_within_jobs;         ///< the model knows it at any time, not only between jobs
  bool depends_on_data;           ///< equal jobs with other operands count differently
};

/// All counters, by ascending offset; the index is that of enum Counter.
"""

TAIL = """
/// The counter of which a register is a word; null if it belongs to none.
constexpr const CounterInfo* find_counter(std::uint32_t offset) {
  for (const CounterInfo& counter : counter_table) {
    if (offset - counter.offset < sizeof(std::uint64_t)) return &counter;
  }
  return nullptr;
}

/// The sum of the counters that are parts of `total`.
constexpr std::uint64_t sum_of_parts(const struct mxe_counters& counters) {
  std::uint64_t sum = 0;
  for (const CounterInfo& counter : counter_table) {
    if (counter.part_of_total) sum += counters.*counter.value;
  }
  return sum;
}

/// Whether the parts of `total` add up to it, as they must at any time.
constexpr bool adds_up(const struct mxe_counters& counters) {
  return counters.total == sum_of_parts(counters);
}

}  // namespace mxe"""


def row(c: Counter) -> str:
    flags = (c.part_of_total, c.wait_of_array, not c.exact_between_jobs_only, c.depends_on_data)
    words = ", ".join("true" if flag else "false" for flag in flags)
    return f'    {{"{c.member}", 0x{c.offset:03x}u, &mxe_counters::{c.member}, {words}}},'


def export(registers: Block, descriptor: Block) -> str:
    del descriptor
    counters = registers.counter_list
    lines = [banner("//"), HEAD, *(f"  {c.member}," for c in counters), INFO.rstrip()]
    lines += cpp_table("CounterInfo", "counter_table", [row(c) for c in counters])
    return "\n".join(lines + [TAIL]) + "\n"
