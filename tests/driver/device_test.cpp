// SPDX-License-Identifier: Apache-2.0
// The driver on model and RTL, with interrupts and with polling, to confirm the mock device.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "model/platform/driver_port.h"
#include "model/platform/engine.h"
#include "model/platform/platform.h"
#include "model/platform/rtl/rtl_engine.h"
#include "mxe_counter_table.h"
#include "mxe_driver.h"

namespace mxe::test {
namespace {

constexpr uint32_t ring_entries = 4, timeout_us = 1000;
constexpr uint64_t no_memory = 0x100;  // below the memory: every access is a bus error
constexpr uint8_t one_e4m3 = 0x38, scale_one = 127;

std::unique_ptr<platform::EngineModule> make_engine(const std::string& kind, const Params& params) {
  if (kind == "rtl") return std::make_unique<rtl::RtlEngine>("engine", params);
  return std::make_unique<platform::Engine>("engine", params);
}

/// An open driver on `small`. The parameters: the kind of engine, and whether there are interrupts.
class Device : public testing::TestWithParam<std::tuple<const char*, bool>> {
 protected:
  Device() : params(Params::named("small")) {
    platform::Memory::Config memory;
    memory.size = 1 << 24;
    platform.emplace("platform", memory,
                     [this] { return make_engine(std::get<0>(GetParam()), params); });
  }

  void run(const std::function<void()>& program) {
    platform->run([&](platform::Host& h) {
      host = &h;
      const platform::DriverRing driver_ring = platform::make_driver_ring(h, ring_entries);
      ring = driver_ring.get()->bus_addr;
      mxe_port port = harness::make_driver_port(h);
      if (!std::get<1>(GetParam())) port.wait_irq = nullptr;
      ASSERT_EQ(mxe_open(&driver, &port, driver_ring.get()), MXE_OK);
      program();
    });
  }

  uint64_t filled(size_t bytes, uint8_t value) {
    const uint64_t address = host->allocate(bytes);
    std::fill_n(host->memory().data(address, bytes), bytes, value);
    return address;
  }

  /// All elements are 1, so every result is K.
  mxe_job ones(uint32_t m, uint32_t n, uint32_t k) {
    mxe_job job = {};
    job.format_a = job.format_b = MXE_FORMAT_MXFP8_E4M3;
    job.m = m;
    job.n = n;
    job.k = k;
    job.a_stride = job.b_stride = k;
    job.a_scale_stride = job.b_scale_stride = (k + 31) / 32;
    job.d_stride = 4 * n;
    job.a_addr = filled(size_t{m} * k, one_e4m3);
    job.b_addr = filled(size_t{n} * k, one_e4m3);
    job.a_scale_addr = filled(size_t{m} * job.a_scale_stride, scale_one);
    job.b_scale_addr = filled(size_t{n} * job.b_scale_stride, scale_one);
    job.d_addr = filled(size_t{m} * job.d_stride, 0xff);
    return job;
  }

  void expect_results(const mxe_job& job) {
    const size_t count = size_t{job.m} * job.n;
    const auto* d = reinterpret_cast<const float*>(host->memory().data(job.d_addr, 4 * count));
    EXPECT_EQ(std::count(d, d + count, static_cast<float>(job.k)),
              static_cast<std::ptrdiff_t>(count));
  }

  uint32_t submit(const mxe_job& job) {
    uint32_t id = 0;
    EXPECT_EQ(mxe_submit(&driver, &job, nullptr, &id), MXE_OK);
    return id;
  }
  int wait(uint32_t id, mxe_completion* completion = nullptr) {
    return mxe_wait(&driver, id, timeout_us, completion);
  }
  int run_job(const mxe_job& job) { return wait(submit(job)); }

