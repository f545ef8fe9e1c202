// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/base/process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "model/numerics/base/error.h"

namespace mxe::numerics {
namespace {

TEST(Process, EndOfAProgram) {
  EXPECT_TRUE(run_process({"true"}, STDOUT_FILENO, STDERR_FILENO).succeeded());
  EXPECT_FALSE(run_process({"false"}, STDOUT_FILENO, STDERR_FILENO).succeeded());
  EXPECT_FALSE(run_process({"no-such-program"}, STDOUT_FILENO, STDERR_FILENO).succeeded());
}

// With SIGCHLD ignored, as under some service managers, the kernel discards the status.
TEST(Process, AStatusThatIsLostIsNoSuccess) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_THROW(run_process({"false"}, STDOUT_FILENO, STDERR_FILENO), Error);
  std::signal(SIGCHLD, before);
}

}  // namespace
}  // namespace mxe::numerics
