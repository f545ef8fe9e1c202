// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/scoreboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace mxe::cosim {
namespace {

/// Returns the little-endian number at `place` of an image.
uint32_t number_at(const JobImage& image, const std::vector<uint8_t>& bytes, const Place& place) {
  uint32_t number = 0;
  std::memcpy(&number, bytes.data() + image.index_of(place.begin), place.bytes);
  return number;
}

/// Describes the first difference of two images of memory, with the number of different bytes.
std::string describe_difference(const JobImage& image, const std::vector<uint8_t>& expected,
                                const std::vector<uint8_t>& found) {
  std::size_t first = expected.size(), count = 0;
  for (std::size_t i = 0; i < expected.size(); i++) {
    if (expected[i] == found[i]) continue;
    first = std::min(first, i);
    count++;
  }
  const Place place = image.locate(image.address_of(first));
  const unsigned width = 2 + 2 * place.bytes;
  return fmt::format("{} is {:#0{}x}, expected {:#0{}x}; {} bytes differ", place.what,
                     number_at(image, found, place), width, number_at(image, expected, place),
                     width, count);
}

}  // namespace

Expectation Scoreboard::expected(const CosimJob& job, const JobImage& image,
                                 const EngineFeatures& engine) {
  const uint32_t refused = job.refused_with(engine);
  if (refused != MXE_STATUS_OK) {
    JobCounts counts;
    counts.bytes_written = kRecordBytes;
    return {-100 - static_cast<int>(refused), image.before(), counts};
  }
  const JobResult golden = job.expected(engine.params.fp4_dual != 0);
  return {MXE_OK, image.after(golden.stored), golden.counts};
}

void Scoreboard::check(const std::string& engine, std::size_t number, const CosimJob& job,
                       const JobImage& image, const Expectation& expected,
                       const JobOutcome& outcome) {
  if (outcome.result != expected.result) {
    std::string what =
        fmt::format("{} (status {})", mxe_strerror(outcome.result), outcome.completion.status);
    if (expected.result != MXE_OK)
      what += fmt::format(" instead of: {}", mxe_strerror(expected.result));
    add({engine, number, what, job.describe()});
  } else if (outcome.memory != expected.memory) {
    add({engine, number, describe_difference(image, expected.memory, outcome.memory),
         job.describe()});
  }
}

void Scoreboard::check_aborted(const std::string& engine, std::size_t number, const CosimJob& job,
                               const JobImage& image, const Expectation& expected,
                               const JobOutcome& outcome) {
  std::vector<uint8_t> allowed = expected.memory;
  for (std::size_t i = 0; i < allowed.size(); i++) {
    if (outcome.memory[i] == image.before()[i]) allowed[i] = outcome.memory[i];
  }
  if (outcome.memory == allowed) return;
  add({engine, number,
       fmt::format("aborted ({}): {}", mxe_strerror(outcome.result),
                   describe_difference(image, allowed, outcome.memory)),
       job.describe()});
}

void Scoreboard::check_counts(const std::string& engine, std::size_t number,
                              const JobCounts& expected, const struct mxe_counters& found) {
  const auto compare = [&](const char* name, uint64_t wanted, uint64_t got) {
    if (wanted == got) return;
    add({engine, number, fmt::format("counter {} is {}, expected {}", name, got, wanted), ""});
  };
  compare("blocks", expected.blocks, found.blocks);
  compare("nan_results", expected.nan_results, found.nan_results);
  compare("saturations", expected.saturations, found.saturations);
  compare("bytes_written", expected.bytes_written, found.bytes_written);
}

}  // namespace mxe::cosim
