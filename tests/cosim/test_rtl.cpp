#include <gtest/gtest.h>

#include "tb/cosim.h"
#include "tb/job_generator.h"

namespace mxe {
namespace {

TEST(Rtl, Smoke) {
  CoSimOptions options;
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
  int exact = 0;
  for (const auto& c : cosim.cycles()) {
    exact += c.model == c.rtl;
    if (c.model != c.rtl) printf("%6lu %6lu %+ld %s\n", c.model, c.rtl, (long)(c.model - c.rtl), c.job.c_str());
  }
  printf("cycles %lu exact %d of %zu\n", cosim.rtl_cycles(), exact, cosim.cycles().size());
}

}  // namespace
}  // namespace mxe
