// SPDX-License-Identifier: Apache-2.0
#include "model/job/difference.h"

#include <fmt/format.h>

#include "model/numerics/base/bits.h"

namespace mxe::job {

std::string describe_difference(const std::vector<float>& result,
                                const std::vector<float>& expected, std::size_t columns) {
  std::size_t count = 0, first = 0;
  for (std::size_t i = 0; i < expected.size(); i++) {
    if (to_bits(result[i]) == to_bits(expected[i])) continue;
    if (count++ == 0) first = i;
  }
  if (count == 0) return "";
  return fmt::format(
      "{} of {} outputs differ; the first is D[{}][{}]: {} ({:#010x}) "
      "instead of {} ({:#010x})",
      count, expected.size(), first / columns, first % columns, result[first],
      to_bits(result[first]), expected[first], to_bits(expected[first]));
}

std::string describe_difference(const StoredOutput& result, const StoredOutput& expected,
                                const JobShape& shape) {
  const auto values = [&shape](const StoredOutput& stored) {
    return load_output(stored, shape.a_rows(), shape.n, shape.output);
  };
  const std::string difference = describe_difference(values(result), values(expected), shape.n);
  if (!difference.empty()) return difference;
  if (result.scales != expected.scales) return "the values agree, but the scales differ";
  if (result.bytes != expected.bytes) return "the values agree, but the stored bytes differ";
  return "";
}

}  // namespace mxe::job
