// The checker is checked: what it must report, it reports; and the stimulus is what it says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "tb/job_generator.h"
#include "tb/scoreboard.h"

namespace mxe {
namespace {

constexpr uint64_t kAddress = 0x8000'1003;

struct Case {
  Job job;
  JobImage image;
  Scoreboard scoreboard{true};
  std::vector<uint8_t> expected;
  JobOutcome outcome;

  static Job make() {
    JobGenerator generator(Params::named("small"), 11);
    Job job =
        generator.make(mx::FormatId::mxfp8_e4m3, mx::FormatId::mxfp4_e2m1, 5, 6, 70, Values::codes);
    job.layout.d_gap = 8;
    return job;
  }
  Case() : job(make()), image(job, kAddress, 3), expected(scoreboard.expected(job, image)) {
    outcome.memory = expected;
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
  const Case reference;
  const std::size_t size = reference.expected.size();
  for (std::size_t i = 0; i < size; i++) {
    Case c;
    c.outcome.memory[i] ^= 1;
    ASSERT_NE(c.report(), "none") << i;
  }
}

TEST(Scoreboard, SaysWhereAStrayByteIs) {
  const Case c;
  const mxe_job& d = c.image.descriptor();
  EXPECT_EQ(c.image.locate(d.d_addr + d.d_stride - 1), "the gap after row 0 of D");
  EXPECT_EQ(c.image.locate(d.a_addr).substr(0, 8), "A at 0x8");
  EXPECT_EQ(c.image.locate(d.b_scale_addr).substr(0, 11), "scales of B");
  EXPECT_EQ(c.image.locate(d.a_addr - 1).substr(0, 14), "a guard byte a");
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
  // 5 elements of 4 bits: the upper half of the last byte of a row is noise, and differs by seed.
  JobGenerator generator(Params::named("small"), 5);
  const Job job =
      generator.make(mx::FormatId::mxfp4_e2m1, mx::FormatId::mxint8, 8, 1, 5, Values::codes);
  const JobImage one(job, kAddress, 1), two(job, kAddress, 2);
  const auto row = [&](const JobImage& image, unsigned i) {
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
  JobGenerator a(Params::named("small"), 9), b(Params::named("small"), 9),
      c(Params::named("small"), 10);
  bool differs = false;
  for (int i = 0; i < 20; i++) {
    const Job job = a.next();
    EXPECT_EQ(job.describe(), b.next().describe());
    differs |= job.describe() != c.next().describe();
  }
  EXPECT_TRUE(differs);
}

TEST(JobGenerator, CoversWhatMatters) {
  const Params params = Params::named("small");
  JobGenerator generator(params, 123);
  std::set<std::pair<mx::FormatId, mx::FormatId>> pairs;
  std::map<std::string, int> values, seen;
  for (int i = 0; i < 1500; i++) {
    const Job job = generator.next();
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
    for (const float result : job.golden(true)) {
      seen["NaN"] += std::isnan(result);
      seen["Inf"] += std::isinf(result);
      seen["subnormal"] += std::fpclassify(result) == FP_SUBNORMAL;
      seen["zero"] += result == 0;
      seen["NaN scale"] += std::count(job.a.scales.begin(), job.a.scales.end(), mx::kNanScale) > 0;
    }
  }
  EXPECT_EQ(pairs.size(), 49u);
  EXPECT_EQ(values.size(), 8u);
  for (const auto& [what, count] : seen) EXPECT_GE(count, 5) << what;
}

TEST(JobGenerator, KeepsToTheTreeWidth) {
  Params params = Params::named("small");
  params.tree_w = 42;
  JobGenerator generator(params, 1);
  for (int i = 0; i < 200; i++) {
    const Job job = generator.next();
    EXPECT_FALSE(job.a.format == mx::FormatId::mxfp8_e5m2 &&
                 job.b.format == mx::FormatId::mxfp8_e5m2);
  }
}

}  // namespace
}  // namespace mxe
