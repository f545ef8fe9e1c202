// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: points.jsonl, space.json, formats.jsonl and combined.jsonl, separated by zero
// bytes, give an error of one line, or become a page.
#include <sstream>
#include <string>
#include <utility>

#include "sw/report/page.h"
#include "tests/unit/explore/fuzz/one_line.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace mxe::report;
  std::istringstream text(std::string(reinterpret_cast<const char*>(data), size));
  std::string points, space, mixtures, combined;
  std::getline(text, points, '\0');
  std::getline(text, space, '\0');
  std::getline(text, mixtures, '\0');
  std::getline(text, combined, '\0');
  mxe::test::reads([&] {
    Exploration exploration = parse_points(points, "points.jsonl");
    if (!space.empty()) exploration.space = parse_space(space, "space.json");
    exploration.mixtures = parse_mixtures(mixtures, "formats.jsonl");
    for (auto& point : parse_combined(combined, "combined.jsonl")) {
      exploration.points.push_back(std::move(point));
      exploration.combined++;
    }
    make_page(std::move(exploration));
  });
  return 0;
}
