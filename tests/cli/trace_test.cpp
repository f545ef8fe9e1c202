// SPDX-License-Identifier: Apache-2.0
// --trace: the sums of the slices equal the counters.

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "mxe_counter_table.h"
#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

using Json = nlohmann::json;
using Sums = std::map<std::string, uint64_t>;

const std::vector<std::string> kTracks = {"queue",       "descriptor",  "record", "loader A",
                                          "loader B",    "loader bias", "array",  "drain",
                                          "memory read", "memory write"};
const std::vector<std::string> kStalls = [] {
  std::vector<std::string> names;
  for (const CounterInfo& counter : counter_table) {
    if (counter.wait_of_array) names.emplace_back(counter.name);
  }
  return names;
}();

std::map<std::string, std::vector<Json>> slices_by_track(const Json& trace) {
  std::map<std::pair<int, int>, std::string> threads;
  std::map<std::string, std::vector<Json>> slices;
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("name") != "thread_name") continue;
    const std::string name = event.at("args").at("name");
    threads[{event.at("pid"), event.at("tid")}] = name;
    slices[name];
  }
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X") {
      slices[threads.at({event.at("pid"), event.at("tid")})].push_back(event);
    }
  }
  return slices;
}

std::vector<Json> slices_of(const Json& trace, const std::string& track) {
  return slices_by_track(trace).at(track);
}

/// A slice that begins before its predecessor on the track has ended; empty if none does.
std::string find_overlap(const Json& trace) {
  for (auto& [track, slices] : slices_by_track(trace)) {
    std::vector<Json> sorted = slices;
    std::sort(sorted.begin(), sorted.end(),
              [](const Json& a, const Json& b) { return a.at("ts") < b.at("ts"); });
    uint64_t end = 0;
    for (const Json& slice : sorted) {
      if (slice.at("ts") < end) return track + ": " + slice.dump();
      end = slice.at("ts").get<uint64_t>() + slice.at("dur").get<uint64_t>();
    }
  }
  return "";
}

Sums array_sums(const Json& trace) {
  Sums sums;
  for (const std::string& stall : kStalls) sums[stall] = 0;
  for (const Json& slice : slices_of(trace, "array")) {
    sums[slice.at("name")] += slice.at("dur").get<uint64_t>();
  }
  return sums;
}

/// The array_sums() that the counters of a result imply.
Sums counted(const Json& result) {
  const Json& counters = result.at("counters");
  Sums sums;
  for (const std::string& stall : kStalls) sums[stall] = counters.at(stall);
  sums["pass"] = counters.at("mac_active");
  return sums;
}

class Trace : public CliTest {
 protected:
  Json trace(std::vector<std::string> arguments, Json& result) {
    arguments.insert(arguments.end(), {"--trace", path("t.json")});
    result = mxe_json(arguments);
    return Json::parse(read_text("t.json"));
  }

