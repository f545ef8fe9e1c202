// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a space file gives an error of one line, or, for each combination that the
// search draws, a legal engine or a reason to skip it.
#include <string>

#include "sw/explore/space.h"
#include "tests/unit/explore/fuzz/one_line.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace mxe::explore;
  using mxe::test::require;
  const std::string text(reinterpret_cast<const char*>(data), size);
  mxe::test::reads([&] {
    const Space space = Space::from_text(text, "space.yaml");
    constexpr uint64_t kFew = 2000;
    const uint64_t all = space.combinations();
    const bool random = space.search().method == Space::Search::Method::random;
    if (all > kFew && all <= Space::kMostPoints && !random) return;
    if (random && std::min(*space.search().budget, all) > kFew) return;
    const Space::Points found = space.points();
    uint64_t count = found.points.size();
    for (const SkippedPoints::Reason& reason : found.skipped.reasons()) count += reason.points;
    require(count == (random ? std::min(*space.search().budget, all) : all));
    for (const Point& point : found.points) validate(point);
    space.varying();
  });
  return 0;
}
