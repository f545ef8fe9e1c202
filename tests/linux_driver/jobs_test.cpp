// SPDX-License-Identifier: Apache-2.0
// Jobs of the kernel driver: results, fairness, fences, deadlines, errors.
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <vector>

#include "tests/linux_driver/guest.h"

namespace mxe::test {
namespace {

constexpr uint32_t kShort = 16;

TEST(Jobs, AProductIsRight) {
  const File file;
  Product product(file, 100, 70, 100);
  EXPECT_EQ(0, product.run());
  EXPECT_TRUE(product.is_right());
  drm_mxe_wait result;
  EXPECT_EQ(0, product.wait(result));
  EXPECT_EQ(MXE_OK, result.code);
  EXPECT_EQ(MXE_STATUS_OK, result.status);
  EXPECT_GT(result.cycles, 100u);
}

TEST(Jobs, ThousandByInterrupt) {
  const File file;
  Product product(file, kShort, kShort, 32);
  const uint64_t before = interrupts(), begin = now_ns();
  for (int i = 0; i < 1000; i++) ASSERT_EQ(0, product.run()) << i;
  std::printf("1000 jobs by interrupt: %.3f us each\n",
              static_cast<double>(now_ns() - begin) / 1e6);
  EXPECT_TRUE(product.is_right());
  EXPECT_GE(interrupts() - before, 1000u);
}

TEST(Jobs, ManyInFlightEndInOrder) {
  const File file;
  std::vector<std::unique_ptr<Product>> products;
  for (unsigned i = 0; i < 40; i++) {
    products.push_back(std::make_unique<Product>(file, kShort, kShort, 32 + i, i));
    ASSERT_EQ(0, products.back()->submit());
  }
  drm_mxe_wait result;
  ASSERT_EQ(0, products.back()->wait(result));
  for (const auto& product : products) {
    EXPECT_EQ(0, product->wait(result, 0));
    EXPECT_TRUE(product->is_right());
  }
}

TEST(Jobs, MoreThanAFileMayHave) {
  const File file;
  Product product(file, kShort, kShort, 32);
  drm_mxe_get_param most{DRM_MXE_PARAM_MAX_JOBS, 0, 0};
  ASSERT_EQ(0, file.call(DRM_IOCTL_MXE_GET_PARAM, &most));
  for (uint64_t i = 0; i < most.value; i++) ASSERT_EQ(0, product.submit());
  EXPECT_EQ(EAGAIN, product.submit());
  const uint32_t last = product.job().job;
  drm_mxe_wait result;
  ASSERT_EQ(0, product.wait(result));
  ASSERT_EQ(0, product.submit());
  EXPECT_EQ(last + 1, product.job().job);
  ASSERT_EQ(0, product.wait(result));
  product.job().job = last + 1 - static_cast<uint32_t>(most.value);  // the driver has dropped it
  EXPECT_EQ(ENOENT, product.wait(result));
}

struct Moments {
  static constexpr int kJobs = 60;
  uint64_t of[2][kJobs];
  uint64_t begin;
};

int run_many(Moments* moments, int who) {
  const File file;
  // The engine's time must exceed Linux' time per job.
  Product product(file, 64, 64, 256);
  uint32_t first = 0;
  if (who == 1) moments->begin = now_ns();
  for (int i = 0; i < Moments::kJobs; i++) {
    if (product.submit() != 0) return 1;
    if (i == 0) first = product.job().job;
  }
  Process::ready();
  for (int i = 0; i < Moments::kJobs; i++) {
    drm_mxe_wait result;
    product.job().job = first + static_cast<uint32_t>(i);
    if (product.wait(result) != 0 || result.error != 0) return 2;
    moments->of[who][i] = now_ns();
  }
  return product.is_right() ? 0 : 3;
}

// The first process submits all its jobs before the second one submits any.
TEST(Jobs, TwoProcessesHaveFairShares) {
  void* shared =
      mmap(nullptr, sizeof(Moments), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(MAP_FAILED, shared);
  auto* moments = static_cast<Moments*>(shared);
  Process first([&] { return run_many(moments, 0); });
  first.await_ready();
  Process second([&] { return run_many(moments, 1); });
  EXPECT_EQ(0, first.wait());
  EXPECT_EQ(0, second.wait());
  // Ends of the first process's jobs from the second's first submission to the end of its job 30.
  constexpr int kHalf = Moments::kJobs / 2;
  int before = 0, done = 0;
  for (const uint64_t moment : moments->of[0]) {
    if (moment < moments->begin) before++;
    if (moment <= moments->of[1][kHalf - 1]) done++;
  }
  std::printf(
      "%d jobs of the second process took as long as %d of the first, which had done %d before\n",
      kHalf, done - before, before);
  EXPECT_LT(before, kHalf);
  EXPECT_NEAR(kHalf, done - before, 8);
}

TEST(Jobs, ADeadlineEndsOneJobAlone) {
  const File file, other;
  Product late(file, kLong, kLong, kLong), good(other, kShort, kShort, 32),
      next(file, kShort, kShort, 64);
  late.job().deadline_ns = now_ns() + 20'000;
  ASSERT_EQ(0, late.submit());
  ASSERT_EQ(0, good.submit());
  ASSERT_EQ(0, next.submit());
  drm_mxe_wait result;
  ASSERT_EQ(0, late.wait(result));
  EXPECT_EQ(MXE_ERR_DEADLINE, result.code);
  EXPECT_EQ(-ETIMEDOUT, result.error);
  EXPECT_LT(now_ns() - late.job().deadline_ns, 100'000u);
  ASSERT_EQ(0, good.wait(result));
  EXPECT_EQ(0, result.error);
  ASSERT_EQ(0, next.wait(result));
  EXPECT_EQ(0, result.error);
  EXPECT_TRUE(good.is_right());
  EXPECT_TRUE(next.is_right());
}

TEST(Jobs, ADeadlineThatHasPassed) {
  const File file;
  Product product(file, kShort, kShort, 32);
  product.job().deadline_ns = 1;
  EXPECT_EQ(-ETIMEDOUT, product.run());
  product.job().deadline_ns = UINT64_MAX;
  EXPECT_EQ(0, product.run());
  EXPECT_TRUE(product.is_right());
}

class Parameter {
 public:
  Parameter(const char* name, unsigned value, unsigned normal) : name_(name), normal_(normal) {
    set_parameter(name, value);
  }
  ~Parameter() { set_parameter(name_, normal_); }

 private:
  const char* name_;
  unsigned normal_;
};

TEST(Jobs, ALongOneIsNoHang) {
  const Parameter hang("hang_ms", 1, 2000);
  const File file;
  Product product(file, 512, 1024, 4096);  // several milliseconds
  drm_mxe_wait result;
  ASSERT_EQ(0, product.submit());
  ASSERT_EQ(0, product.wait(result));
  EXPECT_EQ(0, result.error);
  EXPECT_GT(result.cycles, 3'000'000u);
}

// The job hangs, because its doorbell is lost.
TEST(Jobs, AHangEndsTheOldestAlone) {
  const Parameter hang("hang_ms", 10, 2000);
  const File file, other;
  Product stuck(file, kShort, kShort, 32), good(other, kShort, kShort, 64);
  set_parameter("inject", 8);
  ASSERT_EQ(0, stuck.submit());
  sleep_us(100);
  set_parameter("inject", 8);
  ASSERT_EQ(0, good.submit());
  drm_mxe_wait result;
  ASSERT_EQ(0, stuck.wait(result));
  EXPECT_EQ(MXE_ERR_TIMEOUT, result.code);
  EXPECT_EQ(-ETIMEDOUT, result.error);
  ASSERT_EQ(0, good.wait(result));
  EXPECT_EQ(0, result.error);
  EXPECT_TRUE(good.is_right());
}

TEST(Jobs, ABusErrorReachesTheFileOfItsJob) {
  const File file, other;
  Product bad(file, kShort, kShort, 32), good(other, kShort, kShort, 64);
  for (uint32_t operand = MXE_FAULT_A; operand <= MXE_FAULT_D; operand++) {
    if (operand == MXE_FAULT_C) continue;
    drm_mxe_wait result;
    good.spoil();
    ASSERT_EQ(0, good.submit());
    sleep_us(100);  // the jobs are in the ring now
    set_parameter("inject", operand - MXE_FAULT_A + 1);
    ASSERT_EQ(0, bad.submit());
    ASSERT_EQ(0, bad.wait(result));
    EXPECT_EQ(operand == MXE_FAULT_D ? MXE_ERR_WRITE : MXE_ERR_READ, result.code);
    EXPECT_EQ(-EFAULT, result.error);
    EXPECT_EQ(operand, result.fault_operand);
    EXPECT_EQ(operand == MXE_FAULT_D, result.fault_write != 0);
    EXPECT_EQ(UINT64_MAX, result.fault_offset);
    ASSERT_EQ(0, good.wait(result));
    EXPECT_EQ(0, result.error);
    EXPECT_TRUE(good.is_right());
  }
  EXPECT_EQ(0, bad.run());
  EXPECT_TRUE(bad.is_right());
}

// The engine's reads get an error response, and its interrupt message is lost.
TEST(Jobs, AnEngineWithoutMemory) {
  const File file;
  Product product(file, kShort, kShort, 32);
  drm_mxe_wait result;
  change_command(0, kMaster);
  ASSERT_EQ(0, product.submit());
  ASSERT_EQ(0, product.wait(result));
  EXPECT_EQ(MXE_ERR_FETCH, result.code);
  EXPECT_EQ(-EFAULT, result.error);
  change_command(kMaster, 0);
  EXPECT_EQ(0, product.run());
  EXPECT_TRUE(product.is_right());
}

TEST(Jobs, WhatTheDeviceRefuses) {
  const File file;
  Product product(file, kShort, kShort, 32);
  product.job().d.offset = 1;
  EXPECT_EQ(-EINVAL, product.run());
  drm_mxe_wait result;
  ASSERT_EQ(0, product.wait(result));
  EXPECT_EQ(MXE_ERR_ALIGN, result.code);
  EXPECT_EQ(MXE_STATUS_ERR_ALIGN, result.status);
}

TEST(Jobs, Cancel) {
  const File file, other;
  Product running(file, kLong, kLong, 64), waiting(file, kShort, kShort, 32),
      good(other, kShort, kShort, 64);
  ASSERT_EQ(0, running.submit());
  ASSERT_EQ(0, good.submit());
  ASSERT_EQ(0, waiting.submit());
  drm_mxe_wait result;
  drm_mxe_cancel cancel{running.job().job, 0};
  EXPECT_EQ(ETIME, running.wait(result, 0));
  EXPECT_EQ(0, file.call(DRM_IOCTL_MXE_CANCEL, &cancel));
  ASSERT_EQ(0, running.wait(result));
  EXPECT_EQ(MXE_ERR_ABORTED, result.code);
  EXPECT_EQ(-ECANCELED, result.error);
  ASSERT_EQ(0, waiting.wait(result));
  EXPECT_EQ(0, result.error);
  EXPECT_TRUE(waiting.is_right());
  ASSERT_EQ(0, good.wait(result));
  EXPECT_EQ(0, result.error);
  EXPECT_TRUE(good.is_right());
  EXPECT_EQ(ENOENT, file.call(DRM_IOCTL_MXE_CANCEL, &cancel));
  cancel.job = 0;
  EXPECT_EQ(0, file.call(DRM_IOCTL_MXE_CANCEL, &cancel));
}

TEST(Jobs, CancelAllAndThoseInTheQueue) {
  const File file, other;
  Product product(file, 128, 128, 128), good(other, kShort, kShort, 64);
  for (int i = 0; i < 30; i++) ASSERT_EQ(0, product.submit());
  ASSERT_EQ(0, good.submit());
  drm_mxe_cancel all{0, 0};
  ASSERT_EQ(0, file.call(DRM_IOCTL_MXE_CANCEL, &all));
  const uint32_t last = product.job().job;
  for (uint32_t job = last - 29; job <= last; job++) {
    drm_mxe_wait result;
    product.job().job = job;
    ASSERT_EQ(0, product.wait(result));
    EXPECT_EQ(-ECANCELED, result.error) << job;
  }
  drm_mxe_wait result;
  ASSERT_EQ(0, good.wait(result));
  EXPECT_TRUE(good.is_right());
}

uint32_t make_sync(const File& file) {
  drm_syncobj_create create{};
  EXPECT_EQ(0, file.call(DRM_IOCTL_SYNCOBJ_CREATE, &create));
  return create.handle;
}

uint32_t pass_sync(const File& from, uint32_t handle, const File& to) {
  drm_syncobj_handle out{}, in{};
  out.handle = handle;
  EXPECT_EQ(0, from.call(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &out));
  in.fd = out.fd;
  EXPECT_EQ(0, to.call(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &in));
  close(out.fd);  // otherwise it keeps the module loaded
  return in.handle;
}

TEST(Jobs, FencesOrderFiles) {
  const File file, other;
  Product before(file, kLong, kLong, 128), after(other, kShort, kShort, 64);
  const uint32_t sync = make_sync(file), theirs = pass_sync(file, sync, other);
  for (int i = 0; i < 9; i++)
    ASSERT_EQ(0, before.submit());  // without the fence, the other file would be served earlier
  before.job().out_sync = sync;
  ASSERT_EQ(0, before.submit());
  after.job().in_syncs = reinterpret_cast<uint64_t>(&theirs);
  after.job().in_sync_count = 1;
  ASSERT_EQ(0, after.submit());
  drm_mxe_wait result;
  ASSERT_EQ(0, after.wait(result));
  EXPECT_EQ(0, result.error);
  EXPECT_EQ(0, before.wait(result, 0));
  EXPECT_TRUE(after.is_right());
  drm_syncobj_wait wait{};
  wait.handles = reinterpret_cast<uint64_t>(&sync);
  wait.count_handles = 1;
  EXPECT_EQ(0, file.call(DRM_IOCTL_SYNCOBJ_WAIT, &wait));
}

TEST(Jobs, CloseWithAFenceThatIsStillToCome) {
  const File file;
  Product before(file, kLong, kLong, kLong);
  const uint32_t sync = make_sync(file);
  before.job().out_sync = sync;
  ASSERT_EQ(0, before.submit());
  {
    const File other;
    Product after(other, kShort, kShort, 64);
    const uint32_t theirs = pass_sync(file, sync, other);
    after.job().in_syncs = reinterpret_cast<uint64_t>(&theirs);
    after.job().in_sync_count = 1;
    ASSERT_EQ(0, after.submit());
  }
  drm_mxe_wait result;
  ASSERT_EQ(0, before.wait(result));
  EXPECT_EQ(0, result.error);
}

TEST(Jobs, KillingAProcessInAJobHarmsNobodyElse) {
  const File file;
  Product good(file, kLong, kLong, 64);
  Process victim([] {
    const File own;
    Product long_one(own, kLong, kLong, kLong), another(own, kLong, kLong, kLong);
    for (int i = 0; i < 10; i++) {
      if (long_one.submit() != 0 || another.submit() != 0) return 1;
    }
    Process::ready();
    drm_mxe_wait result;
    return another.wait(result);
  });
  victim.await_ready();
  const uint64_t begin = now_ns();
  ASSERT_EQ(0, good.submit());
  sleep_us(20);
  victim.kill();
  EXPECT_EQ(128 + 9, victim.wait());
  drm_mxe_wait result;
  ASSERT_EQ(0, good.wait(result));
  EXPECT_EQ(0, result.error);
  EXPECT_TRUE(good.is_right());
  EXPECT_LT(now_ns() - begin, 2'000'000u);  // 20 jobs of the victim would take longer
}

}  // namespace
}  // namespace mxe::test
