// SPDX-License-Identifier: Apache-2.0
// Jobs with callbacks: submission, completion, deadlines, cancel, recovery, close, interrupts.
#include <array>
#include <cstdlib>
#include <functional>
#include <ostream>

#include "tests/driver/driver_fixture.h"

namespace mxe::test {
namespace {

struct Log {
  struct Entry {
    uint32_t id;
    int code;
    bool operator==(const Entry& other) const { return id == other.id && code == other.code; }
  };
  std::vector<Entry> entries;
  std::function<void(const mxe_completion&)> then;

  mxe_options options(uint64_t deadline_us = 0) {
    mxe_options options = {};
    options.deadline_us = deadline_us;
    options.user = this;
    options.done = [](void* user, const mxe_completion* completion) {
      Log& log = *static_cast<Log*>(user);
      log.entries.push_back({completion->job_id, completion->code});
      if (log.then) log.then(*completion);
    };
    return options;
  }
};

std::ostream& operator<<(std::ostream& out, const Log::Entry& entry) {
  return out << entry.id << ": " << entry.code;
}

using Entries = std::vector<Log::Entry>;

/// Runs for each value of the device's head after a reset.
class Callbacks : public testing::TestWithParam<MockDevice::ResetHead>, public DriverFixture {
 protected:
  Callbacks() : DriverFixture(true, 4) { device.reset_head = GetParam(); }

  uint32_t submit_logged(uint64_t deadline_us = 0) {
    const mxe_options options = log.options(deadline_us);
    const mxe_job job = job_;
    uint32_t id = 0;
    EXPECT_EQ(mxe_submit(&driver, &job, &options, &id), MXE_OK);
    return id;
  }
  /// Runs some jobs, so that the next one does not use the first ring entry.
  void turn(int jobs) {
    for (int i = 0; i < jobs; i++) EXPECT_EQ(wait(submit(job_)), MXE_OK);
  }
  void refuse_empty_jobs() {
    device.outcome = [this](uint32_t id) {
      for (uint32_t entry = 0; entry < 4; entry++) {
        if (device.ring_word(entry, MXE_DESC_JOB_ID) != id) continue;
        if (device.ring_word(entry, MXE_DESC_M) == 0) return Outcome{MXE_STATUS_ERR_SHAPE};
      }
      return Outcome{};
    };
    job_.m = job_.n = job_.k = 1;
  }

