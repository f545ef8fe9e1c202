// SPDX-License-Identifier: Apache-2.0
// mxe_job_check() against the check of the model, on the descriptors that the driver writes.
#include <cstring>
#include <map>
#include <random>

#include "model/engine/timing/common/descriptor.h"
#include "model/params/hardware.h"
#include "tests/driver/driver_fixture.h"

namespace mxe::test {
namespace {

using Check = Polling;

constexpr int kStatusCode = -100;

mxe_capabilities capabilities(const Params& params) {
  mxe_capabilities caps = {};
  caps.version_minor = 10;
  caps.tree_w = params.tree_w;
  caps.fp4_dual = params.fp4_dual != 0;
  caps.nvfp4 = has_nvfp4(params);
  caps.bf16 = caps.mx_out = caps.long_blocks = true;
  return caps;
}

mxe_job legal_job() {
  mxe_job job = {};
  job.m = job.n = job.k = 1;
  return job;
}

/// mxe_job_pack() writes the descriptor that the driver has submitted, without CONTROL.early.
void expect_packed(const mxe_job& job, uint32_t id, engine::DescriptorBytes submitted) {
  engine::DescriptorBytes packed;
  uint32_t words[MXE_DESC_SIZE / 4];
  ASSERT_EQ(mxe_job_pack(&job, id, words), MXE_OK);
  std::memcpy(packed.data(), words, sizeof words);
  uint32_t control = 0;
  std::memcpy(&control, &submitted[MXE_DESC_CONTROL], sizeof control);
  control &= ~MXE_DESC_CONTROL_EARLY_MASK;
  std::memcpy(&submitted[MXE_DESC_CONTROL], &control, sizeof control);
  ASSERT_EQ(packed, submitted);
}

class RandomJobs {
 public:
  explicit RandomJobs(uint32_t seed) : random_(seed) {}

  /// A few members are often illegal, alone or together.
  mxe_job next() {
    mxe_job job = legal_job();
    job.format_a = below(9);
    job.format_b = below(9);
    if (below(3) == 0) job.format_a = job.format_b = below(2);
    job.out_format = below(16);
    if (below(2) == 0) job.scale_a = job.scale_b = job.block_a = job.block_b = below(2);
    if (below(4) == 0) job.scale_a = below(4);
    if (below(4) == 0) job.scale_b = below(4);
    if (below(8) == 0) job.block_a = below(4);
    if (below(8) == 0) job.block_b = below(4);
    job.alpha = below(3) == 0;
    job.alpha_bits = below(100);
    job.bias = below(2) == 0;
    job.bias_bf16 = below(2) == 0;
    if (below(10) == 0) job.m = 0;
    if (below(10) == 0) job.n = 0;
    if (below(10) == 0) job.k = 0;
    if (below(4) == 0) job.c_addr = below(8);
    if (below(4) == 0) job.c_stride = below(8);
    if (below(4) == 0) job.d_addr = below(8);
    if (below(4) == 0) job.d_stride = below(8);
    return job;
  }

 private:
  uint32_t below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }

