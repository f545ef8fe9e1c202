// SPDX-License-Identifier: Apache-2.0
// A fault, at a label fault_... of guest_faults.S, ends the run with exit code 3 and a message.
#include <fmt/format.h>

#include <algorithm>

#include "tests/firmware/firmware_run.h"

namespace mxe::test {
namespace {

struct FaultCase {
  const char *name, *message;
};

constexpr FaultCase kCases[] = {
    {"read", "a read of 4 bytes at 0x2000000c, an unmapped address"},
    {"read_short", "a read of 4 bytes at 0x20000044, an unmapped address"},
    {"read_below", "a read of 1 bytes at 0x1fffffff, an unmapped address"},
    {"write", "a write of 1 bytes at 0x28, an unmapped address"},
    {"write_short", "a write of 4 bytes at 0x200000c4, an unmapped address"},
    {"write_wide", "a write of "},
    {"atomic", "a read of 4 bytes at 0x20000000, an unmapped address"},
    {"misaligned", "a misaligned atomic access"},
    {"illegal", "illegal instruction 0xffffffff"},
    {"illegal_short", "illegal instruction 0x0"},
    {"ebreak", "ebreak without a debugger"},
    {"ebreak_short", "ebreak without a debugger"},
    {"ecall", "ecall, which this platform does not support"},
    {"deadlock", "deadlock: wfi, and no interrupt can come"},
    {"timer_write", "bus error: a write of 4 bytes at 0x10002000 (timer + 0x0)"},
    {"uart_byte", "bus error: a write of 1 bytes at 0x10000000 (uart + 0x0)"},
    {"engine_read", "bus error: a read of 4 bytes at 0x10001ffc (engine + 0xffc)"},
    {"engine_write", "bus error: a write of 4 bytes at 0x10001000 (engine + 0x0)"},
    {"loop", "timeout after 1000 us of simulated time"},
};

class Fault : public CliTest, public testing::WithParamInterface<int> {
 protected:
  ProgramRun run(const std::string& name) {
    return mxe({"run", firmware("guest", GetParam()), name, "--timeout-us", "1000", "--summary"});
  }
};

TEST_P(Fault, IsReportedWithInstructionAndRegisters) {
  for (const FaultCase& fault : kCases) {
    const ProgramRun result = run(fault.name);
    SCOPED_TRACE(fault.name + std::string("\n") + result.err);
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err.rfind("mxe run: fault after ", 0), 0u);
    EXPECT_NE(result.err.find(std::string("mxe run: ") + fault.message), std::string::npos);
    EXPECT_NE(result.err.find(fmt::format("(fault_{})\nzero 0", fault.name)), std::string::npos);
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 10);
  }
}

TEST_P(Fault, RegistersAreThoseOfTheInstruction) {
  const std::string zeros(GetParam() == 64 ? 8 : 0, '0');
  EXPECT_NE(run("read").err.find("a1 " + zeros + "20000000\n"), std::string::npos);
  EXPECT_NE(run("read").err.find("a2 " + zeros + "20000010  "), std::string::npos);
  EXPECT_NE(run("engine_read").err.find("a0 " + zeros + "00000001  "), std::string::npos);
}

TEST_P(Fault, ATimeoutNamesALineThatNeverFalls) {
  const ProgramRun result = run("stuck");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("timeout after 1000 us of simulated time (the interrupt line of the "
                            "engine has been high since "),
            std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find(" ns: no handler clears its cause), at pc "), std::string::npos);
}

TEST_P(Fault, AJumpToNowhere) {
  const ProgramRun result = run("jump");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("a jump to 0x30000000, an unmapped address, at pc 0x30000000\n"),
            std::string::npos)
      << result.err;
}

TEST_P(Fault, TheSameOnTheRtl) {
  for (const std::string& engine : engines()) {
    const ProgramRun result =
        mxe({"run", firmware("guest", GetParam()), "engine_read", "--on", engine, "--summary"});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(result.err,
              mxe({"run", firmware("guest", GetParam()), "engine_read", "--summary"}).err);
  }
}

INSTANTIATE_TEST_SUITE_P(Bits, Fault, testing::Values(32, 64));

}  // namespace
}  // namespace mxe::test
