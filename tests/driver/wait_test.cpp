// SPDX-License-Identifier: Apache-2.0
// mxe_wait(): results in any order, every status, timeouts, and devices that misbehave.
#include <random>

#include "tests/driver/driver_fixture.h"

namespace mxe::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Port, BothPorts, testing::Bool(), port_name);

TEST_P(BothPorts, ReturnsTheCompletionRecord) {
  const uint32_t id = submit();
  mxe_completion completion = {};
  EXPECT_EQ(wait(id, 100, &completion), MXE_OK);
  EXPECT_EQ(completion.job_id, id);
  EXPECT_EQ(completion.status, MXE_STATUS_OK);
  EXPECT_EQ(completion.cycles, 0x7'0000'0000 + 1000 + id);
}

TEST_P(BothPorts, ReadsTheRecordAfterABarrier) {
  device.coherent = false;
  mxe_completion completion = {};
  for (int i = 0; i < 6; i++) {
    const uint32_t id = submit();
    EXPECT_EQ(wait(id, 100, &completion), MXE_OK);
    EXPECT_EQ(completion.job_id, id);
  }
}

TEST_P(BothPorts, WaitsInAnyOrderAndMoreThanOnce) {
  const uint32_t first = submit(), second = submit(), third = submit();
  mxe_completion completion = {};
  for (const uint32_t id : {third, first, second, third, first}) {
    EXPECT_EQ(wait(id, 100, &completion), MXE_OK);
    EXPECT_EQ(completion.job_id, id);
  }
}

TEST_P(BothPorts, WaitsAcrossTheEndOfTheRing) {
  for (int i = 0; i < 3; i++) wait(submit());
  const uint32_t before = submit(), after = submit();
  EXPECT_EQ(wait(after), MXE_OK);
  EXPECT_EQ(wait(before), MXE_OK);
}

TEST_P(BothPorts, MapsEveryStatusToItsOwnCode) {
  const std::vector<std::pair<uint32_t, int>> codes = {
      {MXE_STATUS_ERR_DESCRIPTOR, MXE_ERR_DESCRIPTOR},
      {MXE_STATUS_ERR_SHAPE, MXE_ERR_SHAPE},
      {MXE_STATUS_ERR_FORMAT, MXE_ERR_FORMAT},
      {MXE_STATUS_ERR_PAIR, MXE_ERR_PAIR},
      {MXE_STATUS_ERR_OUT_FORMAT, MXE_ERR_OUT_FORMAT},
      {MXE_STATUS_ERR_ALIGN, MXE_ERR_ALIGN},
      {MXE_STATUS_ERR_READ, MXE_ERR_READ},
      {MXE_STATUS_ERR_WRITE, MXE_ERR_WRITE},
      {MXE_STATUS_ERR_FETCH, MXE_ERR_FETCH},
      {MXE_STATUS_ERR_ABORTED, MXE_ERR_ABORTED},
      {MXE_STATUS_OK, MXE_OK}};
  for (const auto& [status, code] : codes) {
    device.outcome = [status = status](uint32_t) { return Outcome{status}; };
    mxe_completion completion = {};
    EXPECT_EQ(wait(submit(), 100, &completion), code);
    EXPECT_EQ(completion.status, status);
  }
}

TEST_P(BothPorts, TellsWhereAJobMetABusError) {
  device.outcome = [](uint32_t id) {
    return Outcome{id <= 2 ? MXE_STATUS_ERR_WRITE : MXE_STATUS_OK};
  };
  const uint32_t first = submit(), second = submit(), good = submit();
  device.set_reg(MXE_REG_FAULT_ADDR_LO, 0x9abcdef0);
  device.set_reg(MXE_REG_FAULT_ADDR_HI, 0x12345678);
  device.set_reg(MXE_REG_FAULT_INFO, MXE_FAULT_D_SCALES | MXE_FAULT_INFO_WRITE_MASK |
                                         1u << MXE_FAULT_INFO_INDEX_SHIFT);  // the second job
  EXPECT_EQ(wait(good), MXE_OK);
  mxe_completion completion = {};
  EXPECT_EQ(wait(second, 100, &completion), MXE_ERR_WRITE);
  EXPECT_EQ(completion.fault_operand, MXE_FAULT_D_SCALES);
  EXPECT_TRUE(completion.fault_write);
  EXPECT_EQ(completion.fault_addr, 0x123456789abcdef0u);
  EXPECT_EQ(wait(first, 100, &completion), MXE_ERR_WRITE);
  EXPECT_EQ(completion.fault_operand, MXE_FAULT_NONE) << "a later job's";
  EXPECT_EQ(completion.fault_addr, 0u);
  EXPECT_EQ(wait(good, 100, &completion), MXE_OK);
  EXPECT_EQ(completion.fault_operand, MXE_FAULT_NONE);
}