  std::mt19937 random_;
};

TEST_F(Check, ReturnsTheStatusOfTheModel) {
  constexpr uint32_t kSeed = 1;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  RandomJobs jobs(kSeed);
  std::map<int, int> seen;
  for (const unsigned tree_w : {42u, 56u, 70u}) {
    for (const unsigned features : {0u, 1u, 2u, 3u}) {
      Params params = Params::named("base");
      params.tree_w = tree_w;
      params.fp4_dual = features & 1;
      params.nvfp4 = features >> 1;
      const mxe_capabilities caps = capabilities(params);
      for (int i = 0; i < 2000; i++) {
        const mxe_job job = jobs.next();
        const char* rule = "";
        const int code = mxe_job_check(&caps, &job, &rule);
        EXPECT_EQ(rule == nullptr, code == MXE_OK);
        seen[code]++;
        const uint32_t id = submit(job);
        engine::DescriptorBytes bytes;
        for (uint32_t at = 0; at < bytes.size(); at += 4) {
          const uint32_t word = device.ring_word((id - 1) % driver.ring_entries, at);
          std::memcpy(&bytes[at], &word, 4);
        }
        ASSERT_EQ(wait(id), MXE_OK);
        expect_packed(job, id, bytes);
        const uint32_t status = engine::check_descriptor(bytes, params);
        ASSERT_EQ(code, status == MXE_STATUS_OK ? MXE_OK : kStatusCode - static_cast<int>(status))
            << params.to_string() << ": formats " << job.format_a << ", " << job.format_b
            << ", scales " << job.scale_a << ", " << job.scale_b << ", blocks " << job.block_a
            << ", " << job.block_b << ", alpha " << job.alpha << ", " << (rule ? rule : "no rule");
      }
    }
  }
  for (const int code :
       {MXE_OK, MXE_ERR_SHAPE, MXE_ERR_FORMAT, MXE_ERR_PAIR, MXE_ERR_OUT_FORMAT, MXE_ERR_ALIGN}) {
    EXPECT_GT(seen[code], 50) << mxe_strerror(code);
  }
}

TEST(Pack, RefusesWhatADescriptorCannotHold) {
  uint32_t words[MXE_DESC_SIZE / 4];
  mxe_job job = legal_job();
  EXPECT_EQ(mxe_job_pack(nullptr, 1, words), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_job_pack(&job, 1, nullptr), MXE_ERR_ARGUMENT);
  job.batch = 65536;
  EXPECT_EQ(mxe_job_pack(&job, 1, words), MXE_ERR_ARGUMENT);
}

TEST(CheckOfOlderDevices, FindsWhatTheyDoNotHave) {
  mxe_capabilities caps = capabilities(Params::named("base"));
  const char* rule = nullptr;
  const auto check = [&](const mxe_job& job) { return mxe_job_check(&caps, &job, &rule); };
  mxe_job batch = legal_job(), alpha = legal_job(), fp16 = legal_job(), bf16 = legal_job();
  mxe_job mx = legal_job(), bias = legal_job();
  for (mxe_job* job : {&batch, &alpha, &fp16, &bf16, &mx, &bias}) {
    job->format_a = MXE_FORMAT_MXFP8_E4M3;
  }
  batch.batch = 2;
  alpha.alpha = true;
  fp16.out_format = MXE_OUT_FP16;
  bf16.out_format = MXE_OUT_BF16;
  mx.out_format = MXE_OUT_MXINT8;
  bias.bias = bias.bias_bf16 = true;
  for (const mxe_job& job : {batch, alpha, fp16, bf16, mx, bias}) EXPECT_EQ(check(job), MXE_OK);
  caps.version_minor = 9;
  EXPECT_EQ(check(batch), MXE_OK);
  EXPECT_EQ(check(alpha), MXE_ERR_DESCRIPTOR);
  EXPECT_STREQ(rule, "this device has no job->alpha and no kinds of scales and blocks");
  caps.version_minor = 7;
  EXPECT_EQ(check(batch), MXE_ERR_DESCRIPTOR);
  EXPECT_EQ(check(fp16), MXE_OK);
  caps.version_minor = 2;
  EXPECT_EQ(check(fp16), MXE_ERR_OUT_FORMAT);
  caps.bf16 = caps.mx_out = false;
  EXPECT_EQ(check(bf16), MXE_ERR_OUT_FORMAT);
  EXPECT_EQ(check(mx), MXE_ERR_OUT_FORMAT);
  EXPECT_EQ(check(bias), MXE_ERR_DESCRIPTOR);
  bias.bias = false;
  EXPECT_EQ(check(bias), MXE_OK);
}

TEST(CheckOfArguments, NamesTheRule) {
  const mxe_capabilities caps = capabilities(Params::named("base"));
  mxe_job job = legal_job();
  const char* rule = nullptr;
  EXPECT_EQ(mxe_job_check(nullptr, &job, &rule), MXE_ERR_ARGUMENT);
  EXPECT_STREQ(rule, "caps or job is null");
  EXPECT_EQ(mxe_job_check(&caps, nullptr, nullptr), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_job_check(&caps, &job, nullptr), MXE_OK);
  job.d_addr = 0x1002;
  EXPECT_EQ(mxe_job_check(&caps, &job, &rule), MXE_ERR_ALIGN);
  EXPECT_STREQ(rule, "job->d_addr and job->d_stride must be multiples of 4");
  job.out_rule = 4;
  EXPECT_EQ(mxe_job_check(&caps, &job, &rule), MXE_ERR_ARGUMENT);
  EXPECT_STREQ(rule, "job->out_rule is too large");
}

}  // namespace
}  // namespace mxe::test
