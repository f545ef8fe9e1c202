// SPDX-License-Identifier: Apache-2.0
// Tests which measurements the baseline accepts and records, with invented measurements.
#include "tests/accuracy/baseline.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace mxe::test {
namespace {

constexpr const char* kRecorded =
    R"({"reason": "first", "jobs": [{"name": "one", "model": 132, "rtl": 132}]})";

class Baseline : public ::testing::Test {
 protected:
  Baseline() { std::ofstream(path_) << kRecorded; }
  ~Baseline() override { std::remove(path_.c_str()); }

  int check(uint64_t model, uint64_t rtl, const std::string& reason = "",
            const std::vector<std::string>& mismatches = {}) const {
    return check_baseline(path_, reason, [&](const nlohmann::ordered_json& entry) {
      StreamMeasurement measured;
      measured.jobs.push_back({entry.at("name"), model, rtl});
      measured.mismatches = mismatches;
      return measured;
    });
  }
  std::string file() const {
    std::ifstream in(path_);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::string path_ = ::testing::TempDir() + "/mxe_" +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
};

TEST_F(Baseline, AcceptsTheRecordedCyclesAndNoOthers) {
  EXPECT_EQ(check(132, 132), 0);
  EXPECT_EQ(check(133, 133), 1);
  EXPECT_EQ(check(131, 131), 1);
  EXPECT_EQ(file(), kRecorded);
}

TEST_F(Baseline, RefusesAModelThatIsNotTheRtl) {
  EXPECT_EQ(check(132, 133), 1);
  EXPECT_EQ(check(133, 132), 1);
  EXPECT_EQ(check(133, 132, "why"), 1);
  EXPECT_EQ(file(), kRecorded);
}

TEST_F(Baseline, RecordsNewCyclesWithTheReason) {
  EXPECT_EQ(check(140, 140, "a deeper pipeline"), 0);
  const nlohmann::json recorded = nlohmann::json::parse(file());
  EXPECT_EQ(recorded.at("reason"), "a deeper pipeline");
  EXPECT_EQ(recorded.at("jobs").at(0).at("model"), 140);
  EXPECT_EQ(recorded.at("jobs").at(0).at("rtl"), 140);
  EXPECT_EQ(check(140, 140), 0);
}

TEST_F(Baseline, NeverRecordsWrongResults) {
  EXPECT_EQ(check(132, 132, "", {"rtl: D[0][0] is 0, expected 1"}), 1);
  EXPECT_EQ(check(140, 140, "why", {"rtl: D[0][0] is 0, expected 1"}), 1);
  EXPECT_EQ(file(), kRecorded);
}

}  // namespace
}  // namespace mxe::test