  Params params;
  std::optional<platform::Platform> platform;
  platform::Host* host = nullptr;
  uint64_t ring = 0;
  mxe_device driver = {};
};

std::string device_name(const testing::TestParamInfo<std::tuple<const char*, bool>>& info) {
  return std::string(std::get<0>(info.param)) +
         (std::get<1>(info.param) ? "_interrupts" : "_polling");
}

INSTANTIATE_TEST_SUITE_P(On, Device,
                         testing::Combine(testing::Values("model", "rtl"), testing::Bool()),
                         device_name);

TEST_P(Device, TellsItsParameters) {
  run([&] {
    const ParameterValues found = parameters_of(driver.caps);
    for (const ParameterInfo& info : parameter_table) {
      EXPECT_EQ(found.*(info.field), params.*(info.field)) << info.shown_by;
    }
    EXPECT_TRUE(driver.caps.bf16);
    EXPECT_TRUE(driver.caps.mx_out);
  });
}

TEST_P(Device, RunsJobsRoundTheRing) {
  run([&] {
    for (uint32_t i = 0; i < 3 * ring_entries; i++) {
      const mxe_job job = ones(5 + i, 3 + i, 40 + i);
      mxe_completion completion = {};
      ASSERT_EQ(wait(submit(job), &completion), MXE_OK);
      EXPECT_GT(completion.cycles, 0u);
      expect_results(job);
    }
  });
}

TEST_P(Device, WritesResultsInEveryForm) {
  run([&] {
    constexpr uint32_t k = 48;  // 1.5 * 2^5
    mxe_job job = ones(3, 40, k);
    const size_t count = size_t{job.m} * job.n;
    const auto byte = [&](uint64_t address, size_t i) {
      return *host->memory().data(address + i, 1);
    };

    job.out_format = MXE_OUT_BF16;
    job.d_stride = 2 * job.n;
    ASSERT_EQ(run_job(job), MXE_OK);
    for (size_t i = 0; i < count; i++) {
      EXPECT_EQ(byte(job.d_addr, 2 * i) | byte(job.d_addr, 2 * i + 1) << 8, 0x4240) << i;
    }

    // The largest element is 448 = 1.75 * 2^8: scale 2^(5 - 8), elements 384 = 0x7c.
    job.out_format = MXE_OUT_MXFP8_E4M3;
    job.d_stride = job.n;
    job.d_scale_addr = filled(3 * 2, 0);
    job.d_scale_stride = 2;
    ASSERT_EQ(run_job(job), MXE_OK);
    for (size_t i = 0; i < count; i++) EXPECT_EQ(byte(job.d_addr, i), 0x7c) << i;
    for (size_t i = 0; i < 6; i++) EXPECT_EQ(byte(job.d_scale_addr, i), 127 - 3) << i;

    // With C = 16 (BF16) the sums are 64: rule FLOOR gives 2^8 * 2^-2.
    job.bias = job.bias_bf16 = true;
    job.c_addr = filled(2 * job.n, 0);
    for (size_t i = 0; i < job.n; i++) {
      *host->memory().data(job.c_addr + 2 * i, 1) = 0x80;
      *host->memory().data(job.c_addr + 2 * i + 1, 1) = 0x41;
    }
    job.c_stride = 0;
    ASSERT_EQ(run_job(job), MXE_OK);
    for (size_t i = 0; i < count; i++) EXPECT_EQ(byte(job.d_addr, i), 0x78) << i;
    for (size_t i = 0; i < 6; i++) EXPECT_EQ(byte(job.d_scale_addr, i), 127 - 2) << i;
  });
}

TEST_P(Device, CountsAndMarksWhatIsBeyondTheLargest) {
  run([&] {
    mxe_job job = ones(2, 5, 31);  // 31 = 1.9375 * 2^4 exceeds 448 * 2^-4 = 28
    job.out_format = MXE_OUT_MXFP8_E4M3;
    job.d_stride = 5;
    job.d_scale_addr = filled(2, 0);
    job.d_scale_stride = 1;
    const auto first = [&] { return *host->memory().data(job.d_addr, 1); };
    struct mxe_counters c = {};
    ASSERT_EQ(run_job(job), MXE_OK);
    EXPECT_EQ(first(), 0x7e) << "the largest";
    ASSERT_EQ(mxe_read_counters(&driver, &c), MXE_OK);
    EXPECT_EQ(c.saturations, 10u);
    job.out_overflow = true;
    ASSERT_EQ(run_job(job), MXE_OK);
    EXPECT_EQ(first(), 0x7f) << "NaN";
    ASSERT_EQ(mxe_read_counters(&driver, &c), MXE_OK);
    EXPECT_EQ(c.saturations, 20u);
    job.out_rule = MXE_RULE_RCEIL;
    ASSERT_EQ(run_job(job), MXE_OK);
    ASSERT_EQ(mxe_read_counters(&driver, &c), MXE_OK);
    EXPECT_EQ(c.saturations, 20u);
    EXPECT_EQ(c.nan_results, 0u);
  });
}

TEST_P(Device, TakesAFullRingAndWaitsInAnyOrder) {
  run([&] {
    const mxe_job job = ones(16, 16, 64);
    std::array<uint32_t, ring_entries> ids = {};
    for (uint32_t& id : ids) id = submit(job);
    for (const size_t i : {3u, 0u, 2u, 1u}) EXPECT_EQ(wait(ids[i]), MXE_OK);
  });
}

TEST_P(Device, AnswersEachIllegalJobWithItsStatus) {
  run([&] {
    const mxe_job good = ones(4, 4, 32);
    const auto code_of = [&](const std::function<void(mxe_job&)>& change) {
      mxe_job job = good;
      change(job);
      const int code = run_job(job);
      EXPECT_EQ(run_job(good), MXE_OK) << "usable after an error";
      return code;
    };
    EXPECT_EQ(code_of([](mxe_job& j) { j.m = 0; }), MXE_ERR_SHAPE);
    EXPECT_EQ(code_of([](mxe_job& j) { j.n = 0; }), MXE_ERR_SHAPE);
    EXPECT_EQ(code_of([](mxe_job& j) { j.k = 0; }), MXE_ERR_SHAPE);
    EXPECT_EQ(code_of([](mxe_job& j) { j.format_a = MXE_FORMAT_COUNT; }), MXE_ERR_FORMAT);
    EXPECT_EQ(code_of([](mxe_job& j) { j.format_b = 15; }), MXE_ERR_FORMAT);
    EXPECT_EQ(code_of([](mxe_job& j) { j.out_format = MXE_OUT_MXFP4_E2M1 - 1; }),
              MXE_ERR_OUT_FORMAT);
    EXPECT_EQ(code_of([](mxe_job& j) { j.d_addr += 2; }), MXE_ERR_ALIGN);
    EXPECT_EQ(code_of([](mxe_job& j) { j.d_stride += 1; }), MXE_ERR_ALIGN);
    EXPECT_EQ(code_of([](mxe_job& j) { j.c_addr = 1; }), MXE_ERR_ALIGN);
    EXPECT_EQ(code_of([](mxe_job& j) { j.c_stride = 3; }), MXE_ERR_ALIGN);
    EXPECT_EQ(code_of([](mxe_job& j) { j.a_addr = no_memory; }), MXE_ERR_READ);
    EXPECT_EQ(code_of([](mxe_job& j) { j.b_scale_addr = no_memory; }), MXE_ERR_READ);
    EXPECT_EQ(code_of([](mxe_job& j) { j.d_addr = no_memory; }), MXE_ERR_WRITE);
    expect_results(good);
  });
}

TEST_P(Device, ReportsAnUnreadableDescriptor) {
  run([&] {
    const mxe_job job = ones(4, 4, 32);
    host->memory().add_fault(ring + MXE_DESC_SIZE, 64);  // the second entry
    const uint32_t before = submit(job), failed = submit(job), after = submit(job);
    EXPECT_EQ(wait(after), MXE_OK);
    mxe_completion completion = {};
    EXPECT_EQ(wait(failed, &completion), MXE_ERR_FETCH);
    EXPECT_EQ(completion.fault_operand, MXE_FAULT_DESCRIPTOR);
    EXPECT_EQ(completion.fault_addr, ring + MXE_DESC_SIZE);
    EXPECT_EQ(wait(before), MXE_OK);
  });
}

TEST_P(Device, ResetStopsALongJob) {
  run([&] {
    const mxe_job quick = ones(4, 4, 32), slow = ones(256, 256, 1024);
    for (int round = 0; round < 3; round++) {
      const uint32_t done = submit(quick);
      EXPECT_EQ(wait(done), MXE_OK);
      const uint32_t running = submit(slow), waiting = submit(quick);
      EXPECT_EQ(mxe_wait(&driver, running, 0, nullptr), MXE_ERR_TIMEOUT);
      host->wait_cycles(5000);
      ASSERT_EQ(mxe_recover(&driver, timeout_us), MXE_OK);
      mxe_completion completion = {};
      EXPECT_EQ(wait(running, &completion), MXE_ERR_ABORTED);
      EXPECT_GT(completion.cycles, 0u) << "the device's own record";
      EXPECT_EQ(wait(waiting), MXE_ERR_ABORTED);
      EXPECT_EQ(wait(done), MXE_OK);
    }
    EXPECT_EQ(run_job(quick), MXE_OK);
    expect_results(quick);
  });
}

TEST_P(Device, ALongJobIsNoHang) {
  run([&] {
    const mxe_job slow = ones(64, 64, 512);
    mxe_completion completion = {};
    ASSERT_EQ(mxe_wait(&driver, submit(slow), 1, &completion), MXE_OK);
    EXPECT_GT(completion.cycles, 5000u) << "several times the timeout";
    expect_results(slow);
  });
}

TEST_P(Device, ResetOfAnIdleDeviceIsHarmless) {
  run([&] {
    const mxe_job job = ones(4, 4, 32);
    for (int round = 0; round < 3; round++) {
      ASSERT_EQ(mxe_recover(&driver, timeout_us), MXE_OK);
      EXPECT_EQ(run_job(job), MXE_OK);
    }
  });
}

TEST_P(Device, CountersAddUpAndCanBeCleared) {
  run([&] {
    ASSERT_EQ(run_job(ones(9, 7, 100)), MXE_OK);
    struct mxe_counters c = {};
    ASSERT_EQ(mxe_read_counters(&driver, &c), MXE_OK);
    EXPECT_EQ(c.blocks, 9u * 7 * 4);
    EXPECT_EQ(c.total, sum_of_parts(c));
    EXPECT_GT(c.mac_active, 0u);
    ASSERT_EQ(mxe_clear_counters(&driver), MXE_OK);
    ASSERT_EQ(mxe_read_counters(&driver, &c), MXE_OK);
    EXPECT_EQ(c.blocks, 0u);
    EXPECT_EQ(c.total, c.idle);
  });
}

}  // namespace
}  // namespace mxe::test
