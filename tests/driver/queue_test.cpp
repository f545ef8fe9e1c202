// SPDX-License-Identifier: Apache-2.0
// The driver on an engine that belongs to another driver (struct mxe_queue).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "mxe_driver.h"

namespace mxe::test {
namespace {

constexpr uint32_t kEntries = 4;

/// A queue that runs one job at a time, for `job_us` microseconds.
class MockQueue {
 public:
  mxe_port port() {
    mxe_port port{};
    port.ctx = this;
    port.read32 = [](void* ctx, uint32_t offset) { return self(ctx).read(offset); };
    port.now_us = [](void* ctx) { return self(ctx).now; };
    port.queue = &kFunctions;
    return port;
  }

  struct Job {
    mxe_job job;
    uint64_t deadline_us;
    uint64_t end_us;
    mxe_completion result;
  };

  uint64_t now = 0;
  uint64_t job_us = 10;
  uint64_t wait_us = 0;
  bool gone = false;
  bool counters_gone = false;
  bool identified = false;            ///< by reset(); then a register access is an error
  mxe_completion result = success();  ///< of the next submitted job
  uint64_t work_per_wait = 0;
  std::array<Job, kEntries> jobs = {};  ///< by place
  std::vector<uint32_t> places;         ///< of the submitted jobs
  std::vector<uint32_t> cancelled;      ///< places
  unsigned resets = 0, waits = 0;
  bool cancels_late = false;  ///< cancelled jobs end as late as without the cancel
  mxe_counters counters = {};

  static mxe_completion success() {
    mxe_completion result = {};
    result.status = MXE_STATUS_OK;
    result.cycles = 1000;
    return result;
  }

 private:
  static MockQueue& self(void* ctx) { return *static_cast<MockQueue*>(ctx); }
  static const mxe_queue kFunctions;

  uint32_t read(uint32_t offset) const {
    EXPECT_FALSE(identified) << "register " << offset;
    if (gone) return ~0u;
    if (offset == MXE_REG_ID) return MXE_ID_RESET;
    if (offset == MXE_REG_VERSION) return MXE_VERSION_RESET;
    return offset == MXE_REG_QUEUE_DEPTH ? kEntries : 0;
  }

  void submit(uint32_t place, const mxe_job& job, uint64_t deadline_us) {
    uint64_t begin = now;
    for (const Job& other : jobs) begin = std::max(begin, other.end_us);
    jobs.at(place) = {job, deadline_us, begin + job_us, result};
    places.push_back(place);
  }

  int wait(uint32_t place, uint32_t timeout_us, mxe_completion* completion) {
    const Job& job = jobs.at(place);
    waits++;
    if (gone) return MXE_ERR_GONE;
    counters.mac_active += work_per_wait;
    now = std::max(now + wait_us, std::min(now + timeout_us, job.end_us));
    if (now < job.end_us) return MXE_ERR_TIMEOUT;
    *completion = job.result;
    return MXE_OK;
  }

  void end(Job& job) {
    if (job.end_us <= now) return;
    job.result = {};
    job.result.code = MXE_ERR_ABORTED;
    job.result.status = MXE_STATUS_ERR_ABORTED;
    if (!cancels_late) job.end_us = now;
  }

  int cancel(uint32_t place) {
    cancelled.push_back(place);
    end(jobs.at(place));
    return gone ? MXE_ERR_GONE : MXE_OK;
  }

  int reset() {
    resets++;
    identified = true;
    for (Job& job : jobs) end(job);
    return gone ? MXE_ERR_GONE : MXE_OK;
  }
};

const mxe_queue MockQueue::kFunctions = {
    [](void* ctx, uint32_t place, const mxe_job* job, uint64_t deadline_us) {
      self(ctx).submit(place, *job, deadline_us);
    },
    [](void* ctx, uint32_t place, uint32_t timeout_us, mxe_completion* completion) {
      return self(ctx).wait(place, timeout_us, completion);
    },
    [](void* ctx, uint32_t place) { return self(ctx).cancel(place); },
    [](void* ctx) { return self(ctx).reset(); },
    [](void* ctx, mxe_counters* counters) -> int {
      *counters = self(ctx).counters;
      return self(ctx).gone || self(ctx).counters_gone ? MXE_ERR_GONE : MXE_OK;
    },
    [](void* ctx) -> int {
      self(ctx).counters = {};
      return self(ctx).gone ? MXE_ERR_GONE : MXE_OK;
    },
};

class Queue : public testing::Test {
 protected:
  Queue() {
    std::memset(&driver, 0xa5, sizeof driver);  // mxe_open() must set all members
    EXPECT_EQ(open(), MXE_OK);
  }

