# SPDX-License-Identifier: Apache-2.0
"""mxe_counter_table.h: the counters as data, for models and readers of a device."""

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
  const char* name;               ///< in reports, and the member of struct mxe_counters
  std::uint32_t offset;           ///< register of the low word; the high word is the next register
  std::uint64_t mxe_counters::*value;
  bool part_of_total;             ///< `total` is the sum of these counters
  bool wait_of_array;             ///< counts cycles in which the array waits for one cause
  bool exact_within_jobs;         ///< the model is exact at any time, not only between jobs
  bool depends_on_data;           ///< depends on the operands' values, not only on the job
};

/// All counters, by ascending offset, indexed by enum Counter.
"""

TAIL = """
/// The counter that contains the register at `offset`; null if it is no counter register.
constexpr const CounterInfo* find_counter(std::uint32_t offset) {
  for (const CounterInfo& counter : counter_table) {
    if (offset - counter.offset < sizeof(std::uint64_t)) return &counter;
  }
  return nullptr;
}

/// The sum of the counters with part_of_total.
constexpr std::uint64_t sum_of_parts(const struct mxe_counters& counters) {
  std::uint64_t sum = 0;
  for (const CounterInfo& counter : counter_table) {
    if (counter.part_of_total) sum += counters.*counter.value;
  }
  return sum;
}

/// True if the parts of `total` add up to it, as they always do in a correct device.
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
