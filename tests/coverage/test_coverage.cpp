// SPDX-License-Identifier: Apache-2.0
// Which events the bins of the coverage count.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "model/numerics/base/error.h"
#include "mxe_regs.h"
#include "tb/cosim/job_spec.h"
#include "tb/coverage/counts.h"
#include "tb/coverage/coverage.h"

namespace mxe::test {
namespace {

using Counts = std::map<std::string, uint64_t>;

TEST(Bins, CountWhatIsDefined) {
  coverage::Bins bins;
  bins.define("g", "About it.", coverage::ShortRun::some, {"a", "b"});
  bins.hit("g", "b");
  bins.add({{"g", {{"b", 2}}}});
  EXPECT_EQ(bins.counts(), (coverage::BinCounts{{"g", {{"b", 3}}}}));
  EXPECT_EQ(bins.to_json().dump(),
            R"({"groups":[{"name":"g","about":"About it.","short_run":"some",)"
            R"("bins":{"a":0,"b":3}}]})");
  EXPECT_THROW(bins.hit("g", "c"), Error);
  EXPECT_THROW(bins.hit("h", "a"), Error);
  EXPECT_THROW(bins.define("i", "", coverage::ShortRun::some, {"a", "a"}), Error);
}

TEST(Bins, Cross) {
  EXPECT_EQ(coverage::cross({{"a", "b"}, {"x", "y"}}),
            (std::vector<std::string>{"a, x", "a, y", "b, x", "b, y"}));
}

TEST(Bins, AllAreDefinedOnce) {
  const nlohmann::ordered_json groups = coverage::all_bins().to_json().at("groups");
  std::size_t count = 0;
  for (const auto& group : groups) count += group.at("bins").size();
  EXPECT_GT(count, 1000u);
}

Counts counts_of(const cosim::JobSpec& spec, const std::string& group) {
  const cosim::CosimJob job = cosim::make_job(spec);
  const cosim::JobImage image(job, 0x1000, 1);
  cosim::JobOutcome outcome;
  const cosim::JobResult golden = job.expected(true);
  outcome.memory = image.after(golden.stored);
  cosim::Expectation expected;
  expected.memory = outcome.memory;
  expected.counts = golden.counts;
  coverage::Coverage coverage(Params::named("small"));
  coverage.job_compared(job, image, expected, outcome);
  coverage::BinCounts counts = coverage.counts();
  return counts[group];
}

TEST(JobBins, FormatsAndResults) {
  cosim::JobSpec spec;
  spec.format_b = numerics::FormatId::mxint8;
  EXPECT_EQ(counts_of(spec, "format of A"), (Counts{{"mxfp8_e4m3", 1}}));
  EXPECT_EQ(counts_of(spec, "format of B"), (Counts{{"mxint8", 1}}));
  EXPECT_EQ(counts_of(spec, "results"), (Counts{{"fp32, normal", 1}}));
  EXPECT_EQ(counts_of(spec, "bias x results"), (Counts{{"no bias, fp32", 1}}));
  EXPECT_EQ(counts_of(spec, "pair x data"), Counts());  // only directed jobs consist of ones
  spec.values = cosim::Values::codes;
  EXPECT_EQ(counts_of(spec, "pair x data"), (Counts{{"mxfp8_e4m3 x mxint8, codes", 1}}));
}

TEST(JobBins, ResultsOfBlocks) {
  cosim::JobSpec spec;
  spec.n = 3;
  spec.output.kind = job::OutputFormat::Kind::mx;
  spec.output.requant.format = numerics::FormatId::mxfp4_e2m1;
  EXPECT_EQ(counts_of(spec, "output x rule x special"),
            (Counts{{"mxfp4_e2m1, floor, saturate", 1}}));
  EXPECT_EQ(counts_of(spec, "result scales"), (Counts{{"mxfp4_e2m1, floor, 1 to 253", 1}}));
  EXPECT_EQ(counts_of(spec, "result elements"), (Counts{{"mxfp4_e2m1, saturate, normal", 1}}));
}

TEST(JobBins, Shapes) {
  cosim::JobSpec spec;  // small: ROWS 8, NUM_PE 4, ACC_TILES 2, B_BUF_K 64, A_SLAB_K 128
  spec.m = 9;
  spec.n = 7;
  spec.k = 128;
  EXPECT_EQ(counts_of(spec, "loop nest x configuration"),
            (Counts{{"small, several stripes, one group, one chunk, single rate", 1}}));
  EXPECT_EQ(counts_of(spec, "shape x configuration"), (Counts{{"small, M in tiles, one more", 1},
                                                              {"small, N in tiles, more", 1},
                                                              {"small, N in groups, one less", 1},
                                                              {"small, K in words, multiple", 1},
                                                              {"small, K in slabs, multiple", 1},
                                                              {"small, K in chunks, exact", 1}}));
}

TEST(JobBins, AJobThatFailedCountsItsStatusOnly) {
  const cosim::CosimJob job = cosim::make_job({});
  const cosim::JobImage image(job, 0x1000, 1);
  cosim::JobOutcome outcome;
  outcome.result = MXE_ERR_READ;
  coverage::Coverage coverage(Params::named("small"));
  coverage.job_compared(job, image, {}, outcome);
  EXPECT_EQ(coverage.counts(), (coverage::BinCounts{{"status", {{"ERR_READ", 1}}}}));
}

struct Pins {
  rtl::RtlInputs in;
  rtl::RtlOutputs out;
};

Counts count_cycles(const std::vector<Pins>& cycles) {
  coverage::PortBins ports(Params::named("small"));
  for (const Pins& pins : cycles) ports.cycle(pins.in, pins.out);
  coverage::Bins bins = coverage::all_bins();
  ports.report(bins);
  coverage::BinCounts counts = bins.counts();
  return counts["memory port and interrupt"];
}

Pins read_address(uint64_t address, uint8_t length) {
  Pins pins;
  pins.out.m_arvalid = pins.in.m_arready = true;
  pins.out.m_araddr = address;
  pins.out.m_arlen = length;
  return pins;
}

TEST(PortBins, ReadsSplitAt4KiB) {
  EXPECT_EQ(
      count_cycles({read_address(0xFE0, 1), read_address(0x1000, 0)}),
      (Counts{{"read of several beats", 1}, {"read of one beat", 1}, {"read split at 4 KiB", 1}}));
  EXPECT_EQ(count_cycles({read_address(0xFD0, 1), read_address(0xFF0, 0)}),
            (Counts{{"read of several beats", 1}, {"read of one beat", 1}}));
}

TEST(PortBins, OrderOfAddressAndData) {
  Pins address, data, both;
  address.out.m_awvalid = address.in.m_awready = true;
  data.out.m_wvalid = data.in.m_wready = data.out.m_wlast = true;
  data.out.m_wstrb = 0xFFFF;
  both.in.m_awready = both.in.m_wready = true;
  both.out = data.out;
  both.out.m_awvalid = true;
  const auto order = [](const std::vector<Pins>& cycles) {
    std::string found;
    for (const auto& [bin, times] : count_cycles(cycles)) {
      if (bin.rfind("write data ", 0) == 0) found += bin;
    }
    return found;
  };
  EXPECT_EQ(order({address, data}), "write data after their address");
  EXPECT_EQ(order({data, address}), "write data before their address");
  EXPECT_EQ(order({both}), "write data with their address");
}

class Accesses {
 public:
  void write(uint32_t address, uint32_t data) {
    rtl::RtlInputs in;
    rtl::RtlOutputs out;
    in.s_awvalid = out.s_awready = in.s_wvalid = out.s_wready = true;
    out.s_bvalid = in.s_bready = true;
    in.s_awaddr = address;
    in.s_wdata = data;
    bins_.cycle(in, out);
  }
  void read(uint32_t address, uint32_t data) {
    rtl::RtlInputs in;
    rtl::RtlOutputs out;
    in.s_arvalid = out.s_arready = out.s_rvalid = in.s_rready = true;
    in.s_araddr = address;
    out.s_rdata = data;
    bins_.cycle(in, out);
  }
  Counts counts(const std::string& group) const {
    coverage::BinCounts counts = bins_.counts();
    return counts[group];
  }

