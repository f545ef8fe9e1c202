// SPDX-License-Identifier: Apache-2.0
// The scoreboard reports every planted error; the stimulus has its stated properties.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "tb/cosim/job_generator.h"
#include "tb/cosim/scoreboard.h"

namespace mxe::test {
namespace {

constexpr uint64_t kAddress = 0x8000'1003;

struct Case {
  cosim::CosimJob job;
  cosim::JobImage image;
  cosim::Scoreboard scoreboard;
  cosim::Expectation expected;
  cosim::JobOutcome outcome;

  static cosim::JobSpec small_job() {
    cosim::JobSpec spec;
    spec.format_b = numerics::FormatId::mxfp4_e2m1;
    spec.m = 5;
    spec.n = 6;
    spec.k = 70;
    spec.values = cosim::Values::codes;
    spec.layout.d_gap = 8;
    return spec;
  }
  static cosim::JobSpec with_output(const char* name, std::size_t n) {
    cosim::JobSpec spec = small_job();
    spec.n = n;
    spec.output = job::parse_output_format(name);
    spec.layout.d_scale_gap = 3;
    return spec;
  }
  explicit Case(const cosim::JobSpec& spec = small_job())
      : job(cosim::make_job(spec)),
        image(job, kAddress, 3),
        expected(scoreboard.expected(job, image)) {
    outcome.memory = expected.memory;
  }
  std::string report() {
    scoreboard.check("rtl", 7, job, image, expected, outcome);
    if (scoreboard.mismatches().empty()) return "none";
    EXPECT_EQ(scoreboard.mismatches().size(), 1u);
    EXPECT_EQ(scoreboard.mismatches()[0].engine, "rtl");
    EXPECT_EQ(scoreboard.mismatches()[0].job, 7u);
    return scoreboard.mismatches()[0].what;
  }
  uint8_t& byte(uint64_t address) { return outcome.memory[address - image.address()]; }
};

TEST(Scoreboard, AcceptsWhatIsRight) { EXPECT_EQ(Case().report(), "none"); }

TEST(Scoreboard, ReportsAWrongBitOfAResult) {
  Case c;
  const mxe_job& d = c.image.descriptor();
  c.byte(d.d_addr + 3 * d.d_stride + 2 * 4 + 1) ^= 0x10;
  const std::string report = c.report();
  EXPECT_NE(report.find("D[3][2] is 0x"), std::string::npos) << report;
  EXPECT_NE(report.find("; 1 bytes differ"), std::string::npos) << report;
}

TEST(Scoreboard, ReportsEveryByte) {
  for (const char* output : {"fp32", "bf16", "mxfp6_e3m2"}) {
    const cosim::JobSpec spec = Case::with_output(output, 6);
    const std::size_t size = Case(spec).expected.memory.size();
    for (std::size_t i = 0; i < size; i++) {
      Case c(spec);
      c.outcome.memory[i] ^= 1;
      ASSERT_NE(c.report(), "none") << output << " " << i;
    }
  }
}

TEST(Scoreboard, NamesTheNumberOfAByte) {
  const auto place = [](const char* output, bool scale, unsigned row, unsigned byte) {
    const Case c(Case::with_output(output, 70));
    const mxe_job& d = c.image.descriptor();
    const uint64_t address =
        scale ? d.d_scale_addr + row * d.d_scale_stride + byte : d.d_addr + row * d.d_stride + byte;
    const cosim::Place found = c.image.locate(address);
    return found.what + " " + std::to_string(address - found.begin) + "/" +
           std::to_string(found.bytes);
  };
  EXPECT_EQ(place("fp32", false, 3, 11), "D[3][2] 3/4");
  EXPECT_EQ(place("bf16", false, 3, 11), "D[3][5] 1/2");
  EXPECT_EQ(place("mxint8", false, 4, 69), "D[4][69] 0/1");
  EXPECT_EQ(place("mxint8", false, 1, 70), "the gap after row 1 of D 0/1");
  EXPECT_EQ(place("mxfp4_e2m1", false, 2, 34), "D[2][68 to 69] 0/1");
  EXPECT_EQ(place("mxfp6_e2m3", false, 2, 1), "D[2][1 to 2] 0/1");
  EXPECT_EQ(place("mxfp6_e2m3", false, 2, 52), "D[2][69 to 69] 0/1");
  EXPECT_EQ(place("mxfp6_e2m3", true, 2, 2), "scales of D[2][2] 0/1");
  EXPECT_EQ(place("mxfp6_e2m3", true, 2, 3), "the gap after row 2 of scales of D 0/1");
}

TEST(Scoreboard, ComparesTheCountersOfData) {
  const cosim::JobCounts expected{10, 20, 30, 40};
  struct mxe_counters found = {};
  found.blocks = 10;
  found.nan_results = 20;
  found.saturations = 30;
  found.bytes_written = 40;
  cosim::Scoreboard scoreboard;
  scoreboard.check_counts("rtl", 3, expected, found);
  EXPECT_TRUE(scoreboard.mismatches().empty());
  for (uint64_t mxe_counters::*counter :
       {&mxe_counters::blocks, &mxe_counters::nan_results, &mxe_counters::saturations,
        &mxe_counters::bytes_written}) {
    struct mxe_counters wrong = found;
    wrong.*counter += 1;
    cosim::Scoreboard strict;
    strict.check_counts("rtl", 3, expected, wrong);
    EXPECT_EQ(strict.mismatches().size(), 1u);
  }
}

TEST(Job, CountsWhatTheDataDecide) {
  // Every result is 255, with the scale 2^7 of rule floor: MXINT8 cuts 255/128 to 127/64.
  cosim::JobSpec spec;
  spec.m = 3;
  spec.n = 40;
  spec.k = 255;
  spec.output = job::parse_output_format("mxint8");
  const cosim::JobResult floor = cosim::make_job(spec).expected(true);
  EXPECT_EQ(floor.counts.blocks, 3u * 40 * 8);
  EXPECT_EQ(floor.counts.saturations, 3u * 40);
  EXPECT_EQ(floor.counts.nan_results, 0u);
  EXPECT_EQ(floor.counts.bytes_written, 3u * 40 + 3 * 2 + 16);
  EXPECT_EQ(floor.stored.bytes[0], 127);
  spec.output.requant.rule = numerics::ScaleRule::rceil;
  EXPECT_EQ(cosim::make_job(spec).expected(true).counts.saturations, 0u);
}

TEST(Scoreboard, SaysWhereAStrayByteIs) {
  const Case c;
  const mxe_job& d = c.image.descriptor();
  EXPECT_EQ(c.image.locate(d.d_addr + d.d_stride - 1).what, "the gap after row 0 of D");
  EXPECT_EQ(c.image.locate(d.a_addr).what.substr(0, 8), "A at 0x8");
  EXPECT_EQ(c.image.locate(d.b_scale_addr).what.substr(0, 11), "scales of B");
  EXPECT_EQ(c.image.locate(d.a_addr - 1).what.substr(0, 14), "a guard byte a");
}

TEST(Scoreboard, ReportsABadStatus) {
  Case c;
  c.outcome.result = MXE_ERR_READ;
  c.outcome.completion.status = 8;
  const std::string report = c.report();
  EXPECT_NE(report.find("bus error"), std::string::npos) << report;
  EXPECT_NE(report.find("(status 8)"), std::string::npos) << report;
}

TEST(JobImage, LeavesNoiseAroundPackedRows) {
  // 5 elements of 4 bits: the upper half of a row's last byte is noise that depends on the seed.
  cosim::JobSpec spec;
  spec.format_a = numerics::FormatId::mxfp4_e2m1;
  spec.format_b = numerics::FormatId::mxint8;
  spec.m = 8;
  spec.k = 5;
  spec.values = cosim::Values::codes;
  const cosim::CosimJob job = cosim::make_job(spec);
  const cosim::JobImage one(job, kAddress, 1), two(job, kAddress, 2);
  const auto row = [&](const cosim::JobImage& image, unsigned i) {
    return image.before().data() + (image.descriptor().a_addr - kAddress) +
           i * image.descriptor().a_stride;
  };
  bool noise = false;
  for (unsigned i = 0; i < 8; i++) {
    EXPECT_EQ(std::memcmp(row(one, i), row(two, i), 2), 0);
    EXPECT_EQ(row(one, i)[2] & 0xF, row(two, i)[2] & 0xF);
    noise |= row(one, i)[2] != row(two, i)[2];
  }
  EXPECT_TRUE(noise);
}

TEST(JobGenerator, TheSeedDecidesEverything) {
  cosim::JobGenerator a(Params::named("small"), 9), b(Params::named("small"), 9),
      c(Params::named("small"), 10);
  bool differs = false;
  for (int i = 0; i < 20; i++) {
    const cosim::CosimJob job = a.next();
    EXPECT_EQ(job.describe(), b.next().describe());
    differs |= job.describe() != c.next().describe();
  }
  EXPECT_TRUE(differs);
}

TEST(JobGenerator, CoversWhatMatters) {
  const Params params = Params::named("small");
  cosim::JobGenerator generator(params, 123);
  std::set<std::pair<numerics::FormatId, numerics::FormatId>> pairs;
  std::map<std::string, int> values, seen;
  for (int i = 0; i < 3000; i++) {
    const cosim::CosimJob job = generator.next();
    pairs.insert({job.a.format, job.b.format});
    values[job.values]++;
    seen["ragged M"] += job.m() % params.rows != 0;
    seen["whole M"] += job.m() % params.rows == 0;
    seen["ragged N"] += job.n() % params.num_pe != 0;
    seen["ragged K"] += job.k() % 32 != 0;
    seen["several chunks"] += job.k() > params.a_slab_k;
    seen["several groups"] += job.n() > params.num_pe * params.acc_tiles;
    seen["both"] += job.k() > params.a_slab_k && job.n() > params.num_pe * params.acc_tiles &&
                    job.m() > params.rows;
    seen["one row"] += job.m() == 1;
    seen["one column"] += job.n() == 1;
    seen["one element"] += job.k() == 1;
    seen["bias"] += !job.bias.empty() && !job.bias_one_row;
    seen["bias row"] += job.bias_one_row;
    seen["stride zero"] += job.layout.a_one_row || job.layout.b_one_row;
    seen["odd stride"] += job.layout.a_gap % 2 == 1;
    for (const float result : job.sums(job::engine_sums(true))) {
      seen["NaN"] += std::isnan(result);
      seen["Inf"] += std::isinf(result);
      seen["subnormal"] += std::fpclassify(result) == FP_SUBNORMAL;
      seen["zero"] += result == 0;
      seen["NaN scale"] +=
          std::count(job.a.scales.begin(), job.a.scales.end(), numerics::kNanScale) > 0;
    }
  }
  EXPECT_EQ(pairs.size(), 49u);
  EXPECT_EQ(values.size(), cosim::kRandomValues.size());
  for (const auto& [what, count] : seen) EXPECT_GE(count, 5) << what;
}

TEST(JobGenerator, KeepsToTheTreeWidth) {
  Params params = Params::named("small");
  params.tree_w = 42;
  cosim::JobGenerator generator(params, 1);
  for (int i = 0; i < 200; i++) {
    const cosim::CosimJob job = generator.next();
    EXPECT_FALSE(job.a.format == numerics::FormatId::mxfp8_e5m2 &&
                 job.b.format == numerics::FormatId::mxfp8_e5m2);
  }
}

}  // namespace
}  // namespace mxe::test