TEST_P(BothPorts, AsksNoOldDeviceWhereABusErrorWas) {
  driver.caps.version_minor = 3;
  device.outcome = [](uint32_t) { return Outcome{MXE_STATUS_ERR_READ}; };
  device.set_reg(MXE_REG_FAULT_INFO, MXE_FAULT_A);
  mxe_completion completion = {};
  EXPECT_EQ(wait(submit(), 100, &completion), MXE_ERR_READ);
  EXPECT_EQ(completion.fault_operand, MXE_FAULT_NONE);
}

TEST_P(BothPorts, DistrustsAFaultThatChangesWhileItIsRead) {
  device.outcome = [](uint32_t) { return Outcome{MXE_STATUS_ERR_READ}; };
  device.set_reg(MXE_REG_FAULT_INFO, MXE_FAULT_A);
  device.before_read = [this](uint32_t offset) {
    if (offset == MXE_REG_FAULT_ADDR_LO) device.set_reg(MXE_REG_FAULT_INFO, MXE_FAULT_B);
  };
  mxe_completion completion = {};
  EXPECT_EQ(wait(submit(), 100, &completion), MXE_ERR_READ);
  EXPECT_EQ(completion.fault_operand, MXE_FAULT_NONE);
}

TEST_P(BothPorts, KnowsAFailedFetchByTheMissingRecord) {
  device.outcome = [](uint32_t id) {
    return id == 2 ? Outcome{MXE_STATUS_ERR_FETCH, false} : Outcome{};
  };
  const uint32_t before = submit(), failed = submit(), after = submit();
  EXPECT_EQ(wait(after), MXE_OK);
  mxe_completion completion = {};
  EXPECT_EQ(wait(failed, 100, &completion), MXE_ERR_FETCH);
  EXPECT_EQ(completion.job_id, failed);
  EXPECT_EQ(completion.status, MXE_STATUS_ERR_FETCH);
  EXPECT_EQ(completion.cycles, 0u);
  EXPECT_EQ(wait(before), MXE_OK);
}

TEST_P(BothPorts, KnowsOnlyJobsThatAreInTheRing) {
  EXPECT_EQ(wait(0), MXE_ERR_UNKNOWN_JOB);
  EXPECT_EQ(wait(1), MXE_ERR_UNKNOWN_JOB);
  const uint32_t old = submit();
  for (int i = 0; i < 3; i++) wait(submit());
  EXPECT_EQ(wait(old), MXE_OK) << "kept until its entry is needed";
  const uint32_t latest = submit();
  EXPECT_EQ(wait(old), MXE_OK) << "kept until as many jobs have ended as the ring has entries";
  EXPECT_EQ(wait(latest + 1), MXE_ERR_UNKNOWN_JOB);
  EXPECT_EQ(wait(latest), MXE_OK);
  EXPECT_EQ(wait(old), MXE_ERR_UNKNOWN_JOB);
}

TEST_P(BothPorts, TimesOutAndCanWaitAgain) {
  device.ticks_per_job = 50;
  const uint32_t id = submit();
  EXPECT_EQ(wait(id, 20), MXE_ERR_TIMEOUT);
  EXPECT_EQ(wait(id, 20), MXE_ERR_TIMEOUT);
  EXPECT_EQ(wait(id, 20), MXE_OK);
}

TEST_P(BothPorts, TimeoutZeroOnlyLooks) {
  const uint32_t id = submit();
  EXPECT_EQ(wait(id, 0), MXE_ERR_TIMEOUT);
  EXPECT_EQ(device.polls + device.irq_waits, 0u);
  device.complete_next();
  EXPECT_EQ(wait(id, 0), MXE_OK);
}

TEST_P(BothPorts, TimeoutStartsAnewWithEveryCompletion) {
  device.ticks_per_job = 15;
  submit();
  submit();
  const uint32_t last = submit();
  EXPECT_EQ(wait(last, 20), MXE_OK);
}

TEST_P(BothPorts, ASecondWaitNeedsNoDevice) {
  const uint32_t id = submit();
  EXPECT_EQ(wait(id), MXE_OK);
  device.gone = true;
  EXPECT_EQ(wait(id), MXE_OK);
}

TEST_P(BothPorts, NoticesThatTheDeviceVanished) {
  const uint32_t id = submit();
  device.gone = true;
  EXPECT_EQ(wait(id), MXE_ERR_GONE);
}

TEST_P(BothPorts, NoticesThatTheDeviceVanishesWhileWaiting) {
  device.ticks_per_job = 1000;
  const uint32_t id = submit();
  int reads = 0;
  device.before_read = [&](uint32_t) { device.gone |= ++reads == 2; };
  EXPECT_EQ(wait(id, 10), MXE_ERR_GONE);
}

TEST_P(BothPorts, ReportsARefusedDoorbell) {
  device.refuses_doorbells = true;
  const uint32_t id = submit();
  EXPECT_EQ(wait(id), MXE_ERR_OVERFLOW);
  device.refuses_doorbells = false;
  ASSERT_EQ(mxe_recover(&driver, 100), MXE_OK);
  EXPECT_EQ(wait(id), MXE_ERR_ABORTED);
  EXPECT_EQ(wait(submit()), MXE_OK);
}