 private:
  coverage::RegisterBins bins_;
};

TEST(RegisterBins, DoorbellsByWhatCameOfThem) {
  Accesses software;
  software.write(MXE_REG_RING_TAIL, 3);
  software.read(MXE_REG_RING_HEAD, 2);  // not counted yet
  EXPECT_EQ(software.counts("doorbells"), Counts());
  software.read(MXE_REG_RING_HEAD, 3);
  EXPECT_EQ(software.counts("doorbells"), (Counts{{"forward, taken", 1}}));
  software.write(MXE_REG_RING_TAIL, 0xFFFF);
  software.read(MXE_REG_RING_TAIL, 3);
  software.write(MXE_REG_RING_TAIL, 300);
  software.read(MXE_REG_RING_TAIL, 3);
  software.write(MXE_REG_RING_TAIL, 3);
  software.read(MXE_REG_RING_TAIL, 3);
  EXPECT_EQ(software.counts("doorbells"), (Counts{{"forward, taken", 1},
                                                  {"backward, refused", 1},
                                                  {"beyond the ring, refused", 1},
                                                  {"where the tail is, taken", 1}}));
}

TEST(RegisterBins, DoorbellsOverTheLargestIndex) {
  Accesses software;
  software.read(MXE_REG_RING_TAIL, 0xFFFE);
  software.write(MXE_REG_RING_TAIL, 1);
  software.read(MXE_REG_RING_TAIL, 1);
  EXPECT_EQ(software.counts("doorbells"), (Counts{{"from 65535 to 0, taken", 1}}));
  software.write(MXE_REG_CTRL, MXE_CTRL_SOFT_RESET_MASK);
  software.write(MXE_REG_RING_TAIL, 1);
  software.read(MXE_REG_RING_HEAD, 1);
  EXPECT_EQ(software.counts("doorbells"),
            (Counts{{"from 65535 to 0, taken", 1}, {"forward, taken", 1}}));
}

TEST(RegisterBins, BusErrorsTold) {
  Accesses software;
  software.read(MXE_REG_FAULT_INFO, MXE_FAULT_A_SCALES | 5u << MXE_FAULT_INFO_INDEX_SHIFT);
  software.read(MXE_REG_FAULT_INFO, MXE_FAULT_RECORD | MXE_FAULT_INFO_WRITE_MASK);
  software.read(MXE_REG_FAULT_ADDR_LO, MXE_FAULT_D);
  EXPECT_EQ(software.counts("bus errors reported"), (Counts{{"scales of A", 1}, {"record", 1}}));
}

TEST(StateBins, TransitionsAndLevels) {
  uint8_t state = 0, credit = 16;
  const std::vector<rtl::RtlSignal::ValueName> names = {
      {0, "StIdle"}, {1, "StSetup"}, {2, "StRun"}};
  coverage::StateBins states(
      {rtl::RtlSignal("u_cmd.state_q", &state, 1, false, names),
       rtl::RtlSignal("u_datapath.u_drain.credit_q", &credit, 1, false, {})});
  coverage::Bins bins = coverage::all_bins();
  state = 1;
  credit = 0;
  states.cycle();
  states.cycle();
  states.report(bins);
  EXPECT_EQ(bins.counts(),
            (coverage::BinCounts{{"command processor", {{"StIdle -> StSetup", 1}}},
                                 {"levels", {{"u_datapath.u_drain.credit_q, 0", 1}}}}));
  state = 2;
  states.cycle();
  EXPECT_THROW(states.report(bins), Error);
}

TEST(Coverage, IsWrittenAndReadable) {
  const std::string directory = testing::TempDir() + "mxe_coverage";
  coverage::CoverageCounts counts;
  coverage::add(counts, {{{"status", {{"OK", 2}}}}, {{"point", 1}}});
  coverage::add(counts, {{{"status", {{"OK", 1}}}}, {{"point", 4}}});
  coverage::write_coverage(directory, counts);
  std::ifstream lines(directory + "/lines.dat"), bins(directory + "/bins.json");
  std::string header, point;
  std::getline(lines, header);
  std::getline(lines, point);
  EXPECT_EQ(point, "C 'point' 5");
  for (const auto& group : nlohmann::json::parse(bins).at("groups")) {
    if (group.at("name") != "status") continue;
    EXPECT_EQ(group.at("bins").at("OK"), 3);
  }
  std::filesystem::remove_all(directory);
  EXPECT_THROW(coverage::write_coverage("/proc/nowhere", counts), Error);
}

}  // namespace
}  // namespace mxe::test
