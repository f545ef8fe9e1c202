// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a workload's CSV file gives an error of one line, or layers of legal sizes that
// become JSON and, as columns layer,M,N,K,count, are read again unchanged.
#include <fmt/format.h>

#include <string>

#include "sw/explore/evaluate.h"
#include "sw/explore/workload.h"
#include "tests/unit/explore/fuzz/one_line.h"

namespace {

using namespace mxe::explore;
using mxe::test::require;

void check(const Workload& workload) {
  require(!workload.layers.empty());
  for (const Layer& layer : workload.layers) {
    for (const uint64_t size : {layer.m, layer.n, layer.k, layer.count}) {
      require(size >= 1 && size <= kMostElements);
    }
  }
  to_record(workload, Point(), std::vector<JobTimes>(workload.layers.size())).dump();
}

// In quotes, with inner quotes doubled.
std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

std::string as_csv(const Workload& workload) {
  std::string text = "layer,M,N,K,count\n";
  for (const Layer& layer : workload.layers) {
    text +=
        fmt::format("{},{},{},{},{}\n", quoted(layer.name), layer.m, layer.n, layer.k, layer.count);
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Workload workload;
  if (!mxe::test::reads([&] { workload = parse_workload(text, "net.csv"); })) return 0;
  check(workload);
  const Workload again = parse_workload(as_csv(workload), "net.csv");
  require(again.layers.size() == workload.layers.size());
  for (std::size_t i = 0; i < again.layers.size(); i++) {
    const Layer &a = again.layers[i], &b = workload.layers[i];
    require(a.name == b.name && a.m == b.m && a.n == b.n && a.k == b.k && a.count == b.count);
  }
  return 0;
}