  static std::vector<std::string> estimate(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"estimate",   "70",         "50",         "200",
                                       "--format-a", "mxfp8_e4m3", "--format-b", "mxfp4_e2m1",
                                       "--config",   "small"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  std::vector<std::string> matmul(const std::string& on) {
    write_random("a.npy", {40, 32}, 51);
    write_random("b.npy", {32, 70}, 52);
    write_random("bias.npy", {40, 70}, 53);
    return {"matmul",     path("a.npy"), path("b.npy"), "--on",          on, "--format-a", "mxint8",
            "--format-b", "mxint8",      "--bias",      path("bias.npy")};
  }
};

TEST_F(Trace, EveryTrackIsThereAndSaysItsUnit) {
  Json result;
  const Json json = trace(matmul("model"), result);
  EXPECT_EQ(json.at("otherData").at("time"), "1 us of ts and dur is 1 clock cycle");
  const auto slices = slices_by_track(json);
  ASSERT_EQ(slices.size(), kTracks.size());
  for (const std::string& track : kTracks) {
    ASSERT_EQ(slices.count(track), 1u) << track;
    EXPECT_FALSE(slices.at(track).empty()) << track;
  }
  std::vector<std::string> states;
  for (const Json& state : slices.at("queue")) states.push_back(state.at("name"));
  EXPECT_EQ(states, (std::vector<std::string>{"reset", "start", "run"}));
}

TEST_F(Trace, AgreesWithTheCounters) {
  const std::vector<std::vector<std::string>> runs = {
      matmul("model"),
      estimate(),
      estimate({"--mem-bytes-per-cycle", "2", "--mem-latency", "300"}),
      estimate({"--mem-jitter", "5"}),
      estimate({"--out-format", "mxfp8_e4m3"}),
      estimate({"--out-format", "bf16", "--set", "ACC_TILES=1", "A_SLAB_K=32", "B_BUF_K=32"}),
      estimate({"--set", "NUM_PE=8", "MEM_W=512", "MAX_BURST=1"}),
      // The first is limited by B and passes of one row; the second skips periods without a trace.
      {"estimate", "1", "64", "256", "--format-a", "mxint8", "--format-b", "mxint8"},
      {"estimate", "1024", "64", "256", "--format-a", "mxint8", "--format-b", "mxint8"}};
  Sums most;
  for (const std::vector<std::string>& arguments : runs) {
    SCOPED_TRACE(testing::PrintToString(arguments));
    Json result;
    const Json json = trace(arguments, result);
    EXPECT_EQ(find_overlap(json), "");
    const Sums sums = array_sums(json);
    EXPECT_EQ(sums, counted(result));
    for (const auto& [name, cycles] : sums) most[name] = std::max(most[name], cycles);
  }
  for (const auto& [name, cycles] : most) EXPECT_GT(cycles, 0u) << name << " was never tried";
}

TEST_F(Trace, BytesOnTheMemoryPort) {
  Json result;
  const Json json = trace(matmul("model"), result);
  uint64_t written = 0, read = 0;
  for (const Json& burst : slices_of(json, "memory write")) {
    written += burst.at("args").at("bytes").get<uint64_t>();
  }
  for (const Json& fetch : slices_of(json, "memory read")) {
    read += fetch.at("args").at("bytes").get<uint64_t>();
  }
  // Bursts and bytes_read count whole beats; fetches and bytes_written count bytes.
  EXPECT_GE(written, result.at("bytes_written"));
  EXPECT_LE(read, result.at("bytes_read"));
  EXPECT_EQ(slices_of(json, "drain").size(), 40u * ((70 + 7) / 8)) << "a row of a tile";
}

TEST_F(Trace, ChangesNoResult) {
  for (std::vector<std::string> arguments : {matmul("model"), estimate()}) {
    const Json without = mxe_json(arguments);
    Json with;
    trace(arguments, with);
    EXPECT_EQ(with.at("cycles"), without.at("cycles"));
    EXPECT_EQ(with.at("counters"), without.at("counters"));
  }
}

TEST_F(Trace, TheChecksNoticeFaults) {
  Json result;
  const Json right = trace(estimate(), result);
  ASSERT_EQ(array_sums(right), counted(result));
  std::vector<std::size_t> slices;
  const Json& events = right.at("traceEvents");
  for (std::size_t i = 0; i < events.size(); i++) {
    if (events[i].at("ph") == "X") slices.push_back(i);
  }
  const auto on_array = [&](std::size_t i) {
    const std::vector<Json> mine = slices_of(right, "array");
    return std::find(mine.begin(), mine.end(), events[i]) != mine.end();
  };
  std::mt19937 random(7);
  std::shuffle(slices.begin(), slices.end(), random);
  const std::size_t victim = *std::find_if(slices.begin(), slices.end(), on_array);
  Json lost = right;
  lost.at("traceEvents").erase(victim);
  EXPECT_NE(array_sums(lost), counted(result));
  Json renamed = right;
  renamed.at("traceEvents")[victim]["name"] = "stall_c";
  EXPECT_NE(array_sums(renamed), counted(result));
  for (std::size_t i = 0; i < 5; i++) {
    Json twice = right;
    twice.at("traceEvents").push_back(events[slices[i]]);
    EXPECT_NE(find_overlap(twice), "");
  }
}

TEST_F(Trace, BadInput) {
  const auto with_trace = [this](std::vector<std::string> arguments, const std::string& file) {
    arguments.insert(arguments.end(), {"--trace", path(file)});
    return arguments;
  };
  expect_error(with_trace(matmul("golden"), "t.json"), "--trace needs --on model, not golden");
  expect_error(with_trace(matmul("rtl"), "t.json"), "--trace needs --on model, not rtl");
  expect_error(with_trace(estimate({"--on", "rtl"}), "t.json"), "mxe matmul --on rtl --waves");
  EXPECT_EQ(read_text("t.json"), "");
  expect_error(with_trace(estimate(), "none/t.json"), "none/t.json: cannot create: ");
}

}  // namespace
}  // namespace mxe::test
