// Every fault of plant.cmake, chosen while the test runs, must be reported by the co-simulation:
// a wrong byte, a wrong record, a breach of the bus protocol, a failing assertion or a hang.
#include <gtest/gtest.h>

#include "planted_fault.h"
#include "tb/cosim.h"
#include "tb/job_generator.h"

namespace mxe {
namespace {

struct Fault {
  int number;
  const char* name;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

/// Runs random jobs on the RTL with a fault until something is reported, at most `rounds` times 8.
std::vector<Mismatch> run_with_fault(int number, int rounds) {
  planted_fault = number;
  CoSimOptions options;
  options.run_model = false;
  options.rtl.make_top = make_Vmxe_faults;
  options.rtl.hang_cycles = 20'000;
  options.timing.latency = 20;
  CoSim cosim(options);
  JobGenerator generator(options.params, 20'261'121);
  for (int round = 0; round < rounds && cosim.mismatches().empty(); round++) {
    std::vector<Job> jobs;
    for (int i = 0; i < 8; i++) jobs.push_back(generator.next());
    cosim.run(jobs);
  }
  return cosim.mismatches();
}

TEST(Faults, NothingIsReportedWithoutOne) {
  for (const Mismatch& mismatch : run_with_fault(0, 12)) ADD_FAILURE() << mismatch.what;
}

class PlantedFault : public testing::TestWithParam<Fault> {};

TEST_P(PlantedFault, IsReported) {
  const std::vector<Mismatch> mismatches = run_with_fault(GetParam().number, 40);
  ASSERT_FALSE(mismatches.empty()) << "the co-simulation did not notice";
  RecordProperty("report", mismatches.front().what);
  std::printf("reported: %s\n", mismatches.front().what.c_str());
}

INSTANTIATE_TEST_SUITE_P(
    Rtl, PlantedFault,
    testing::Values(
        Fault{1, "ZeroedOutput"}, Fault{2, "SwappedScales"}, Fault{3, "DroppedRoundingSticky"},
        Fault{4, "LaneShiftedByOne"}, Fault{5, "DroppedAlignmentSticky"},
        Fault{6, "ElementsBeyondK"}, Fault{7, "IgnoredNanScale"}, Fault{8, "IgnoredBias"},
        Fault{9, "OddChainLost"}, Fault{10, "WriteBeyondRow"}, Fault{11, "BankNeverReleased"},
        Fault{12, "WrongJobId"}, Fault{13, "MissingLastBeat"}, Fault{14, "BurstAcross4KiB"},
        Fault{15, "CounterSumOff"}, Fault{16, "OddChainNegated"}, Fault{17, "DroppedElementSticky"},
        Fault{18, "CeilIsFloor"}, Fault{19, "ScaleInWrongColumn"}, Fault{20, "TruncatedBf16"},
        Fault{21, "MagnitudeOfBlockBefore"}, Fault{22, "NoiseBelowBf16Bias"}),
    [](const testing::TestParamInfo<Fault>& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace mxe
