// SPDX-License-Identifier: Apache-2.0
// Cycles of consecutive jobs in the ring, from their completion records:
//
//     mxe_queue_cost model|rtl CONFIG LATENCY WHEN bf16|fp32 M N K COUNT [M N K COUNT ...]
//
// runs COUNT jobs of each shape in a ring of 16 entries that is kept full; prints the cycles of all
// jobs but the first, and their number. WHEN operands are read: after the previous jobs (`turn`),
// `early`, or `layers`: early except for the first job of each shape, as if a shape were a layer
// that reads the results of the layer before it. Operands are mxfp8_e4m3, results bf16 or fp32.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "model/platform/device/engines.h"
#include "model/platform/platform.h"
#include "mxe_regs.h"

namespace mxe::test {
namespace {

constexpr unsigned kEntries = 16, kEntriesLog2 = 4;

struct Shape {
  uint32_t m, n, k;
  bool early;
};

class Queue {
 public:
  Queue(platform::Host& host, bool fp32)
      : host_(host), fp32_(fp32), ring_(host.allocate(2048, 2048)) {}

  uint64_t run(const std::vector<Shape>& jobs) {
    for (const Shape& shape : jobs) places_.push_back(place(shape));
    host_.write32(MXE_REG_RING_BASE_LO, static_cast<uint32_t>(ring_));
    host_.write32(MXE_REG_RING_BASE_HI, static_cast<uint32_t>(ring_ >> 32));
    host_.write32(MXE_REG_RING_SIZE_LOG2, kEntriesLog2);
    host_.write32(MXE_REG_CTRL, MXE_CTRL_ENABLE_MASK);
    uint64_t cycles = 0;
    for (std::size_t put = 0, done = 0; done < jobs.size();) {
      for (; put < jobs.size() && put - done < kEntries; put++) describe(put, jobs[put]);
      host_.write32(MXE_REG_RING_TAIL, static_cast<uint32_t>(put));
      const uint32_t head = host_.read32(MXE_REG_RING_HEAD);
      for (; done < head; done++) cycles += done == 0 ? 0 : ended(done);
      host_.wait_cycles(20);
    }
    return cycles;
  }

 private:
  struct Place {
    uint64_t a, b, a_scales, b_scales, d;
  };

  Place place(const Shape& s) {
    const uint32_t scales = (s.k + 31) / 32;
    return {host_.allocate(s.m * s.k, 64), host_.allocate(s.n * s.k, 64),
            host_.allocate(s.m * scales, 64), host_.allocate(s.n * scales, 64),
            host_.allocate(s.m * s.n * result_bytes(), 64)};
  }
  uint8_t* entry(std::size_t job) {
    return host_.memory().data(ring_ + job % kEntries * MXE_DESC_SIZE, MXE_DESC_SIZE);
  }
  void put(std::size_t job, uint32_t offset, uint64_t value, std::size_t bytes = 4) {
    std::memcpy(entry(job) + offset, &value, bytes);
  }
  void describe(std::size_t job, const Shape& s) {
    const Place& at = places_[job];
    std::memset(entry(job), 0, MXE_DESC_SIZE);
    put(job, MXE_DESC_CONTROL,
        MXE_FORMAT_MXFP8_E4M3 << MXE_DESC_CONTROL_FMT_A_SHIFT |
            MXE_FORMAT_MXFP8_E4M3 << MXE_DESC_CONTROL_FMT_B_SHIFT |
            (fp32_ ? MXE_OUT_FP32 : MXE_OUT_BF16) << MXE_DESC_CONTROL_OUT_FMT_SHIFT |
            (s.early ? MXE_DESC_CONTROL_EARLY_MASK : 0));
    put(job, MXE_DESC_M, s.m);
    put(job, MXE_DESC_N, s.n);
    put(job, MXE_DESC_K, s.k);
    put(job, MXE_DESC_A_ADDR, at.a, 8);
    put(job, MXE_DESC_B_ADDR, at.b, 8);
    put(job, MXE_DESC_A_SCALE_ADDR, at.a_scales, 8);
    put(job, MXE_DESC_B_SCALE_ADDR, at.b_scales, 8);
    put(job, MXE_DESC_D_ADDR, at.d, 8);
    put(job, MXE_DESC_A_STRIDE, s.k);
    put(job, MXE_DESC_B_STRIDE, s.k);
    put(job, MXE_DESC_A_SCALE_STRIDE, (s.k + 31) / 32);
    put(job, MXE_DESC_B_SCALE_STRIDE, (s.k + 31) / 32);
    put(job, MXE_DESC_D_STRIDE, s.n * result_bytes());
  }
  uint64_t ended(std::size_t job) {
    uint32_t status = 0;
    uint64_t cycles = 0;
    std::memcpy(&status, entry(job) + MXE_DESC_STATUS, 4);
    std::memcpy(&cycles, entry(job) + MXE_DESC_CYCLES, 8);
    if (status != MXE_STATUS_OK) std::fprintf(stderr, "job %zu ended with %u\n", job, status);
    return cycles;
  }

  uint32_t result_bytes() const { return fp32_ ? 4 : 2; }

  platform::Host& host_;
  bool fp32_;
  uint64_t ring_;
  std::vector<Place> places_;
};

}  // namespace
}  // namespace mxe::test

int sc_main(int argc, char** argv) {
  if (argc < 10 || argc % 4 != 2) return 2;
  const mxe::device::Target target =
      std::string(argv[1]) == "rtl" ? mxe::device::Target::rtl : mxe::device::Target::model;
  mxe::device::EngineSetup setup;
  setup.params = mxe::Params::named(argv[2]);
  setup.timing.latency = static_cast<unsigned>(std::atoi(argv[3]));
  std::vector<mxe::test::Shape> jobs;
  const std::string when = argv[4];
  for (int i = 6; i + 3 < argc; i += 4) {
    const auto number = [&](int at) { return static_cast<uint32_t>(std::atoi(argv[i + at])); };
    const std::size_t first = jobs.size();
    jobs.insert(jobs.end(), number(3), {number(0), number(1), number(2), when != "turn"});
    if (when == "layers") jobs[first].early = false;
  }
  mxe::platform::Memory::Config memory;
  memory.timing = setup.timing;
  mxe::platform::Platform platform("platform", memory,
                                   [&] { return mxe::device::make_engine(target, setup); });
  const bool fp32 = std::string(argv[5]) == "fp32";
  uint64_t cycles = 0;
  platform.run([&](mxe::platform::Host& host) { cycles = mxe::test::Queue(host, fp32).run(jobs); });
  std::printf("%llu %zu\n", static_cast<unsigned long long>(cycles), jobs.size() - 1);
  return 0;
}
