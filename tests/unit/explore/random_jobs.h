// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

#include "mxe_counter_table.h"
#include "sw/explore/timed_jobs.h"

namespace mxe::explore {

/// The number in an environment variable, by default `otherwise`.
inline uint64_t number_from(const char* variable, uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// `first` times a random power of two below 2^count.
inline unsigned power(std::mt19937& random, unsigned first, unsigned count) {
  return first << random() % count;
}

/// Values that the cycles of a job depend on; not its bias, half duplex and jitter.
inline std::string text_of(const TimedJob& job) {
  return fmt::format(
      "{}: {} of {} x {} x {}, {} by {} to {}, latency {}, {} bytes a cycle, {} and {} bursts",
      job.params.to_string(), job.shape.batch, job.shape.m, job.shape.n, job.shape.k,
      numerics::element_format(job.shape.format_a).name,
      numerics::element_format(job.shape.format_b).name, job.shape.output.name(),
      job.timing.latency, job.timing.bytes_per_cycle, job.ports.reads, job.ports.writes);
}

inline testing::AssertionResult same_times(const JobTimes& got, const JobTimes& expected) {
  if (got.cycles != expected.cycles) {
    return testing::AssertionFailure() << got.cycles << " cycles instead of " << expected.cycles;
  }
  for (const CounterInfo& counter : counter_table) {
    const uint64_t value = got.counters.*counter.value, right = expected.counters.*counter.value;
    if (value != right) {
      return testing::AssertionFailure() << counter.name << " " << value << " instead of " << right;
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace mxe::explore
