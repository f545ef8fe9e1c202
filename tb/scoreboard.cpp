#include "tb/scoreboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace mxe {
namespace {

uint32_t word_at(const std::vector<uint8_t>& bytes, std::size_t offset) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + offset, std::min<std::size_t>(4, bytes.size() - offset));
  return word;
}

/// Describes the first difference of two images of memory, and says how many bytes differ.
std::string describe_difference(const JobImage& image, const std::vector<uint8_t>& expected,
                                const std::vector<uint8_t>& found) {
  std::size_t first = expected.size(), count = 0;
  for (std::size_t i = 0; i < expected.size(); i++) {
    if (expected[i] == found[i]) continue;
    first = std::min(first, i);
    count++;
  }
  const std::size_t word = first / 4 * 4;  // of D, whose address is a multiple of 4
  return fmt::format("{} is {:#010x}, expected {:#010x}; {} bytes differ",
                     image.locate(image.address() + first), word_at(found, word),
                     word_at(expected, word), count);
}

}  // namespace

std::vector<uint8_t> Scoreboard::expected(const Job& job, const JobImage& image) const {
  return image.after(job.golden(fp4_dual_));
}

void Scoreboard::check(const std::string& engine, std::size_t number, const Job& job,
                       const JobImage& image, const std::vector<uint8_t>& expected,
                       const JobOutcome& outcome) {
  if (outcome.result != MXE_OK) {
    add({engine, number,
         fmt::format("{}: {} (status {})", job.describe(), mxe_strerror(outcome.result),
                     outcome.completion.status)});
  } else if (outcome.memory != expected) {
    add({engine, number,
         job.describe() + ": " + describe_difference(image, expected, outcome.memory)});
  }
}

}  // namespace mxe
