// SPDX-License-Identifier: Apache-2.0
// One context submits while another completes, without a lock, under ThreadSanitizer. Accesses and
// locks of the mock device are hidden: a real device does not order two processors' accesses.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>

#include "tests/driver/driver_fixture.h"

extern "C" {  // of ThreadSanitizer's runtime library
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
void AnnotateIgnoreSyncBegin(const char* file, int line);
void AnnotateIgnoreSyncEnd(const char* file, int line);
}

namespace mxe::test {
namespace {

class Unseen {
 public:
  Unseen() {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
  }
  ~Unseen() {
    AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;
};

uint32_t number_of(const char* name, uint32_t otherwise) {
  const char* text = std::getenv(name);
  return text ? static_cast<uint32_t>(std::strtoul(text, nullptr, 0)) : otherwise;
}

/// The mock device for two threads. Accesses let device time pass, and some yield the processor.
class SharedDevice {
 public:
  SharedDevice(uint32_t entries, uint32_t seed) : mock(entries), random_(seed) {
    mock.outcome = [this](uint32_t) {
      const bool taken = mock.ring_word(mock.head % mock.reg(MXE_REG_QUEUE_DEPTH), MXE_DESC_M) == 0;
      return Outcome{taken ? MXE_STATUS_ERR_SHAPE : MXE_STATUS_OK};
    };
    mock.set_reg(MXE_REG_QUEUE_DEPTH, entries);
  }

  mxe_port port();

  MockDevice mock;

 private:
  static SharedDevice& self(void* ctx) { return *static_cast<SharedDevice*>(ctx); }

  template <typename Access>
  auto access(Access&& what) {
    const Unseen unseen;
    if (turn_.fetch_add(1, std::memory_order_relaxed) % 5 == 0) std::this_thread::yield();
    const std::lock_guard lock(mutex_);
    mock.events.clear();
    for (auto ticks = random_() % 3; ticks != 0; ticks--) mock.tick();
    return what(mock);
  }

  std::mutex mutex_;
  std::atomic<uint32_t> turn_{0};
  std::mt19937 random_;
};

mxe_port SharedDevice::port() {
  mxe_port port = {};
  port.ctx = this;
  port.interrupts = true;
  port.read32 = [](void* ctx, uint32_t offset) {
    return self(ctx).access([&](MockDevice& device) { return device.read(offset); });
  };
  port.write32 = [](void* ctx, uint32_t offset, uint32_t value) {
    self(ctx).access([&](MockDevice& device) { device.write(offset, value); });
  };
  port.now_us = [](void* ctx) {
    return self(ctx).access([](MockDevice& device) { return device.now(); });
  };
  port.relax = [](void*) { std::this_thread::yield(); };
  return port;
}

struct Completed {
  uint32_t jobs = 0, ok = 0, aborted = 0, late = 0;
  bool in_order = true;

  static void on_done(void* user, const mxe_completion* completion) {
    auto& self = *static_cast<Completed*>(user);
    self.in_order = self.in_order && completion->job_id == ++self.jobs;
    self.ok += completion->code == MXE_OK;
    self.aborted += completion->code == MXE_ERR_ABORTED;
    self.late += completion->code == MXE_ERR_DEADLINE;
  }
};

class Contexts : public testing::Test {
 protected:
  static constexpr uint32_t entries = 8;

  void submit_all() {
    std::mt19937 random(seed + 1);
    const std::vector<mxe_job> list(entries, mxe_job_of_one_block());
    for (uint32_t submitted = 0; submitted < jobs && !gave_up;) {
      mxe_options options = {0, Completed::on_done, &completed};
      if (random() % 16 == 0) options.deadline_us = device.port().now_us(&device) + random() % 64;
      const size_t count = std::min<size_t>(1 + random() % entries, jobs - submitted);
      const int code = mxe_submit_many(&driver, list.data(), count, &options, nullptr);
      if (code > 0) {
        submitted += static_cast<uint32_t>(code);
      } else {
        gave_up = code != MXE_ERR_FULL && code != MXE_ERR_BUSY && code != MXE_ERR_STOPPED;
        if (random() % 2) mxe_irq(&driver);
        std::this_thread::yield();
      }
    }
  }

  /// A random call among those of the completing context.
  int complete_somehow(std::mt19937& random) {
    const uint32_t id = completed.jobs + 1 + random() % entries;
    mxe_counters counters = {};
    switch (random() % 32) {
      case 0:
        return mxe_cancel(&driver, id);
      case 1:
        return mxe_recover(&driver, 1000);
      case 2:
        return mxe_read_counters(&driver, &counters);
      case 3:
      case 4:
        return mxe_wait(&driver, id, 1000000, nullptr);
      case 5:
        mxe_irq(&driver);
        return MXE_OK;
      default:
        return mxe_complete(&driver, 1 + random() % entries);
    }
  }

  void complete_all() {
    std::mt19937 random(seed + 2);
    while (completed.jobs < jobs && !gave_up) {
      const int code = complete_somehow(random);
      const bool allowed = code >= 0 || code == MXE_ERR_UNKNOWN_JOB || code == MXE_ERR_BUSY ||
                           code == MXE_ERR_ABORTED || code == MXE_ERR_DEADLINE;
      if (!allowed) {
        ADD_FAILURE() << mxe_strerror(code);
        gave_up = true;
      }
    }
  }

  static mxe_job mxe_job_of_one_block() {
    mxe_job job = {};
    job.m = job.n = job.k = 32;
    return job;
  }

  const uint32_t seed = number_of("MXE_CONTEXTS_SEED", 20267);
  const uint32_t jobs = number_of("MXE_CONTEXTS_JOBS", 50000);
  SharedDevice device{entries, seed};
  mxe_device driver = {};
  Completed completed;
  std::atomic<bool> gave_up{false};
};

TEST_F(Contexts, NeedNoLock) {
  std::printf("MXE_CONTEXTS_SEED=%u\n", seed);  // printed first, because a race ends the process
  const mxe_ring ring = device.mock.ring(entries);
  const mxe_port port = device.port();
  ASSERT_EQ(mxe_open(&driver, &port, &ring), MXE_OK);
  std::thread submitting([this] { submit_all(); });
  complete_all();
  submitting.join();
  EXPECT_EQ(mxe_close(&driver, 1000), MXE_OK);
  EXPECT_EQ(completed.jobs, jobs);
  EXPECT_TRUE(completed.in_order);
  EXPECT_EQ(completed.ok + completed.aborted + completed.late, jobs);
  // Each kind of result must occur, success often, or the test covers too little.
  EXPECT_GT(completed.ok, jobs / 4);
  EXPECT_GT(completed.aborted, 0u);
  EXPECT_GT(completed.late, 0u);
  EXPECT_EQ(device.mock.bus_errors, std::vector<std::string>{});
}

}  // namespace
}  // namespace mxe::test
