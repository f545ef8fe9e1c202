// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: lines of points.jsonl give an error of one line with file and line, or are read
// unchanged; a record of the cache has the requested number of layers, or is ignored.
#include <string>

#include "sw/explore/content_hash.h"
#include "sw/explore/evaluate.h"
#include "sw/explore/results.h"
#include "tests/unit/explore/fuzz/one_line.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace mxe::explore;
  using mxe::test::require;
  std::string text(reinterpret_cast<const char*>(data), size);
  // The corpus has this word in place of the version, which changes with the engine.
  const std::string version = "VERSION";
  for (std::size_t at; (at = text.find(version)) != std::string::npos;) {
    text.replace(at, version.size(), kCyclesVersion);
  }
  mxe::test::reads([&] {
    const ParsedResults found = parse_results(text, "points.jsonl");
    require(found.bytes == 0 || text[found.bytes - 1] == '\n');
    for (const auto& [id, record] : found.records) {
      require(record.at("id") == id && record.at("area").at("ge").is_number());
      require(Record::parse(record.dump()) == record);
    }
  });
  for (const std::size_t layers : {1, 3}) {
    if (const auto times = times_of(text, layers)) require(to_text(*times) == text);
  }
  return 0;
}