TEST_P(BothPorts, RefusesAHeadBeyondTheTail) {
  const uint32_t id = submit();
  device.head = static_cast<uint16_t>(driver.tail + 1);
  EXPECT_EQ(wait(id), MXE_ERR_PROTOCOL);
}

TEST_P(BothPorts, RefusesAHeadThatMovesBack) {
  wait(submit());
  const uint32_t id = submit();
  device.head = static_cast<uint16_t>(driver.head - 1);
  EXPECT_EQ(wait(id), MXE_ERR_PROTOCOL);
}

TEST_P(BothPorts, RefusesAHeadOfMoreThan16Bits) {
  const uint32_t id = submit();
  device.set_reg(MXE_REG_RING_HEAD, 0x10000);
  EXPECT_EQ(wait(id), MXE_ERR_PROTOCOL);
}

TEST_P(BothPorts, RefusesARecordOfAnotherJob) {
  device.outcome = [](uint32_t) { return Outcome{MXE_STATUS_OK, true, true}; };
  mxe_completion completion = {};
  const uint32_t id = submit();
  EXPECT_EQ(wait(id, 100, &completion), MXE_ERR_PROTOCOL);
  EXPECT_EQ(completion.job_id, id);
}

TEST_P(BothPorts, RefusesAnUnknownStatus) {
  for (const uint32_t status : {12u, 0x80000000u, ~0u}) {
    device.outcome = [status](uint32_t) { return Outcome{status}; };
    EXPECT_EQ(wait(submit()), MXE_ERR_PROTOCOL) << status;
  }
}

TEST_P(BothPorts, SurvivesRandomTraffic) {
  for (uint32_t seed = 1; seed <= 20; seed++) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    DriverFixture run(GetParam(), 8);
    run.device.ticks_per_job = 1 + static_cast<unsigned>(random() % 5);
    run.device.outcome = [](uint32_t id) { return Outcome{1 + id % 9}; };
    std::vector<uint32_t> open;
    const auto wait_for = [&](size_t pick) {
      const uint32_t id = open[pick];
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(pick));
      const int status = static_cast<int>(1 + id % 9);
      ASSERT_EQ(run.wait(id), status == 1 ? MXE_OK : -100 - status) << "job " << id;
    };
    for (int step = 0; step < 400; step++) {
      if (random() % 2 == 0) {
        // A result is kept only until the eighth further job is submitted.
        while (!open.empty() && run.driver.next_id - open.front() >= 8) wait_for(0);
        open.push_back(run.submit());
      }
      if (!open.empty() && random() % 3 == 0) wait_for(random() % open.size());
    }
  }
}

TEST_F(Polling, CountsPollsAsMicroseconds) {
  device.ticks_per_job = 1000;
  EXPECT_EQ(wait(submit(), 25), MXE_ERR_TIMEOUT);
  EXPECT_EQ(device.polls, 25u);
  EXPECT_EQ(device.irq_waits, 0u);
}

TEST_F(Interrupts, SleepsOncePerJob) {
  const uint32_t first = submit(), second = submit();
  EXPECT_EQ(wait(first), MXE_OK);
  EXPECT_EQ(wait(second), MXE_OK);
  EXPECT_EQ(device.irq_waits, 2u);
  EXPECT_EQ(device.polls, 0u);
  EXPECT_FALSE(device.irq()) << "the cause was cleared";
}

// The second job ends after the driver has read the events and before it clears them. Its event is
// lost, so the driver must read the head after clearing.
TEST_F(Interrupts, LosesNoJobBetweenReadingAndClearing) {
  const uint32_t first = submit(), second = submit();
  bool raced = false;
  device.before_write = [&](uint32_t offset) {
    if (offset != MXE_REG_IRQ_STATUS || raced) return;
    raced = true;
    device.complete_next();
  };
  EXPECT_EQ(wait(second), MXE_OK);
  EXPECT_EQ(wait(first), MXE_OK);
  EXPECT_TRUE(raced);
  EXPECT_EQ(device.irq_waits, 1u);
}

TEST_F(Interrupts, FindsTheJobWhenItsInterruptGotLost) {
  const uint32_t id = submit();
  device.loses_interrupts = true;
  EXPECT_EQ(wait(id, 10), MXE_OK);
}

TEST_F(Interrupts, ReportsAPortThatCannotWait) {
  device.wait_irq_result = -1234;
  EXPECT_EQ(wait(submit()), MXE_ERR_INTERRUPT);
  EXPECT_EQ(device.irq_waits, 1u);
}

TEST_F(Interrupts, ReportsALineThatNeverFalls) {
  device.ticks_per_job = 1'000'000;
  device.line_stuck_high = true;
  EXPECT_EQ(wait(submit()), MXE_ERR_TIMEOUT);
  EXPECT_LT(device.irq_waits, 1000u);
}

TEST_F(Interrupts, ToleratesSomebodyElsesInterrupts) {
  const uint32_t id = submit();
  device.line_stuck_high = true;
  device.before_read = [&](uint32_t) {
    if (device.irq_waits == 20) device.complete_next();
  };
  EXPECT_EQ(wait(id), MXE_OK);
}

}  // namespace
}  // namespace mxe::test