  int open() {
    const mxe_port port = queue.port();
    const mxe_ring ring = {ring_.data(), 0x1000, slots_.data(), kEntries};
    queue.identified = false;
    return mxe_open(&driver, &port, &ring);
  }

  uint32_t submit(uint64_t deadline_us = 0) {
    mxe_options options = {};
    options.deadline_us = deadline_us;
    options.done = [](void* user, const mxe_completion* completion) {
      static_cast<Queue*>(user)->done.push_back(*completion);
    };
    options.user = this;
    uint32_t id = 0;
    mxe_job job = {};
    job.m = 100 + static_cast<uint32_t>(queue.places.size());
    EXPECT_EQ(mxe_submit(&driver, &job, &options, &id), MXE_OK);
    return id;
  }

  int wait(uint32_t id, uint32_t timeout_us = 100) {
    return mxe_wait(&driver, id, timeout_us, nullptr);
  }

  bool is_ring_clear() const {
    return std::all_of(ring_.begin(), ring_.end(), [](uint64_t word) { return word == 0; });
  }

  MockQueue queue;
  mxe_device driver;
  std::vector<mxe_completion> done;

 private:
  alignas(MXE_DESC_SIZE) std::array<uint64_t, kEntries* MXE_DESC_SIZE / 8> ring_ = {};
  std::array<mxe_slot, kEntries> slots_ = {};
};

TEST_F(Queue, NeedsNoRegisterButThoseOfTheIdentification) {
  for (int i = 0; i < 6; i++) EXPECT_EQ(wait(submit()), MXE_OK);
  EXPECT_FALSE(mxe_irq(&driver));
  EXPECT_EQ(mxe_close(&driver, 100), MXE_OK);
  EXPECT_TRUE(is_ring_clear());
}

TEST_F(Queue, ReceivesJobsInTheirPlaces) {
  for (int i = 0; i < 6; i++) EXPECT_EQ(wait(submit()), MXE_OK);
  EXPECT_EQ(queue.places, (std::vector<uint32_t>{0, 1, 2, 3, 0, 1}));
  EXPECT_EQ(queue.jobs[1].job.m, 105u);
}

TEST_F(Queue, IsFullWithAsManyJobsAsTheRing) {
  const uint32_t first = submit();
  for (uint32_t i = 1; i < kEntries; i++) submit();
  const mxe_job job = {};
  uint32_t id = 0;
  EXPECT_EQ(mxe_submit(&driver, &job, nullptr, &id), MXE_ERR_FULL);
  EXPECT_EQ(wait(first), MXE_OK);
  EXPECT_EQ(mxe_submit(&driver, &job, nullptr, &id), MXE_OK);
}

TEST_F(Queue, ReturnsTheResultsInOrder) {
  queue.result.code = MXE_ERR_WRITE;
  queue.result.status = MXE_STATUS_ERR_WRITE;
  queue.result.fault_operand = MXE_FAULT_D;
  queue.result.fault_write = true;
  queue.result.fault_addr = 0x1234;
  const uint32_t bad = submit();
  queue.result = MockQueue::success();
  const uint32_t good = submit();
  EXPECT_EQ(mxe_complete(&driver, 10), 0);
  EXPECT_EQ(wait(good), MXE_OK);
  EXPECT_EQ(wait(bad), MXE_ERR_WRITE);
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0].job_id, bad);
  EXPECT_EQ(done[0].status, MXE_STATUS_ERR_WRITE);
  EXPECT_EQ(done[0].fault_operand, MXE_FAULT_D);
  EXPECT_TRUE(done[0].fault_write);
  EXPECT_EQ(done[0].fault_addr, 0x1234u);
  EXPECT_EQ(done[1].job_id, good);
  EXPECT_EQ(done[1].cycles, 1000u);
}

TEST_F(Queue, WaitsOncePerJob) {
  const uint32_t id = submit();
  EXPECT_EQ(wait(id), MXE_OK);
  EXPECT_EQ(queue.now, 10u);
  EXPECT_EQ(queue.waits, 2u);  // before and while sleeping
}

TEST_F(Queue, ChecksDeadlinesItself) {
  const uint32_t id = submit(5);
  EXPECT_EQ(queue.jobs[0].deadline_us, 5u);
  EXPECT_EQ(wait(id), MXE_OK);  // this queue does not check them
  EXPECT_TRUE(queue.cancelled.empty());
  queue.result.code = MXE_ERR_DEADLINE;
  EXPECT_EQ(wait(submit(15)), MXE_ERR_DEADLINE);
}

