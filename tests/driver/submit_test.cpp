// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <set>
#include <string>

#include "tests/driver/driver_fixture.h"

namespace mxe::test {
namespace {

using Submit = Polling;

mxe_job numbered_job() {
  mxe_job job = {};
  job.format_a = MXE_FORMAT_MXFP8_E5M2;
  job.format_b = MXE_FORMAT_MXINT8;
  job.out_format = MXE_OUT_MXFP6_E3M2;
  job.out_rule = MXE_RULE_EVEN;
  job.out_overflow = true;
  job.bias = true;
  job.bias_bf16 = true;
  job.alpha = true;
  job.alpha_bits = 0x88888888;
  job.scale_a = 1;
  job.scale_b = 2;
  job.block_a = 3;
  job.block_b = 1;
  job.m = 0x101;
  job.n = 0x202;
  job.k = 0x303;
  job.a_addr = 0xa1a2a3a4'a5a6a7a8;
  job.b_addr = 0xb1b2b3b4'b5b6b7b8;
  job.a_scale_addr = 0x1a2a3a4a'5a6a7a8a;
  job.b_scale_addr = 0x1b2b3b4b'5b6b7b8b;
  job.c_addr = 0xc1c2c3c4'c5c6c7c8;
  job.d_addr = 0xd1d2d3d4'd5d6d7d8;
  job.d_scale_addr = 0x1d2d3d4d'5d6d7d8d;
  job.a_stride = 0x11111111;
  job.b_stride = 0x22222222;
  job.a_scale_stride = 0x33333333;
  job.b_scale_stride = 0x44444444;
  job.c_stride = 0x55555555;
  job.d_stride = 0x66666666;
  job.d_scale_stride = 0x77777777;
  return job;
}

// Written by hand from the description of the descriptor, without the driver's constants.
constexpr std::array<uint32_t, 32> numbered_words = {
    1,          0x5e7bb65,  0x101,      0x202,       // id, control, M, N
    0x303,      0,          0xa5a6a7a8, 0xa1a2a3a4,  // K, reserved, A
    0xb5b6b7b8, 0xb1b2b3b4, 0x5a6a7a8a, 0x1a2a3a4a,  // B, scales of A
    0x5b6b7b8b, 0x1b2b3b4b, 0xc5c6c7c8, 0xc1c2c3c4,  // scales of B, C
    0xd5d6d7d8, 0xd1d2d3d4, 0x5d6d7d8d, 0x1d2d3d4d,  // D, scales of D
    0x11111111, 0x22222222, 0x33333333, 0x44444444,  // strides of A, B, their scales
    0x55555555, 0x66666666, 0x77777777, 0x88888888,  // strides of C, D, its scales; ALPHA
    0,          0,          0,          0};          // completion record

TEST_F(Submit, WritesTheDescriptor) {
  ASSERT_EQ(submit(numbered_job()), 1u);
  for (uint32_t i = 0; i < 32; i++) {
    EXPECT_EQ(device.ring_word(0, 4 * i), numbered_words[i]) << "offset " << 4 * i;
  }
}

TEST_F(Submit, PlacesEachChoiceAlone) {
  const auto control = [this](const mxe_job& job) {
    const uint32_t id = submit(job);
    EXPECT_EQ(wait(id), MXE_OK);
    return device.ring_word((id - 1) % driver.ring_entries, MXE_DESC_CONTROL);
  };
  mxe_job job = {};
  job.bias = true;
  EXPECT_EQ(control(job), 0x1000u);
  job = {};
  job.bias_bf16 = true;
  EXPECT_EQ(control(job), 0x2000u);
  job = {};
  job.out_rule = MXE_RULE_RCEIL;
  EXPECT_EQ(control(job), 0xc000u);
  job = {};
  job.out_overflow = true;
  EXPECT_EQ(control(job), 0x10000u);
  job = {};
  job.scale_a = MXE_SCALE_UE4M3;
  EXPECT_EQ(control(job), 0x40000u);
  job = {};
  job.scale_b = MXE_SCALE_UE4M3;
  EXPECT_EQ(control(job), 0x100000u);
  job = {};
  job.block_a = MXE_BLOCK_OF_16;
  EXPECT_EQ(control(job), 0x400000u);
  job = {};
  job.block_b = MXE_BLOCK_OF_16;
  EXPECT_EQ(control(job), 0x1000000u);
  job = {};
  job.alpha = true;
  EXPECT_EQ(control(job), 0x4000000u);
}

TEST_F(Submit, ReadsEarlyWhatNobodyWrites) {
  const auto early = [this](const mxe_job& job, uint32_t& id) {
    id = submit(job);
    return (device.ring_word((id - 1) % driver.ring_entries, MXE_DESC_CONTROL) &
            MXE_DESC_CONTROL_EARLY_MASK) != 0;
  };
  uint32_t first = 0, id = 0;
  mxe_job job = {};
  job.m = job.n = 2;
  job.k = 32;
  job.format_a = job.format_b = MXE_FORMAT_MXINT8;
  job.a_addr = 0x1000, job.a_stride = 32, job.a_scale_addr = 0x1100, job.a_scale_stride = 1;
  job.b_addr = 0x2000, job.b_stride = 32, job.b_scale_addr = 0x2100, job.b_scale_stride = 1;
  job.d_addr = 0x3000, job.d_stride = 8;
  EXPECT_TRUE(early(job, first));
  EXPECT_TRUE(early(job, id)) << "both write the same, in their order";
  EXPECT_EQ(wait(id), MXE_OK);
  mxe_job next = job;
  next.d_addr = 0x4000;
  next.b_addr = job.d_addr + 15;
  EXPECT_TRUE(early(next, id)) << "all before it have ended";
  mxe_job last = job;
  last.a_scale_addr = next.d_addr + 15;
  EXPECT_FALSE(early(last, id));
  EXPECT_EQ(wait(id), MXE_OK);
  last.bias = true;
  last.c_addr = last.d_addr - 16, last.c_stride = 8;
  EXPECT_TRUE(early(last, id)) << "the job itself does not count";
  EXPECT_EQ(wait(id), MXE_OK);
  driver.caps.version_minor = 6;
  EXPECT_FALSE(early(job, id)) << "the device does not know it";
}

TEST_F(Submit, RingsTheDoorbellAfterTheDescriptorIsVisible) {
  submit();
  EXPECT_EQ(device.events, (std::vector<std::string>{"wmb", "doorbell"}));
  EXPECT_EQ(device.reg(MXE_REG_RING_TAIL), 1u);
  submit();
  EXPECT_EQ(device.reg(MXE_REG_RING_TAIL), 2u);
}

TEST_F(Submit, RefusesWhatNoDescriptorCanHold) {
  struct Field {
    uint32_t mxe_job::*code;
    uint32_t limit;
  };
  for (const Field& field :
       {Field{&mxe_job::format_a, 16}, Field{&mxe_job::format_b, 16},
        Field{&mxe_job::out_format, 16}, Field{&mxe_job::out_rule, 4}, Field{&mxe_job::scale_a, 4},
        Field{&mxe_job::scale_b, 4}, Field{&mxe_job::block_a, 4}, Field{&mxe_job::block_b, 4}}) {
    uint32_t id = 77;
    mxe_job job = {};
    job.*field.code = field.limit;
    EXPECT_EQ(mxe_submit(&driver, &job, nullptr, &id), MXE_ERR_ARGUMENT);
    EXPECT_EQ(id, 77u);
    EXPECT_NE(std::string(mxe_explain(&driver, MXE_ERR_ARGUMENT)).find(" is too large"),
              std::string::npos);
    job.*field.code = field.limit - 1;
    EXPECT_EQ(mxe_submit(&driver, &job, nullptr, &id), MXE_OK)
        << "illegal or not, for the device to say";
    EXPECT_EQ(wait(id), MXE_OK);
  }
}

TEST_F(Submit, RefusesNullPointers) {
  const mxe_job job = {};
  uint32_t id = 0;
  const auto explain = [](const mxe_device* dev) {
    return std::string(mxe_explain(dev, MXE_ERR_ARGUMENT));
  };
  EXPECT_EQ(mxe_submit(nullptr, &job, nullptr, &id), MXE_ERR_ARGUMENT);
  EXPECT_EQ(explain(nullptr), "dev is null");
  EXPECT_EQ(mxe_submit(&driver, nullptr, nullptr, &id), MXE_ERR_ARGUMENT);
  EXPECT_EQ(explain(&driver), "job is null");
  EXPECT_EQ(mxe_submit(&driver, &job, nullptr, nullptr), MXE_ERR_ARGUMENT);
  EXPECT_EQ(explain(&driver), "job_id is null");
  EXPECT_EQ(mxe_submit_many(&driver, &job, 0, nullptr, &id), MXE_ERR_ARGUMENT);
  EXPECT_EQ(explain(&driver), "count is 0");
  EXPECT_STREQ(mxe_explain(&driver, MXE_ERR_FULL), mxe_strerror(MXE_ERR_FULL));
  EXPECT_EQ(device.events.size(), 0u);
}

TEST_F(Submit, FillsTheWholeRingAndNoMore) {
  for (int i = 0; i < 4; i++) submit();
  const mxe_job job = {};
  uint32_t id = 0;
  EXPECT_EQ(mxe_submit(&driver, &job, nullptr, &id), MXE_ERR_FULL);
  EXPECT_EQ(id, 0u);
  EXPECT_EQ(device.reg(MXE_REG_RING_TAIL), 4u);
  device.complete_next();
  EXPECT_EQ(mxe_submit(&driver, &job, nullptr, &id), MXE_ERR_FULL) << "it has not been called back";
  EXPECT_EQ(mxe_complete(&driver, 1), 1);
  EXPECT_EQ(mxe_submit(&driver, &job, nullptr, &id), MXE_OK);
  EXPECT_EQ(id, 5u);
  EXPECT_EQ(mxe_submit(&driver, &job, nullptr, &id), MXE_ERR_FULL);
}

TEST_F(Submit, IndicesWrapAt16Bits) {
  device.ticks_per_job = 1;
  for (uint32_t i = 0; i < 70'000; i++) {
    ASSERT_EQ(wait(submit()), MXE_OK) << i;
  }
  EXPECT_EQ(device.head, 70'000 - 65'536);
}

TEST_F(Submit, IdsWrapAt32BitsAndAreNeverZero) {
  driver.next_id = 0xffff'fffd;
  std::set<uint32_t> ids;
  for (int i = 0; i < 12; i++) {
    const uint32_t id = submit();
    ASSERT_NE(id, 0u);
    EXPECT_EQ(wait(id), MXE_OK);
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), 12u);
}

TEST(SubmitSmallestRing, HoldsOneJob) {
  DriverFixture one(true, 1);
  for (int i = 0; i < 5; i++) {
    const uint32_t id = one.submit();
    const mxe_job job = {};
    uint32_t refused = 0;
    EXPECT_EQ(mxe_submit(&one.driver, &job, nullptr, &refused), MXE_ERR_FULL);
    EXPECT_EQ(one.wait(id), MXE_OK);
  }
}

}  // namespace
}  // namespace mxe::test
