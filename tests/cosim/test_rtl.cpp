#include <gtest/gtest.h>

#include "tb/cosim.h"
#include "tb/job_generator.h"

namespace mxe {
namespace {

TEST(Rtl, Smoke) {
  CoSimOptions options;
  options.run_model = false;
  CoSim cosim(options);
  JobGenerator generator(options.params, 1);
  for (int round = 0; round < 25; round++) {
    std::vector<Job> jobs;
    for (int i = 0; i < 8; i++) jobs.push_back(generator.next());
    cosim.run(jobs);
    for (const Mismatch& mismatch : cosim.mismatches()) {
      ADD_FAILURE() << mismatch.engine << " job " << mismatch.job << ": " << mismatch.what;
    }
    if (HasFailure()) return;
  }
  printf("cycles %lu\n", cosim.rtl_cycles());
}

}  // namespace
}  // namespace mxe