  Log log;
  mxe_job job_ = {};
};

INSTANTIATE_TEST_SUITE_P(Reset, Callbacks,
                         testing::Values(MockDevice::ResetHead::stays,
                                         MockDevice::ResetHead::to_tail,
                                         MockDevice::ResetHead::to_zero));

TEST_P(Callbacks, ComeOnceAndInOrderAlsoForFailedJobs) {
  device.outcome = [](uint32_t id) { return id == 2 ? Outcome{MXE_STATUS_ERR_READ} : Outcome{}; };
  Entries expected;
  for (uint32_t i = 1; i <= 20; i++) {
    const uint32_t id = submit_logged();
    expected.push_back({id, id == 2 ? MXE_ERR_READ : MXE_OK});
    device.complete_next();
    EXPECT_EQ(mxe_complete(&driver, 8), 1);
  }
  EXPECT_EQ(mxe_complete(&driver, 8), 0);
  EXPECT_EQ(log.entries, expected);
}

TEST_P(Callbacks, KeepToTheBudget) {
  for (int i = 0; i < 4; i++) submit_logged();
  for (int i = 0; i < 4; i++) device.complete_next();
  EXPECT_EQ(mxe_complete(&driver, 3), 3);
  EXPECT_EQ(mxe_complete(&driver, 0), 0);
  EXPECT_EQ(mxe_complete(&driver, 3), 1);
  EXPECT_EQ(log.entries.size(), 4u);
}

TEST_P(Callbacks, MaySubmitIntoAFullRing) {
  for (int i = 0; i < 4; i++) submit_logged();
  int more = 3;
  log.then = [&](const mxe_completion&) {
    if (more-- > 0) submit_logged();
  };
  EXPECT_EQ(wait(4), MXE_OK);
  log.then = nullptr;
  EXPECT_EQ(wait(7), MXE_OK);
  EXPECT_EQ(log.entries.size(), 7u);
}

TEST_P(Callbacks, ManyJobsHaveOneDoorbell) {
  const std::vector<mxe_job> jobs(6);
  std::array<uint32_t, 6> ids = {};
  const mxe_options options = log.options();
  EXPECT_EQ(mxe_submit_many(&driver, jobs.data(), jobs.size(), &options, ids.data()), 4);
  EXPECT_EQ(device.events, (std::vector<std::string>{"wmb", "doorbell"}));
  EXPECT_EQ(mxe_submit_many(&driver, jobs.data(), 2, &options, ids.data() + 4), MXE_ERR_FULL);
  EXPECT_EQ(wait(ids[3]), MXE_OK);
  EXPECT_EQ(log.entries.size(), 4u);
}

TEST_P(Callbacks, CancelTakesTheRunningJobAndRunsTheOthers) {
  turn(3);
  refuse_empty_jobs();
  const uint32_t first = submit_logged(), second = submit_logged(), third = submit_logged();
  EXPECT_EQ(mxe_cancel(&driver, first), MXE_OK);
  EXPECT_EQ(wait(third), MXE_OK);
  EXPECT_EQ(log.entries, (Entries{{first, MXE_ERR_ABORTED}, {second, MXE_OK}, {third, MXE_OK}}));
  EXPECT_EQ(mxe_cancel(&driver, third), MXE_ERR_UNKNOWN_JOB);
}

// Devices before minor version 9 hold at most three jobs.
TEST_P(Callbacks, CancelOfAWaitingJobNeedsNoReset) {
  driver.caps.version_minor = 8;
  turn(2);
  refuse_empty_jobs();
  const uint32_t first = submit_logged(), second = submit_logged(), third = submit_logged(),
                 fourth = submit_logged();
  bool reset = false;
  device.before_write = [&](uint32_t offset) { reset |= offset == MXE_REG_CTRL; };
  EXPECT_EQ(mxe_cancel(&driver, fourth), MXE_OK);
  EXPECT_EQ(wait(fourth), MXE_ERR_ABORTED);
  EXPECT_FALSE(reset);
  EXPECT_EQ(
      log.entries,
      (Entries{{first, MXE_OK}, {second, MXE_OK}, {third, MXE_OK}, {fourth, MXE_ERR_ABORTED}}));
}

// The device may have read the descriptor already.
TEST_P(Callbacks, CancelOfANextJobNeedsAReset) {
  turn(2);
  refuse_empty_jobs();
  const uint32_t first = submit_logged(), second = submit_logged(), third = submit_logged();
  bool reset = false;
  device.before_write = [&](uint32_t offset) { reset |= offset == MXE_REG_CTRL; };
  EXPECT_EQ(mxe_cancel(&driver, second), MXE_OK);
  EXPECT_TRUE(reset);
  EXPECT_EQ(wait(third), MXE_OK);
  EXPECT_EQ(log.entries, (Entries{{first, MXE_OK}, {second, MXE_ERR_ABORTED}, {third, MXE_OK}}));
}

class LongRing : public testing::Test, public DriverFixture {
 protected:
  LongRing() : DriverFixture(true, 16) {}
  mxe_job job_ = {};
};

TEST_F(LongRing, TheTenthJobIsTheFirstThatTheDeviceCannotHave) {
  std::array<uint32_t, 10> ids = {};
  for (uint32_t& id : ids) id = submit(job_);
  bool reset = false;
  device.before_write = [&](uint32_t offset) { reset |= offset == MXE_REG_CTRL; };
  EXPECT_EQ(mxe_cancel(&driver, ids[9]), MXE_OK);
  EXPECT_FALSE(reset);
  EXPECT_EQ(mxe_cancel(&driver, ids[8]), MXE_OK);
  EXPECT_TRUE(reset);
}

TEST_P(Callbacks, CancelOfAllInAnyOrder) {
  for (const std::array<uint32_t, 4>& order :
       {std::array<uint32_t, 4>{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}}) {
    turn(1);
    refuse_empty_jobs();
    log.entries.clear();
    std::array<uint32_t, 4> ids = {};
    for (uint32_t& id : ids) id = submit_logged();
    for (const uint32_t i : order) EXPECT_EQ(mxe_cancel(&driver, ids[i]), MXE_OK) << i;
    EXPECT_EQ(wait(ids[3]), MXE_ERR_ABORTED);
    Entries expected;
    for (const uint32_t id : ids) expected.push_back({id, MXE_ERR_ABORTED});
    EXPECT_EQ(log.entries, expected);
  }
  turn(5);
}

TEST_P(Callbacks, AJobThatEndsDuringItsCancelKeepsItsResult) {
  const uint32_t first = submit_logged(), second = submit_logged();
  device.before_write = [&](uint32_t offset) {
    if (offset == MXE_REG_CTRL && device.head == 0) device.complete_next();
  };
  EXPECT_EQ(mxe_cancel(&driver, first), MXE_OK);
  device.before_write = nullptr;
  EXPECT_EQ(wait(second), MXE_OK);
  EXPECT_EQ(log.entries, (Entries{{first, MXE_OK}, {second, MXE_OK}}));
}

TEST_P(Callbacks, DeadlinesEndJobsThatAreLate) {
  refuse_empty_jobs();
  device.ticks_per_job = 50;
  const uint64_t now = device.now();
  const uint32_t late = submit_logged(now + 20), kept = submit_logged(now + 1000),
                 waiting = submit_logged(now + 30), last = submit_logged();
  EXPECT_EQ(wait(last, 200), MXE_OK);
  EXPECT_EQ(
      log.entries,
      (Entries{
          {late, MXE_ERR_DEADLINE}, {kept, MXE_OK}, {waiting, MXE_ERR_DEADLINE}, {last, MXE_OK}}));
  // Refusing a job takes as long as running one. `waiting` is late ten ticks after `late`. A reset
  // follows, because the device may have the descriptor of `waiting`; then `kept` starts anew.
  EXPECT_EQ(device.now() - now, 20 + device.reset_ticks + 10 + 3 * 50)
      << "the deadline woke the wait";
}

TEST_P(Callbacks, CloseEndsEveryJobAndDisables) {
  const uint32_t done = submit_logged(), open = submit_logged();
  device.complete_next();
  ASSERT_EQ(mxe_close(&driver, 100), MXE_OK);
  EXPECT_EQ(log.entries, (Entries{{done, MXE_OK}, {open, MXE_ERR_ABORTED}}));
  EXPECT_EQ(device.reg(MXE_REG_CTRL) & MXE_CTRL_ENABLE_MASK, 0u);
  EXPECT_EQ(device.reg(MXE_REG_IRQ_MASK), 0u);
  EXPECT_EQ(device.reg(MXE_REG_RING_BASE_LO), 0u);
  EXPECT_EQ(mxe_close(&driver, 100), MXE_ERR_ARGUMENT);
}

TEST_P(Callbacks, CloseOfADeviceThatVanished) {
  const uint32_t open = submit_logged();
  device.gone = true;
  EXPECT_EQ(mxe_close(&driver, 100), MXE_ERR_GONE);
  EXPECT_EQ(log.entries, (Entries{{open, MXE_ERR_ABORTED}}));
}

TEST_P(Callbacks, CloseThatTimesOutGivesNothingBack) {
  submit_logged();
  device.reset_ticks = 50;
  EXPECT_EQ(mxe_close(&driver, 20), MXE_ERR_TIMEOUT);
  EXPECT_TRUE(log.entries.empty());
  device.reset_ticks = 1;
  EXPECT_EQ(mxe_close(&driver, 20), MXE_OK);
  EXPECT_EQ(log.entries.size(), 1u);
}

TEST_P(Callbacks, MayCloseTheDevice) {
  submit_logged();
  const uint32_t last = submit_logged();
  log.then = [&](const mxe_completion& completion) {
    if (completion.code == MXE_OK) {
      EXPECT_EQ(mxe_close(&driver, 100), MXE_OK);
    }
  };
  EXPECT_EQ(wait(last), MXE_ERR_STOPPED);
  EXPECT_EQ(log.entries.size(), 2u);
}

TEST_P(Callbacks, TheHandlerTellsWhoseTheInterruptIs) {
  EXPECT_FALSE(mxe_irq(&driver));
  submit_logged();
  EXPECT_FALSE(mxe_irq(&driver));
  device.complete_next();
  EXPECT_TRUE(mxe_irq(&driver));
  EXPECT_FALSE(device.irq()) << "the line has fallen";
  EXPECT_FALSE(mxe_irq(&driver));
  EXPECT_EQ(mxe_complete(&driver, 8), 1);
  device.gone = true;
  EXPECT_FALSE(mxe_irq(&driver));
}

TEST_F(Polling, TheHandlerKnowsThatMaskedEventsRaiseNoInterrupt) {
  submit();
  device.complete_next();
  EXPECT_FALSE(mxe_irq(&driver));
}

TEST_P(Callbacks, AContextThatMeetsTheOtherGivesWay) {
  const uint32_t id = submit_logged();
  driver.submitting = 1;
  EXPECT_EQ(mxe_cancel(&driver, id), MXE_ERR_BUSY);
  EXPECT_EQ(mxe_recover(&driver, 100), MXE_ERR_BUSY);
  EXPECT_EQ(mxe_close(&driver, 100), MXE_ERR_BUSY);
  driver.submitting = 0;
  driver.exclusive = 1;
  const mxe_job job = {};
  uint32_t other = 0;
  EXPECT_EQ(mxe_submit(&driver, &job, nullptr, &other), MXE_ERR_BUSY);
  driver.exclusive = 0;
  EXPECT_EQ(wait(id), MXE_OK);
}

mxe_job plain_job() {
  mxe_job job = {};
  job.format_a = job.format_b = MXE_FORMAT_MXFP6_E2M3;
  job.m = 3;
  job.n = 5;
  job.k = 40;  // rows of 30 bytes, 2 scales
  job.a_addr = 0x1000;
  job.a_stride = 32;
  job.a_scale_addr = 0x2000;
  job.a_scale_stride = 2;
  job.b_addr = 0x3000;
  job.b_stride = 30;
  job.b_scale_addr = 0x4000;
  job.b_scale_stride = 4;
  job.d_addr = 0x5000;
  job.d_stride = 20;
  return job;
}

int extents_of(const mxe_job& job, mxe_extents* extents = nullptr) {
  return mxe_job_extents(nullptr, &job, nullptr, 0, extents);
}

TEST(Extents, AreTheBytesOfEachOperand) {
  mxe_extents e = {};
  mxe_job job = plain_job();
  ASSERT_EQ(extents_of(job, &e), MXE_OK);
  EXPECT_EQ(e.a.addr, 0x1000u);
  EXPECT_EQ(e.a.size, 2 * 32 + 30u);
  EXPECT_EQ(e.a_scales.size, 6u);
  EXPECT_EQ(e.b.size, 150u);
  EXPECT_EQ(e.b_scales.size, 4 * 4 + 2u);
  EXPECT_EQ(e.c.size, 0u);
  EXPECT_EQ(e.d.size, 60u);
  EXPECT_EQ(e.d_scales.size, 0u);
  job.out_format = MXE_OUT_MXFP4_E2M1;
  job.d_scale_addr = 0x6000;
  job.d_scale_stride = 1;
  job.bias = job.bias_bf16 = true;
  job.c_addr = 0x7000;
  ASSERT_EQ(extents_of(job, &e), MXE_OK);
  EXPECT_EQ(e.c.size, 10u);
  EXPECT_EQ(e.d.size, 2 * 20 + 3u);
  EXPECT_EQ(e.d_scales.size, 3u);
}

TEST(Extents, RefuseWhatHasNoSize) {
  const auto code = [](const std::function<void(mxe_job&)>& change) {
    mxe_job job = plain_job();
    change(job);
    return extents_of(job);
  };
  EXPECT_EQ(mxe_job_extents(nullptr, nullptr, nullptr, 0, nullptr), MXE_ERR_ARGUMENT);
  EXPECT_EQ(code([](mxe_job& j) { j.m = 0; }), MXE_ERR_SHAPE);
  EXPECT_EQ(code([](mxe_job& j) { j.format_b = MXE_FORMAT_COUNT; }), MXE_ERR_FORMAT);
  EXPECT_EQ(code([](mxe_job& j) { j.out_format = MXE_OUT_MXFP4_E2M1 - 1; }), MXE_ERR_OUT_FORMAT);
  EXPECT_EQ(code([](mxe_job& j) { j.out_format = MXE_OUT_MXFP4_E2M1 + MXE_FORMAT_COUNT; }),
            MXE_ERR_OUT_FORMAT);
  EXPECT_EQ(code([](mxe_job& j) { j.a_addr = UINT64_MAX - 93; }), MXE_OK);
  EXPECT_EQ(code([](mxe_job& j) { j.a_addr = UINT64_MAX - 92; }), MXE_ERR_ADDRESS);
  EXPECT_EQ(code([](mxe_job& j) {
              j.m = j.a_stride = UINT32_MAX;
              j.a_addr = UINT64_MAX / 2;
              j.d_stride = 20;
              j.d_addr = 0;
            }),
            MXE_ERR_ADDRESS);
}

TEST(Extents, RefuseResultsThatOverwriteSomething) {
  const auto with_d = [](uint64_t address) {
    mxe_job job = plain_job();
    job.d_addr = address;
    return extents_of(job);
  };
  EXPECT_EQ(with_d(0x1000 - 60), MXE_OK);
  EXPECT_EQ(with_d(0x1000 - 59), MXE_ERR_OVERLAP);
  EXPECT_EQ(with_d(0x1000 + 93), MXE_ERR_OVERLAP);
  EXPECT_EQ(with_d(0x1000 + 94), MXE_OK);
  EXPECT_EQ(with_d(0x2005), MXE_ERR_OVERLAP);
  EXPECT_EQ(with_d(0x3000 + 149), MXE_ERR_OVERLAP);
  EXPECT_EQ(with_d(0x4000), MXE_ERR_OVERLAP);
  mxe_job job = plain_job();
  job.d_stride = 19;
  EXPECT_EQ(extents_of(job), MXE_ERR_OVERLAP) << "its own rows";
  job = plain_job();
  job.bias = true;
  job.c_addr = job.d_addr;
  job.c_stride = job.d_stride;
  EXPECT_EQ(extents_of(job), MXE_ERR_OVERLAP);
}

TEST(Extents, InterleavedRowsMeetExactlyWhereTheyShareAByte) {
  for (uint32_t count_c = 1; count_c <= 4; count_c++) {
    for (int shift = -150; shift <= 150; shift++) {
      mxe_job job = plain_job();
      job.n = 2;  // rows of 8 bytes
      job.m = count_c;
      job.bias = true;
      job.d_stride = job.c_stride = 24;
      job.d_addr = 0x5000;
      job.c_addr = 0x5000 + static_cast<uint64_t>(shift);
      bool meet = false;
      for (int i = 0; i < static_cast<int>(count_c); i++) {
        for (int j = 0; j < static_cast<int>(count_c); j++) {
          meet |= std::abs(shift + 24 * (i - j)) < 8;
        }
      }
      EXPECT_EQ(extents_of(job), meet ? MXE_ERR_OVERLAP : MXE_OK) << count_c << " " << shift;
    }
  }
}

TEST(Extents, KeepToWhatIsAllowed) {
  const mxe_job job = plain_job();
  std::vector<mxe_range> allowed = {{0x1000, 0x2000}, {0x3000, 0x1000}, {0x4000, 18}, {0x5000, 60}};
  const auto code = [&] {
    return mxe_job_extents(nullptr, &job, allowed.data(), allowed.size(), nullptr);
  };
  EXPECT_EQ(code(), MXE_OK);
  allowed[3].size = 59;
  EXPECT_EQ(code(), MXE_ERR_RANGE);
  allowed[3] = {0x5001, 60};
  EXPECT_EQ(code(), MXE_ERR_RANGE);
  allowed[3] = {0, UINT64_MAX};
  EXPECT_EQ(code(), MXE_OK);
  EXPECT_EQ(mxe_job_extents(nullptr, &job, allowed.data(), 0, nullptr), MXE_ERR_RANGE);
}

TEST(Extents, RefuseResultsInTheRing) {
  DriverFixture open(false, 4);
  mxe_job job = plain_job();
  const auto code = [&](uint64_t address) {
    job.d_addr = address;
    return mxe_job_extents(&open.driver, &job, nullptr, 0, nullptr);
  };
  const uint64_t ring = open.device.ring_bus_addr();
  EXPECT_EQ(code(ring - 60), MXE_OK);
  EXPECT_EQ(code(ring - 59), MXE_ERR_OVERLAP);
  EXPECT_EQ(code(ring + 511), MXE_ERR_OVERLAP);
  EXPECT_EQ(code(ring + 512), MXE_OK);
}

}  // namespace
}  // namespace mxe::test
