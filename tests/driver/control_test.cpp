// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <set>
#include <string>

#include "mxe_counter_table.h"
#include "tests/driver/driver_fixture.h"

namespace mxe::test {
namespace {

TEST_F(Polling, ReadsEveryCounterOfOneSnapshot) {
  for (const CounterInfo& counter : counter_table) {
    device.set_reg(counter.offset, 0x80000000 + counter.offset);
    device.set_reg(counter.offset + 4, counter.offset + 4);
  }
  struct mxe_counters c = {};
  ASSERT_EQ(mxe_read_counters(&driver, &c), MXE_OK);
  for (const CounterInfo& counter : counter_table) {
    const uint64_t offset = counter.offset;
    EXPECT_EQ(c.*counter.value, (offset + 4) << 32 | (0x80000000 + offset)) << counter.name;
  }
  EXPECT_EQ(device.events, std::vector<std::string>{"snapshot"});
  EXPECT_EQ(device.reg(MXE_REG_CTRL), MXE_CTRL_ENABLE_MASK) << "still enabled";
}

TEST_F(Polling, ClearsCounters) {
  EXPECT_EQ(mxe_clear_counters(&driver), MXE_OK);
  EXPECT_EQ(device.events, std::vector<std::string>{"clear"});
  EXPECT_EQ(device.reg(MXE_REG_CTRL), MXE_CTRL_ENABLE_MASK);
}

TEST_F(Polling, CountersOfADeviceThatVanished) {
  device.gone = true;
  struct mxe_counters counters;
  EXPECT_EQ(mxe_read_counters(&driver, &counters), MXE_ERR_GONE);
  EXPECT_EQ(mxe_read_counters(&driver, nullptr), MXE_ERR_ARGUMENT);
  EXPECT_STREQ(mxe_explain(&driver, MXE_ERR_ARGUMENT), "counters is null");
}

class ResetHeads : public testing::TestWithParam<MockDevice::ResetHead>, public DriverFixture {
 protected:
  ResetHeads() : DriverFixture(true, 4) { device.reset_head = GetParam(); }
};
std::string head_name(const testing::TestParamInfo<MockDevice::ResetHead>& info) {
  const std::array<const char*, 3> names = {"head_stays", "head_to_tail", "head_to_zero"};
  return names.at(static_cast<size_t>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Reset, ResetHeads,
                         testing::Values(MockDevice::ResetHead::stays,
                                         MockDevice::ResetHead::to_tail,
                                         MockDevice::ResetHead::to_zero),
                         head_name);

TEST_P(ResetHeads, AbortsWhatIsUnfinishedAndKeepsTheRest) {
  wait(submit());
  const uint32_t done = submit(), fetch_failed = submit(), open = submit(), waiting = submit();
  device.complete_next();
  device.outcome = [](uint32_t) { return Outcome{MXE_STATUS_ERR_FETCH, false}; };
  device.complete_next();
  device.outcome = [](uint32_t) { return Outcome{}; };
  ASSERT_EQ(mxe_recover(&driver, 100), MXE_OK);
  EXPECT_EQ(wait(waiting), MXE_ERR_ABORTED);
  EXPECT_EQ(wait(done), MXE_OK);
  EXPECT_EQ(wait(fetch_failed), MXE_ERR_FETCH);
  mxe_completion completion = {};
  EXPECT_EQ(wait(open, 0, &completion), MXE_ERR_ABORTED);
  EXPECT_EQ(completion.status, MXE_STATUS_ERR_ABORTED);
  EXPECT_EQ(completion.job_id, open);
}

TEST_P(ResetHeads, LeavesTheDeviceUsable) {
  std::set<uint32_t> ids;
  for (int round = 0; round < 9; round++) {
    for (int i = 0; i < 3; i++) EXPECT_TRUE(ids.insert(submit()).second) << "an id came twice";
    wait(*ids.rbegin());
    const uint32_t aborted = submit();
    ASSERT_EQ(mxe_recover(&driver, 100), MXE_OK);
    EXPECT_EQ(wait(aborted), MXE_ERR_ABORTED);
    EXPECT_FALSE(device.has_work()) << "the aborted job must not run after all";
  }
  EXPECT_EQ(wait(submit()), MXE_OK);
}

TEST_P(BothPorts, ResetKeepsWhatTheDeviceStillCompleted) {
  const uint32_t id = submit();
  device.before_write = [&](uint32_t offset) {
    if (offset == MXE_REG_CTRL) device.complete_next();
  };
  ASSERT_EQ(mxe_recover(&driver, 100), MXE_OK);
  EXPECT_EQ(wait(id), MXE_OK);
  EXPECT_FALSE(device.irq());
  EXPECT_EQ(device.reg(MXE_REG_IRQ_STATUS), 0u);
}

TEST_P(BothPorts, ResetSeesRecordsOfTheLastMoment) {
  device.coherent = false;
  const uint32_t id = submit();
  device.before_write = [&](uint32_t offset) {
    if (offset == MXE_REG_CTRL) device.complete_next();
  };
  ASSERT_EQ(mxe_recover(&driver, 100), MXE_OK);
  EXPECT_EQ(wait(id), MXE_OK);
}

TEST_P(BothPorts, ResetTimesOutAndCanBeRepeated) {
  const uint32_t id = submit();
  device.reset_ticks = 50;
  EXPECT_EQ(mxe_recover(&driver, 20), MXE_ERR_TIMEOUT);
  EXPECT_EQ(device.reg(MXE_REG_CTRL), 0u) << "stays disabled";
  EXPECT_EQ(mxe_clear_counters(&driver), MXE_OK);
  EXPECT_EQ(device.reg(MXE_REG_CTRL), 0u) << "even after use";
  const mxe_job job = {};
  uint32_t refused = 0;
  EXPECT_EQ(mxe_submit(&driver, &job, nullptr, &refused), MXE_ERR_STOPPED);
  EXPECT_EQ(wait(id), MXE_ERR_STOPPED);
  EXPECT_EQ(mxe_recover(&driver, 50), MXE_OK);
  EXPECT_EQ(wait(id), MXE_ERR_ABORTED);
  EXPECT_EQ(wait(submit()), MXE_OK);
}

TEST_P(BothPorts, ResetOfADeviceThatVanished) {
  submit();
  device.gone = true;
  EXPECT_EQ(mxe_recover(&driver, 20), MXE_ERR_GONE);
}

TEST_P(BothPorts, ResetRecoversFromAHeadBeyondTheTail) {
  const uint32_t id = submit();
  device.head = 100;
  ASSERT_EQ(wait(id), MXE_ERR_PROTOCOL);
  EXPECT_EQ(mxe_recover(&driver, 20), MXE_OK);
  EXPECT_EQ(wait(id), MXE_ERR_ABORTED);
  EXPECT_EQ(wait(submit()), MXE_OK);
}

TEST(ErrorText, EveryCodeHasItsOwn) {
  std::set<std::string> texts{mxe_strerror(1)};  // not a status code
  for (int code = MXE_ERR_STOPPED; code <= MXE_OK; code++) {
    EXPECT_TRUE(texts.insert(mxe_strerror(code)).second) << code;
  }
  for (int code = MXE_ERR_ABORTED; code <= MXE_ERR_DESCRIPTOR; code++) {
    EXPECT_TRUE(texts.insert(mxe_strerror(code)).second) << code;
  }
  EXPECT_EQ(texts.count(mxe_strerror(-100)), 1u) << "not a code either";
}

}  // namespace
}  // namespace mxe::test