TEST_F(Queue, CancelsAJobThatHasNotEnded) {
  const uint32_t first = submit(), second = submit();
  EXPECT_EQ(mxe_cancel(&driver, second), MXE_OK);
  EXPECT_EQ(queue.cancelled, std::vector<uint32_t>{1});
  EXPECT_EQ(wait(first), MXE_OK);
  EXPECT_EQ(wait(second), MXE_ERR_ABORTED);
  EXPECT_EQ(mxe_cancel(&driver, second), MXE_ERR_UNKNOWN_JOB);
  EXPECT_EQ(queue.cancelled.size(), 1u);
}

TEST_F(Queue, KeepsTheResultOfAJobThatEndsWhileItIsCancelled) {
  queue.wait_us = 6;
  const uint32_t id = submit();
  EXPECT_EQ(mxe_cancel(&driver, id), MXE_OK);
  EXPECT_TRUE(queue.cancelled.empty());
  EXPECT_EQ(wait(id), MXE_OK);
}

TEST_F(Queue, TimesOutWithoutProgress) {
  queue.job_us = 1000;
  const uint32_t id = submit();
  EXPECT_EQ(wait(id, 0), MXE_ERR_TIMEOUT);
  EXPECT_EQ(queue.now, 0u);
  EXPECT_EQ(wait(id), MXE_ERR_TIMEOUT);
  EXPECT_LE(queue.now, 200u);
  queue.work_per_wait = 1;
  queue.counters_gone = true;
  EXPECT_EQ(wait(id), MXE_ERR_TIMEOUT);
  queue.counters_gone = false;
  EXPECT_EQ(wait(id), MXE_OK);
  EXPECT_EQ(queue.now, 1000u);
}

TEST_F(Queue, ReadsAndClearsTheCounters) {
  mxe_counters counters = {};
  queue.counters.bytes_read = 5;
  EXPECT_EQ(mxe_read_counters(&driver, &counters), MXE_OK);
  EXPECT_EQ(counters.bytes_read, 5u);
  EXPECT_EQ(mxe_clear_counters(&driver), MXE_OK);
  EXPECT_EQ(queue.counters.bytes_read, 0u);
}

TEST_F(Queue, MayBeGone) {
  const uint32_t id = submit();
  queue.gone = true;
  mxe_counters counters = {};
  EXPECT_EQ(wait(id), MXE_ERR_GONE);
  EXPECT_EQ(mxe_complete(&driver, 1), MXE_ERR_GONE);
  EXPECT_EQ(mxe_cancel(&driver, id), MXE_ERR_GONE);
  EXPECT_EQ(mxe_read_counters(&driver, &counters), MXE_ERR_GONE);
  EXPECT_EQ(mxe_recover(&driver, 100), MXE_ERR_GONE);
  EXPECT_EQ(mxe_close(&driver, 100), MXE_ERR_GONE);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].code, MXE_ERR_ABORTED);
  EXPECT_EQ(open(), MXE_ERR_NODEV);
}

TEST_F(Queue, RecoversWithAnEmptyRing) {
  const uint32_t first = submit();
  submit();
  EXPECT_EQ(wait(first), MXE_OK);
  EXPECT_EQ(mxe_recover(&driver, 100), MXE_OK);
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[1].code, MXE_ERR_ABORTED);
  EXPECT_EQ(wait(submit()), MXE_OK);
}

TEST_F(Queue, StaysOpenUntilItsJobsHaveEnded) {
  queue.job_us = 1000;
  queue.cancels_late = true;
  const uint32_t id = submit();
  EXPECT_EQ(mxe_close(&driver, 0), MXE_ERR_TIMEOUT);
  EXPECT_EQ(mxe_close(&driver, 100), MXE_ERR_TIMEOUT);
  EXPECT_EQ(queue.now, 100u);
  EXPECT_EQ(wait(id), MXE_ERR_STOPPED);
  EXPECT_TRUE(done.empty());
  EXPECT_EQ(mxe_close(&driver, 1000), MXE_OK);
  EXPECT_EQ(queue.now, 1000u);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].code, MXE_ERR_ABORTED);
}

TEST_F(Queue, IsEmptyAfterAnotherOpen) {
  submit();
  EXPECT_EQ(open(), MXE_OK);
  EXPECT_EQ(queue.resets, 2u);
  EXPECT_TRUE(done.empty());
  EXPECT_EQ(wait(submit()), MXE_OK);
  EXPECT_EQ(done.size(), 1u);
}

}  // namespace
}  // namespace mxe::test
