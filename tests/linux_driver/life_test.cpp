// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>

#include "tests/linux_driver/guest.h"

namespace mxe::test {
namespace {

/// A process that submits jobs and waits for the last one; its exit status is that wait's errno.
std::unique_ptr<Process> waiter() {
  auto process = std::make_unique<Process>([] {
    const File file;
    Product running(file, kLong, kLong, kLong), queued(file, kLong, kLong, kLong);
    if (running.submit() != 0) return 200;
    for (int i = 0; i < 20; i++) {
      if (queued.submit() != 0) return 201;
    }
    Process::ready();
    drm_mxe_wait result;
    const int error = queued.wait(result);
    if (queued.submit() != ENODEV) return 202;
    running.spoil();  // its memory still exists
    return error;
  });
  process->await_ready();
  return process;
}

void expect_a_working_device() {
  const File file;
  Product product(file, 16, 16, 32);
  EXPECT_EQ(0, product.run());
  EXPECT_TRUE(product.is_right());
}

TEST(Life, UnbindingEndsEveryWaiter) {
  const auto first = waiter(), second = waiter();
  unbind();
  EXPECT_EQ(ENODEV, first->wait());
  EXPECT_EQ(ENODEV, second->wait());
  bind();
  expect_a_working_device();
}

TEST(Life, UnbindingWithAFileThatStaysOpen) {
  auto file = std::make_unique<File>();
  auto product = std::make_unique<Product>(*file, 16, 16, 32);
  ASSERT_EQ(0, product->run());
  unbind();
  EXPECT_TRUE(product->is_right());  // results outlive the device
  EXPECT_EQ(ENODEV, product->submit());
  EXPECT_EQ(EAGAIN, remove_module());
  bind();
  expect_a_working_device();
  product.reset();
  file.reset();
  expect_a_working_device();
}

TEST(Life, TheModuleStaysWhileAFileIsOpen) {
  {
    const File file;
    Product product(file, kLong, kLong, kLong);
    ASSERT_EQ(0, product.submit());
    EXPECT_EQ(EAGAIN, remove_module());
    drm_mxe_wait result;
    EXPECT_EQ(0, product.wait(result));
    EXPECT_EQ(0, result.error);
  }
  ASSERT_EQ(0, remove_module());
  ASSERT_EQ(0, insert_module());
  expect_a_working_device();
}

TEST(Life, ClosingInAJobAndUnloadingAtOnce) {
  for (int i = 0; i < 3; i++) {
    {
      const File file;
      Product product(file, kLong, kLong, kLong);
      for (int j = 0; j < 30; j++) ASSERT_EQ(0, product.submit());
    }
    ASSERT_EQ(0, remove_module());
    ASSERT_EQ(0, insert_module());
  }
  expect_a_working_device();
}

// A device that was pulled out reads as all ones.
TEST(Life, ADeviceThatDoesNotAnswerEndsEveryWaiter) {
  const auto first = waiter(), second = waiter();
  change_command(0, kMemory);
  EXPECT_EQ(ENODEV, first->wait());
  EXPECT_EQ(ENODEV, second->wait());
  const File file;
  drm_mxe_counters counters{};
  EXPECT_EQ(ENODEV, file.call(DRM_IOCTL_MXE_COUNTERS, &counters));
  Product product(file, 16, 16, 32);
  EXPECT_EQ(-ENODEV, product.run());
  change_command(kMemory, 0);
  unbind();
  bind();
  expect_a_working_device();
}

// The function is removed during jobs, without notice (mxe linux --remove-us).
TEST(Life, ADeviceThatIsPulledOutEndsEveryWaiter) {
  const char* us = std::getenv("MXE_REMOVE_US");
  if (!us) GTEST_SKIP() << "the engine stays in its slot";
  const uint64_t moment = std::strtoull(us, nullptr, 10) * 1000;
  {
    const File file;
    Product done(file, 16, 16, 32);
    ASSERT_EQ(0, done.run());
    const auto first = waiter(), second = waiter();
    ASSERT_LT(now_ns(), moment) << "it went before there was a waiter";
    EXPECT_EQ(ENODEV, first->wait());
    EXPECT_EQ(ENODEV, second->wait());
    EXPECT_GE(now_ns(), moment);
    EXPECT_LT(now_ns(), moment + 200'000'000);  // the watchdog checks every 100 ms
    EXPECT_TRUE(done.is_right());               // the memory belongs to Linux
    drm_mxe_counters counters{};
    EXPECT_EQ(ENODEV, file.call(DRM_IOCTL_MXE_COUNTERS, &counters));
    EXPECT_EQ(-ENODEV, done.run());
  }
  std::array<char, 64> head{};
  std::ifstream(pci_folder() + "/config", std::ios::binary).read(head.data(), head.size());
  EXPECT_TRUE(std::all_of(head.begin(), head.end(), [](char byte) { return byte == '\xff'; }));
  unbind();
  EXPECT_THROW(bind(), std::runtime_error);  // the device is gone
  EXPECT_EQ(0, remove_module());
}

TEST(Life, ASuspendInAJobRunsItAgain) {
  if (!std::ifstream("/sys/power/pm_test")) GTEST_SKIP() << "a kernel without pm_test";
  const File file;
  // Linux needs a millisecond or two to suspend: long jobs still run then.
  Product running(file, 512, 1024, 4096), waiting(file, 16, 16, 32);
  for (int i = 0; i < 3; i++) ASSERT_EQ(0, running.submit());
  for (int i = 0; i < 20; i++) ASSERT_EQ(0, waiting.submit());
  write_file("/sys/power/pm_test", "devices");
  write_file("/sys/power/state", "mem");
  write_file("/sys/power/pm_test", "none");
  drm_mxe_wait result;
  for (int i = 0; i < 3; i++, running.job().job--) {
    ASSERT_EQ(0, running.wait(result));
    EXPECT_EQ(0, result.error);
  }
  ASSERT_EQ(0, waiting.wait(result));
  EXPECT_EQ(0, result.error);
  EXPECT_TRUE(waiting.is_right());
  expect_a_working_device();
}

TEST(Life, ASuspendWithoutJobs) {
  if (!std::ifstream("/sys/power/pm_test")) GTEST_SKIP() << "a kernel without pm_test";
  write_file("/sys/power/pm_test", "devices");
  write_file("/sys/power/state", "mem");
  write_file("/sys/power/pm_test", "none");
  expect_a_working_device();
}

}  // namespace
}  // namespace mxe::test
