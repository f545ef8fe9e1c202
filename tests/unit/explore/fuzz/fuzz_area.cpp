// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a table of areas gives an error of one line, the area of an engine, or none.
#include <string_view>

#include "sw/explore/area.h"
#include "tests/unit/explore/fuzz/one_line.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace mxe::explore;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  mxe::test::reads([&] { AreaTable::from_json(text, "area.json").of(mxe::Params()); });
  return 0;
}
