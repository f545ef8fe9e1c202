// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/observe/chrome_trace.h"

#include <array>

namespace mxe::engine {
namespace {

constexpr std::array<const char*, kTracks> kNames = {
    "queue",       "descriptor", "record", "loader A",    "loader B",
    "loader bias", "array",      "drain",  "memory read", "memory write",
};

constexpr unsigned kProcess = 1;

unsigned thread_of(std::size_t track) { return static_cast<unsigned>(track) + 1; }

}  // namespace

ChromeTrace::ChromeTrace(const std::string& path) : file_(path) {
  file_.print(R"({{"otherData":{{"time":"1 us of ts and dur is 1 clock cycle"}},)"
              R"("traceEvents":[)"
              "\n"
              R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":"MXE"}}}})",
              kProcess);
  for (std::size_t track = 0; track < kTracks; track++) {
    const unsigned thread = thread_of(track);
    file_.print(
        ",\n"
        R"({{"ph":"M","pid":{0},"tid":{1},"name":"thread_name","args":{{"name":"{2}"}}}})"
        ",\n"
        R"({{"ph":"M","pid":{0},"tid":{1},"name":"thread_sort_index",)"
        R"("args":{{"sort_index":{1}}}}})",
        kProcess, thread, kNames[track]);
  }
}

void ChromeTrace::slice(Track track, const char* what, uint64_t begin, uint64_t end,
                        TraceDetails details) {
  file_.print(
      ",\n"
      R"({{"ph":"X","pid":{},"tid":{},"name":"{}","ts":{},"dur":{})",
      kProcess, thread_of(static_cast<std::size_t>(track)), what, begin, end - begin);
  const char* separator = R"(,"args":{)";
  for (const TraceDetail& detail : details) {
    file_.print(R"({}"{}":{})", separator, detail.name, detail.value);
    separator = ",";
  }
  file_.add(details.size() == 0 ? "}" : "}}");
}

void ChromeTrace::close() {
  file_.add("\n]}\n");
  file_.close();
}

}  // namespace mxe::engine
