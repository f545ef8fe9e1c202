// SPDX-License-Identifier: Apache-2.0
// One script on the model and on the RTL: software must see the same values at the same times.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/job/output.h"
#include "model/numerics/gemm/accumulate.h"
#include "model/platform/clock.h"
#include "model/platform/engine.h"
#include "model/platform/platform.h"
#include "model/platform/rtl/rtl_engine.h"
#include "mxe_reg_table.h"
#include "mxe_regs.h"
#include "tb/cosim/cosim_job.h"
#include "tb/cosim/job_generator.h"
#include "tb/cosim/job_image.h"
#include "tests/cosim/odd_designs.h"

namespace mxe::test {
namespace {

constexpr uint64_t kOutside = 0x1000;  // no memory there
constexpr std::size_t kSlotBytes = 128;
constexpr unsigned kRingLog2 = 2;
constexpr uint64_t kManyCycles = 100'000;

class Bench {
 public:
  Bench(platform::Host& h, const Params& p)
      : host(h), params(p), start_(platform::current_cycle()) {
    ring_ = host.allocate(kSlotBytes << kRingLog2);
    std::memset(host.memory().data(ring_, kSlotBytes << kRingLog2), 0, kSlotBytes << kRingLog2);
  }

  void log(const std::string& line) { lines.push_back(line); }
  void log_timed(const std::string& line) {
    log(fmt::format("{:6}: {}", platform::current_cycle() - start_, line));
  }

  void write(uint32_t offset, uint32_t value) { host.write32(offset, value); }
  uint32_t read(uint32_t offset) { return host.read32(offset); }

  void enable() {
    write(MXE_REG_RING_BASE_LO, static_cast<uint32_t>(ring_));
    write(MXE_REG_RING_BASE_HI, static_cast<uint32_t>(ring_ >> 32));
    write(MXE_REG_RING_SIZE_LOG2, kRingLog2);
    write(MXE_REG_IRQ_MASK, 0xF);
    write(MXE_REG_CTRL, MXE_CTRL_ENABLE_MASK | MXE_CTRL_COUNTER_CLEAR_MASK);
  }

  uint64_t slot(unsigned index) const { return ring_ + index % (1u << kRingLog2) * kSlotBytes; }
  void put(unsigned index, const engine::DescriptorBytes& bytes) {
    std::memcpy(host.memory().data(slot(index), kSlotBytes), bytes.data(), kSlotBytes);
  }
  uint32_t record_word(unsigned index, std::size_t offset) {
    uint32_t word;
    std::memcpy(&word, host.memory().data(slot(index) + offset, 4), 4);
    return word;
  }

  uint64_t fault_address() {
    return read(MXE_REG_FAULT_ADDR_LO) | uint64_t{read(MXE_REG_FAULT_ADDR_HI)} << 32;
  }

  /// Submits a descriptor and waits; logs interrupts, record and status and, if `timed`, cycles.
  void run(const engine::DescriptorBytes& bytes, const std::string& name, bool timed = true) {
    put(next_, bytes);
    const unsigned index = next_++;
    const uint64_t begin = platform::current_cycle();
    write(MXE_REG_RING_TAIL, next_ & 0xFFFF);
    const bool irq = host.wait_irq(platform::cycles_to_time(kManyCycles));
    const uint64_t end = platform::current_cycle();
    log(fmt::format("{}: irq {} status {:#x}, record {} job {:#x}", name, irq,
                    read(MXE_REG_IRQ_STATUS), record_word(index, MXE_DESC_STATUS),
                    record_word(index, MXE_DESC_DONE_JOB_ID)));
    log(fmt::format("last job {:#x} status {}, head {}, busy/empty {:#x}", read(MXE_REG_LAST_JOB),
                    read(MXE_REG_LAST_STATUS), read(MXE_REG_RING_HEAD), read(MXE_REG_STATUS)));
    if (timed) {
      log(fmt::format("took {}, the record says {}", end - begin,
                      record_word(index, MXE_DESC_CYCLES)));
    }
    write(MXE_REG_IRQ_STATUS, 0xF);
    log(fmt::format("irq after clearing {}", host.irq.read()));
  }

  cosim::JobSpec spec(uint64_t seed) const {
    cosim::JobMix mix;
    mix.max_m = mix.max_n = 12;
    mix.max_k = 100;
    return cosim::JobGenerator(params, seed, mix).next_spec();
  }
  /// Writes the memory of a legal job and keeps the job in job_.
  cosim::JobImage job(uint64_t seed) { return job(spec(seed), seed); }
  cosim::JobImage job(const cosim::JobSpec& spec, uint64_t seed) {
    job_ = cosim::make_job(spec);
    cosim::JobImage image(job_, host.allocate(1 << 18), seed);
    std::memcpy(host.memory().data(image.address(), image.before().size()), image.before().data(),
                image.before().size());
    return image;
  }
  void run_legal_job(uint64_t seed) {
    const uint64_t mark = host.allocation_mark();
    const cosim::JobImage image = job(seed);
    run(descriptor(image), "legal job");
    const std::vector<uint8_t> expected = image.after(job_.expected(params.fp4_dual != 0).stored);
    const bool same = std::memcmp(host.memory().data(image.address(), expected.size()),
                                  expected.data(), expected.size()) == 0;
    log(fmt::format("results {}", same ? "right" : "WRONG"));
    EXPECT_TRUE(same);
    EXPECT_EQ(record_word(next_ - 1, MXE_DESC_STATUS), MXE_STATUS_OK);
    host.release(mark);
  }

  engine::DescriptorBytes descriptor(const cosim::JobImage& image) const {
    const mxe_job& j = image.descriptor();
    engine::DescriptorBytes bytes{};
    const auto put32 = [&](std::size_t at, uint32_t v) { std::memcpy(&bytes[at], &v, 4); };
    const auto put64 = [&](std::size_t at, uint64_t v) { std::memcpy(&bytes[at], &v, 8); };
    put32(MXE_DESC_JOB_ID, 0xABC00000 + next_);
    put32(MXE_DESC_CONTROL, j.format_a | j.format_b << MXE_DESC_CONTROL_FMT_B_SHIFT |
                                j.out_format << MXE_DESC_CONTROL_OUT_FMT_SHIFT |
                                j.out_rule << MXE_DESC_CONTROL_OUT_RULE_SHIFT |
                                (j.out_overflow ? MXE_DESC_CONTROL_OUT_OVERFLOW_MASK : 0) |
                                (j.bias ? MXE_DESC_CONTROL_BIAS_EN_MASK : 0) |
                                (j.bias_bf16 ? MXE_DESC_CONTROL_BIAS_BF16_MASK : 0) |
                                j.scale_a << MXE_DESC_CONTROL_SCALE_A_SHIFT |
                                j.scale_b << MXE_DESC_CONTROL_SCALE_B_SHIFT |
                                j.block_a << MXE_DESC_CONTROL_BLOCK_A_SHIFT |
                                j.block_b << MXE_DESC_CONTROL_BLOCK_B_SHIFT |
                                (j.alpha ? MXE_DESC_CONTROL_ALPHA_EN_MASK : 0));
    put32(MXE_DESC_ALPHA, j.alpha_bits);
    put32(MXE_DESC_M, j.m);
    put32(MXE_DESC_N, j.n);
    put32(MXE_DESC_K, j.k);
    put32(MXE_DESC_BATCH, j.batch);
    put64(MXE_DESC_A_ADDR, j.a_addr);
    put64(MXE_DESC_B_ADDR, j.b_addr);
    put64(MXE_DESC_A_SCALE_ADDR, j.a_scale_addr);
    put64(MXE_DESC_B_SCALE_ADDR, j.b_scale_addr);
    put64(MXE_DESC_C_ADDR, j.c_addr);
    put64(MXE_DESC_D_ADDR, j.d_addr);
    put64(MXE_DESC_D_SCALE_ADDR, j.d_scale_addr);
    put32(MXE_DESC_A_STRIDE, j.a_stride);
    put32(MXE_DESC_B_STRIDE, j.b_stride);
    put32(MXE_DESC_A_SCALE_STRIDE, j.a_scale_stride);
    put32(MXE_DESC_B_SCALE_STRIDE, j.b_scale_stride);
    put32(MXE_DESC_C_STRIDE, j.c_stride);
    put32(MXE_DESC_D_STRIDE, j.d_stride);
    put32(MXE_DESC_D_SCALE_STRIDE, j.d_scale_stride);
    return bytes;
  }

  unsigned next() const { return next_; }
  void skip_to(unsigned next) { next_ = next; }

  platform::Host& host;
  Params params;
  std::vector<std::string> lines;

 private:
  uint64_t start_, ring_;
  unsigned next_ = 0;
  cosim::CosimJob job_;
};

using Script = std::function<void(Bench&)>;

void run_on_both(const Script& script, const Params& params = Params::named("small"),
                 const rtl::RtlOptions& rtl_options = {}) {
  platform::Memory::Config memory;
  memory.size = 1 << 24;
  platform::Platform model("model", memory,
                           [&] { return std::make_unique<platform::Engine>("engine", params); });
  platform::Platform rtl("rtl", memory, [&] {
    return std::make_unique<rtl::RtlEngine>("engine", params, rtl_options);
  });
  std::array<std::vector<std::string>, 2> logs;
  const auto start = [&](platform::Platform& platform, std::vector<std::string>& log) {
    platform.host().start([&](platform::Host& host) {
      Bench bench(host, params);
      script(bench);
      log = bench.lines;
    });
  };
  start(model, logs[0]);
  start(rtl, logs[1]);
  platform::run_hosts({&model.host(), &rtl.host()});
  ASSERT_EQ(logs[0].size(), logs[1].size());
  EXPECT_FALSE(logs[0].empty());
  for (std::size_t i = 0; i < logs[0].size(); i++) {
    EXPECT_EQ(logs[0][i], logs[1][i]) << "line " << i << " (model, RTL)";
  }
}

void set32(engine::DescriptorBytes& bytes, std::size_t offset, uint32_t value) {
  std::memcpy(&bytes[offset], &value, 4);
}

TEST(Engines, EveryRegister) {
  run_on_both([](Bench& bench) {
    for (const RegisterInfo& info : register_table) {
      bench.log_timed(fmt::format("{} {:#x}", info.name, bench.read(info.offset)));
    }
    for (const uint32_t value : {0xFFFF'FFFFu, 0u, 0xA5A5'5A5Au}) {
      for (const RegisterInfo& info : register_table) {
        // No doorbell and no soft reset here.
        if (info.offset == MXE_REG_RING_TAIL) continue;
        const uint32_t written = info.offset == MXE_REG_CTRL ? value & MXE_CTRL_ENABLE_MASK : value;
        const bool ok = bench.host.try_write(info.offset, written);
        EXPECT_EQ(ok, info.access == RegisterAccess::read_write) << info.name;
        bench.log_timed(fmt::format("{} {} {:#x}", info.name, ok, bench.read(info.offset)));
      }
    }
  });
}

TEST(Engines, RefusedAccesses) {
  run_on_both([](Bench& bench) {
    std::vector<uint32_t> offsets{0xFFC, 0x001, 0x042};
    for (const RegisterInfo& info : register_table) {
      if (!find_register(info.offset + 4)) offsets.push_back(info.offset + 4);
    }
    for (const uint32_t offset : offsets) {
      uint32_t value = 1;
      EXPECT_FALSE(bench.host.try_read(offset, value)) << offset;
      EXPECT_EQ(value, 0u);
      EXPECT_FALSE(bench.host.try_write(offset, 1)) << offset;
      bench.log_timed("refused");
    }
    // A write with a byte strobe clear changes nothing.
    uint32_t data = 0xFFFF'FFFF;
    for (unsigned strobe = 0; strobe < 16; strobe++) {
      std::array<uint8_t, 4> enables{};
      for (unsigned i = 0; i < 4; i++) enables[i] = strobe >> i & 1 ? 0xFF : 0;
      tlm::tlm_generic_payload payload;
      payload.set_command(tlm::TLM_WRITE_COMMAND);
      payload.set_address(MXE_REG_IRQ_MASK);
      payload.set_data_ptr(reinterpret_cast<uint8_t*>(&data));
      payload.set_data_length(4);
      payload.set_streaming_width(4);
      payload.set_byte_enable_ptr(enables.data());
      payload.set_byte_enable_length(4);
      sc_core::sc_time delay;
      bench.host.regs->b_transport(payload, delay);
      if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
      EXPECT_EQ(payload.is_response_ok(), strobe == 15) << strobe;
      bench.log_timed(fmt::format("mask {:#x}", bench.read(MXE_REG_IRQ_MASK)));
    }
  });
}

void expect_status(Bench& bench, const std::string& name, uint32_t status,
                   const std::function<void(engine::DescriptorBytes&)>& spoil) {
  const uint64_t mark = bench.host.allocation_mark();
  engine::DescriptorBytes bytes = bench.descriptor(bench.job(77));
  spoil(bytes);
  const unsigned index = bench.next();
  bench.run(bytes, name);
  EXPECT_EQ(bench.record_word(index, MXE_DESC_STATUS), status) << name;
  bench.host.release(mark);
}

TEST(Engines, EveryReservedBit) {
  run_on_both([](Bench& bench) {
    bench.enable();
    for (const DescriptorWordInfo& info : descriptor_table) {
      for (unsigned bit = 0; bit < info.bits; bit++) {
        if ((info.reserved_mask >> bit & 1) == 0) continue;
        expect_status(bench, fmt::format("{} bit {}", info.name, bit), MXE_STATUS_ERR_DESCRIPTOR,
                      [&](engine::DescriptorBytes& bytes) {
                        bytes[info.offset + bit / 8] =
                            static_cast<uint8_t>(bytes[info.offset + bit / 8] | 1u << (bit % 8));
                      });
      }
    }
    bench.run_legal_job(1);
  });
}

TEST(Engines, IllegalDescriptors) {
  run_on_both([](Bench& bench) {
    bench.enable();
    for (const std::size_t size : {MXE_DESC_M, MXE_DESC_N, MXE_DESC_K}) {
      expect_status(bench, "zero size", MXE_STATUS_ERR_SHAPE,
                    [&](engine::DescriptorBytes& bytes) { set32(bytes, size, 0); });
    }
    for (unsigned code = MXE_FORMAT_COUNT; code < 16; code++) {
      expect_status(bench, "format of A", MXE_STATUS_ERR_FORMAT,
                    [&](engine::DescriptorBytes& bytes) { set32(bytes, MXE_DESC_CONTROL, code); });
      expect_status(
          bench, "format of B", MXE_STATUS_ERR_FORMAT,
          [&](engine::DescriptorBytes& bytes) { set32(bytes, MXE_DESC_CONTROL, code << 4); });
    }
    for (unsigned code = 0; code < 16; code++) {
      if (job::find_number_format(code) || code - MXE_OUT_MXFP4_E2M1 < MXE_FORMAT_COUNT) continue;
      expect_status(bench, "output format", MXE_STATUS_ERR_OUT_FORMAT,
                    [&](engine::DescriptorBytes& bytes) {
                      bytes[MXE_DESC_CONTROL + 1] = static_cast<uint8_t>(code);
                    });
    }
    bench.run_legal_job(2);
    // If several rules are broken, the one with the lowest status code is reported.
    expect_status(bench, "everything", MXE_STATUS_ERR_DESCRIPTOR,
                  [](engine::DescriptorBytes& bytes) { bytes.fill(0xFF); });
    expect_status(bench, "nothing", MXE_STATUS_ERR_SHAPE,
                  [](engine::DescriptorBytes& bytes) { bytes.fill(0); });
    expect_status(bench, "shape before format", MXE_STATUS_ERR_SHAPE,
                  [](engine::DescriptorBytes& bytes) {
                    set32(bytes, MXE_DESC_CONTROL, 0x7FF);
                    set32(bytes, MXE_DESC_K, 0);
                  });
    expect_status(bench, "format before output", MXE_STATUS_ERR_FORMAT,
                  [](engine::DescriptorBytes& bytes) {
                    set32(bytes, MXE_DESC_CONTROL, 0x70F);
                    set32(bytes, MXE_DESC_D_STRIDE, 1);
                  });
    expect_status(bench, "output before alignment", MXE_STATUS_ERR_OUT_FORMAT,
                  [](engine::DescriptorBytes& bytes) {
                    set32(bytes, MXE_DESC_CONTROL, 0x700);
                    set32(bytes, MXE_DESC_D_STRIDE, 1);
                  });
    bench.run_legal_job(3);
  });
}

/// Each misaligned remainder of addresses and strides of C and D, for each size of their numbers.
TEST(Engines, Alignment) {
  run_on_both([](Bench& bench) {
    bench.enable();
    for (const char* output : {"fp32", "bf16", "mxfp6_e2m3"}) {
      for (const bool bias_bf16 : {false, true}) {
        cosim::JobSpec spec;
        spec.m = 2;
        spec.n = 3;
        spec.output = job::parse_output_format(output);
        spec.bias_bf16 = bias_bf16;
        const unsigned c = bias_bf16 ? 2 : 4, d = spec.output.alignment();
        for (const auto& [field, size] : {std::pair(MXE_DESC_C_ADDR, c),
                                          {MXE_DESC_C_STRIDE, c},
                                          {MXE_DESC_D_ADDR, d},
                                          {MXE_DESC_D_STRIDE, d}}) {
          for (unsigned low = 1; low <= 3; low++) {
            if (low % size == 0) continue;
            const uint64_t mark = bench.host.allocation_mark();
            engine::DescriptorBytes bytes = bench.descriptor(bench.job(spec, 1));
            bytes[field] = static_cast<uint8_t>(bytes[field] / 4 * 4 + low);
            const unsigned index = bench.next();
            bench.run(bytes, fmt::format("{} {} {:#x} {}", output, bias_bf16, field, low));
            EXPECT_EQ(bench.record_word(index, MXE_DESC_STATUS), MXE_STATUS_ERR_ALIGN);
            bench.host.release(mark);
          }
        }
      }
    }
    bench.run_legal_job(4);
  });
}

TEST(Engines, PairsTooWideForTheTree) {
  const OddDesign narrow = odd_design("narrow").value();
  rtl::RtlOptions options;
  options.make_top = narrow.make_top;
  run_on_both(
      [&](Bench& bench) {
        bench.enable();
        // The ring is larger than this engine's queue, so it is made smaller.
        bench.write(MXE_REG_RING_SIZE_LOG2, 1);
        unsigned refused = 0;
        for (const numerics::FormatId a : numerics::kAllFormats) {
          for (const numerics::FormatId b : numerics::kAllFormats) {
            const uint64_t mark = bench.host.allocation_mark();
            engine::DescriptorBytes bytes = bench.descriptor(bench.job(cosim::JobSpec{}, 5));
            set32(bytes, MXE_DESC_CONTROL,
                  static_cast<uint32_t>(a) | static_cast<uint32_t>(b) << 4);
            set32(bytes, MXE_DESC_K, 1);
            std::memcpy(bench.host.memory().data(bench.slot(bench.next() % 2), kSlotBytes),
                        bytes.data(), kSlotBytes);
            const unsigned slot = bench.next() % 2;
            bench.skip_to(bench.next() + 1);
            bench.write(MXE_REG_RING_TAIL, bench.next());
            EXPECT_TRUE(bench.host.wait_irq(platform::cycles_to_time(kManyCycles)));
            bench.write(MXE_REG_IRQ_STATUS, 0xF);
            const uint32_t status = bench.record_word(slot, MXE_DESC_STATUS);
            bench.log_timed(
                fmt::format("{} x {}: {}", static_cast<int>(a), static_cast<int>(b), status));
            const bool fits = numerics::pair_tree_width(a, b) <= narrow.params.tree_w;
            EXPECT_EQ(status, fits ? MXE_STATUS_OK : MXE_STATUS_ERR_PAIR);
            refused += !fits;
            bench.host.release(mark);
          }
        }
        EXPECT_EQ(refused, 9u);
      },
      narrow.params, options);
}

struct Operand {
  const char* name;
  std::size_t field;
  uint32_t status;
  uint32_t fault;  // MXE_FAULT_...
};

class BusErrors : public testing::TestWithParam<Operand> {};

TEST_P(BusErrors, CompleteTheJobAndLeaveTheEngineUsable) {
  const Operand operand = GetParam();
  run_on_both([&](Bench& bench) {
    bench.enable();
    for (uint64_t seed = 0; seed < 12; seed++) {
      const uint64_t mark = bench.host.allocation_mark();
      cosim::JobSpec spec = bench.spec(100 + seed);
      if (operand.field == MXE_DESC_C_ADDR) spec.bias = job::BiasKind::full;
      if (operand.field == MXE_DESC_D_SCALE_ADDR) spec.output.kind = job::OutputFormat::Kind::mx;
      engine::DescriptorBytes bytes = bench.descriptor(bench.job(spec, 100 + seed));
      uint64_t address;
      std::memcpy(&address, &bytes[operand.field], 8);
      const uint64_t outside = kOutside + seed * 4;
      const bool slave_error = seed % 2 == 0;
      // SLVERR from a faulty range, or DECERR from an address without memory.
      if (slave_error) bench.host.memory().add_fault(address, 4);
      std::memcpy(&bytes[operand.field], slave_error ? &address : &outside, 8);
      const unsigned index = bench.next();
      bench.run(bytes, operand.name, false);
      EXPECT_EQ(bench.record_word(index, MXE_DESC_STATUS), operand.status);
      const uint64_t expected = slave_error ? address : outside;
      const uint64_t beat = Params::named("small").mem_bytes();
      EXPECT_EQ(bench.fault_address(), expected / beat * beat);
      const bool write = operand.status == MXE_STATUS_ERR_WRITE;
      EXPECT_EQ(bench.read(MXE_REG_FAULT_INFO), operand.fault |
                                                    (write ? MXE_FAULT_INFO_WRITE_MASK : 0) |
                                                    index << MXE_FAULT_INFO_INDEX_SHIFT);
      bench.host.memory().clear_faults();
      bench.host.release(mark);
      bench.run_legal_job(200 + seed);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(
    Engines, BusErrors,
    testing::Values(
        Operand{"A", MXE_DESC_A_ADDR, MXE_STATUS_ERR_READ, MXE_FAULT_A},
        Operand{"B", MXE_DESC_B_ADDR, MXE_STATUS_ERR_READ, MXE_FAULT_B},
        Operand{"AScale", MXE_DESC_A_SCALE_ADDR, MXE_STATUS_ERR_READ, MXE_FAULT_A_SCALES},
        Operand{"BScale", MXE_DESC_B_SCALE_ADDR, MXE_STATUS_ERR_READ, MXE_FAULT_B_SCALES},
        Operand{"C", MXE_DESC_C_ADDR, MXE_STATUS_ERR_READ, MXE_FAULT_C},
        Operand{"D", MXE_DESC_D_ADDR, MXE_STATUS_ERR_WRITE, MXE_FAULT_D},
        Operand{"DScale", MXE_DESC_D_SCALE_ADDR, MXE_STATUS_ERR_WRITE, MXE_FAULT_D_SCALES}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Engines, UnreadableDescriptor) {
  run_on_both([](Bench& bench) {
    bench.enable();
    bench.run_legal_job(1);
    bench.host.memory().add_fault(bench.slot(1) + 100, 1);
    bench.run(engine::DescriptorBytes{}, "unreadable", false);
    EXPECT_EQ(bench.read(MXE_REG_LAST_STATUS), MXE_STATUS_ERR_FETCH);
    EXPECT_EQ(bench.read(MXE_REG_LAST_JOB), 0u);
    EXPECT_EQ(bench.fault_address(), bench.slot(1));
    EXPECT_EQ(bench.read(MXE_REG_FAULT_INFO),
              MXE_FAULT_DESCRIPTOR | 1u << MXE_FAULT_INFO_INDEX_SHIFT);
    EXPECT_EQ(bench.record_word(1, MXE_DESC_STATUS), MXE_STATUS_PENDING);
    bench.host.memory().clear_faults();
    bench.run_legal_job(2);
  });
}

TEST(Engines, RingOverflow) {
  run_on_both([](Bench& bench) {
    bench.enable();
    const auto overflow = [&](uint32_t tail, const char* name) {
      bench.write(MXE_REG_RING_TAIL, tail);
      EXPECT_TRUE(bench.host.wait_irq(platform::cycles_to_time(100))) << name;
      EXPECT_EQ(bench.read(MXE_REG_IRQ_STATUS), MXE_IRQ_STATUS_RING_OVERFLOW_MASK) << name;
      bench.log_timed(fmt::format("{}: status {:#x} tail {}", name, bench.read(MXE_REG_STATUS),
                                  bench.read(MXE_REG_RING_TAIL)));
      bench.write(MXE_REG_IRQ_STATUS, 0xF);
    };
    overflow((1u << kRingLog2) + 1, "one too many");
    overflow(0xFFFF, "backwards");
    bench.write(MXE_REG_RING_SIZE_LOG2, 5);
    overflow(1, "ring larger than the queue");
    bench.write(MXE_REG_RING_SIZE_LOG2, 31);
    overflow(1, "ring far larger than the queue");
    bench.write(MXE_REG_RING_SIZE_LOG2, kRingLog2);
    for (uint64_t seed = 0; seed < 10; seed++) bench.run_legal_job(seed);  // wraps around the ring
  });
}

TEST(Engines, AFullRingRunsInOrder) {
  run_on_both([](Bench& bench) {
    bench.enable();
    std::vector<cosim::JobImage> images;
    for (unsigned i = 0; i < 1u << kRingLog2; i++) {
      images.push_back(bench.job(i));
      engine::DescriptorBytes bytes = bench.descriptor(images.back());
      set32(bytes, MXE_DESC_JOB_ID, 1000 + i);
      bench.put(i, bytes);
    }
    bench.write(MXE_REG_IRQ_MASK, MXE_IRQ_MASK_DONE_MASK);
    bench.write(MXE_REG_RING_TAIL, 1u << kRingLog2);
    for (int seen = 0; seen < 100 && bench.read(MXE_REG_RING_HEAD) != 1u << kRingLog2; seen++) {
      bench.host.wait_irq(platform::cycles_to_time(kManyCycles));
      bench.log_timed(fmt::format("irq {:#x}, last job {}, head {}, status {:#x}",
                                  bench.read(MXE_REG_IRQ_STATUS), bench.read(MXE_REG_LAST_JOB),
                                  bench.read(MXE_REG_RING_HEAD), bench.read(MXE_REG_STATUS)));
      bench.write(MXE_REG_IRQ_STATUS, MXE_IRQ_STATUS_DONE_MASK);
    }
    bench.log_timed(fmt::format("irq {:#x}", bench.read(MXE_REG_IRQ_STATUS)));
  });
}

TEST(Engines, ADisabledEngineWaits) {
  run_on_both([](Bench& bench) {
    bench.enable();
    bench.write(MXE_REG_CTRL, 0);
    bench.put(0, bench.descriptor(bench.job(3)));
    bench.write(MXE_REG_RING_TAIL, 1);
    EXPECT_FALSE(bench.host.wait_irq(platform::cycles_to_time(2000)));
    bench.log_timed(fmt::format("status {:#x}", bench.read(MXE_REG_STATUS)));
    bench.write(MXE_REG_CTRL, MXE_CTRL_ENABLE_MASK);
    EXPECT_TRUE(bench.host.wait_irq(platform::cycles_to_time(kManyCycles)));
    bench.log_timed(fmt::format("irq {:#x} cycles {}", bench.read(MXE_REG_IRQ_STATUS),
                                bench.record_word(0, MXE_DESC_CYCLES)));
    // If it is disabled during a job, the engine finishes that job and starts no other.
    bench.write(MXE_REG_IRQ_STATUS, 0xF);
    bench.put(1, bench.descriptor(bench.job(4)));
    bench.put(2, bench.descriptor(bench.job(5)));
    bench.write(MXE_REG_RING_TAIL, 3);
    bench.host.wait_cycles(100);
    bench.write(MXE_REG_CTRL, 0);
    EXPECT_TRUE(bench.host.wait_irq(platform::cycles_to_time(kManyCycles)));
    bench.host.wait_cycles(1000);
    EXPECT_EQ(bench.read(MXE_REG_RING_HEAD), 2u);
    bench.log_timed(fmt::format("irq {:#x}", bench.read(MXE_REG_IRQ_STATUS)));
  });
}

TEST(Engines, InterruptsAreMaskedOneByOne) {
  run_on_both([](Bench& bench) {
    bench.enable();
    for (uint32_t mask = 0; mask < 16; mask++) {
      bench.write(MXE_REG_IRQ_MASK, mask);
      const bool legal = mask % 2 == 0;
      engine::DescriptorBytes bytes = bench.descriptor(bench.job(mask));
      if (!legal) set32(bytes, MXE_DESC_M, 0);
      bench.put(bench.next(), bytes);
      bench.skip_to(bench.next() + 1);
      bench.write(MXE_REG_RING_TAIL, bench.next());
      const bool irq = bench.host.wait_irq(platform::cycles_to_time(20'000));
      bench.log_timed(fmt::format("mask {:#x}: {}", mask, irq));
      const uint32_t raised = MXE_IRQ_STATUS_QUEUE_EMPTY_MASK |
                              (legal ? MXE_IRQ_STATUS_DONE_MASK : MXE_IRQ_STATUS_ERROR_MASK);
      EXPECT_EQ(irq, (mask & raised) != 0) << mask;
      bench.host.wait_cycles(50);
      EXPECT_EQ(bench.read(MXE_REG_IRQ_STATUS), raised) << mask;
      // Each bit is cleared separately; the interrupt pin follows the remaining ones.
      for (unsigned bit = 0; bit < 4; bit++) {
        bench.write(MXE_REG_IRQ_STATUS, 1u << bit);
        bench.host.wait_cycles(3);
        bench.log_timed(fmt::format("after {}: status {:#x} line {}", bit,
                                    bench.read(MXE_REG_IRQ_STATUS), bench.host.irq.read()));
      }
    }
  });
}

TEST(Engines, SoftResetAtAnyTime) {
  run_on_both([](Bench& bench) {
    bench.enable();
    for (unsigned wait = 0; wait < 400; wait += 3) {
      bench.skip_to(0);
      const uint64_t mark = bench.host.allocation_mark();
      for (unsigned i = 0; i < 3; i++) bench.put(i, bench.descriptor(bench.job(wait + i)));
      bench.write(MXE_REG_RING_TAIL, 3);
      bench.host.wait_cycles(1 + wait);
      bench.write(MXE_REG_CTRL, MXE_CTRL_ENABLE_MASK | MXE_CTRL_SOFT_RESET_MASK);
      unsigned polls = 0;
      while (bench.read(MXE_REG_STATUS) != MXE_STATUS_EMPTY_MASK && polls < 1000) polls++;
      EXPECT_LT(polls, 1000u) << wait;
      EXPECT_EQ(bench.read(MXE_REG_RING_HEAD), 0u);
      bench.log(fmt::format("wait {}: last status {}, irq {:#x}", wait,
                            bench.read(MXE_REG_LAST_STATUS), bench.read(MXE_REG_IRQ_STATUS)));
      bench.write(MXE_REG_IRQ_STATUS, 0xF);
      bench.host.release(mark);
      bench.run_legal_job(wait);
      bench.write(MXE_REG_CTRL, MXE_CTRL_ENABLE_MASK | MXE_CTRL_SOFT_RESET_MASK);
      bench.host.wait_cycles(10);
    }
  });
}

constexpr unsigned kCounterWords = 28;

// Software cannot see that the simulation stops the clock of an idle engine.
TEST(Engines, IdleTimeIsCounted) {
  run_on_both([](Bench& bench) {
    bench.enable();  // clears the counters in the last cycle of the access
    const uint64_t cleared = platform::current_cycle();
    for (const unsigned pause : {10u, 300u, 1000000u, 777u}) {
      bench.host.wait_cycles(pause);
      bench.write(MXE_REG_CTRL, MXE_CTRL_ENABLE_MASK | MXE_CTRL_COUNTER_SNAPSHOT_MASK);
      const uint64_t counted =
          platform::current_cycle() - cleared - 1;  // without the cycle that clears them
      EXPECT_EQ(bench.read(MXE_REG_TOTAL_LO), counted);
      EXPECT_EQ(bench.read(MXE_REG_IDLE_LO), counted);
      bench.log_timed("counted");
    }
    bench.write(MXE_REG_CTRL, MXE_CTRL_COUNTER_SNAPSHOT_MASK);  // disabled
    const uint32_t total = bench.read(MXE_REG_TOTAL_LO);
    bench.host.wait_cycles(100'000);
    bench.write(MXE_REG_CTRL, MXE_CTRL_COUNTER_SNAPSHOT_MASK);
    EXPECT_EQ(bench.read(MXE_REG_TOTAL_LO), total);
  });
}

TEST(Engines, AnAccessWaitsForNothing) {
  run_on_both([](Bench& bench) {
    bench.enable();
    bench.run(bench.descriptor(bench.job(3)), "before");
    for (uint64_t pause = 0; pause < 600; pause++) {
      bench.host.wait_cycles(pause);
      const uint64_t begin = platform::current_cycle();
      bench.read(MXE_REG_ID);
      EXPECT_EQ(platform::current_cycle() - begin, 3u) << "after " << pause << " cycles";
    }
    bench.run(bench.descriptor(bench.job(4)), "after");
  });
}

TEST(Engines, CountersAddUpAtAnyTime) {
  run_on_both([](Bench& bench) {
    bench.enable();
    for (unsigned i = 0; i < 4; i++) bench.put(i, bench.descriptor(bench.job(40 + i)));
    bench.write(MXE_REG_RING_TAIL, 4);
    uint64_t before = 0;
    for (int snapshot = 0; snapshot < 60; snapshot++) {
      bench.host.wait_cycles(17);
      bench.write(MXE_REG_CTRL, MXE_CTRL_ENABLE_MASK | MXE_CTRL_COUNTER_SNAPSHOT_MASK);
      std::array<uint64_t, kCounterWords / 2> counters{};
      for (unsigned i = 0; i < kCounterWords; i++) {
        counters[i / 2] |= uint64_t{bench.read(MXE_REG_TOTAL_LO + 4 * i)} << (i % 2 * 32);
      }
      uint64_t sum = 0;
      for (unsigned i = 1; i <= 7; i++) sum += counters[i];
      EXPECT_EQ(counters[0], sum);
      EXPECT_GT(counters[0], before);
      before = counters[0];
      bench.log_timed(fmt::format("total {}, active {}, blocks {}, dual {}", counters[0],
                                  counters[1], counters[10], counters[11]));
    }
    bench.write(MXE_REG_CTRL, MXE_CTRL_ENABLE_MASK | MXE_CTRL_COUNTER_CLEAR_MASK);
    bench.write(MXE_REG_CTRL, MXE_CTRL_ENABLE_MASK | MXE_CTRL_COUNTER_SNAPSHOT_MASK);
    EXPECT_LE(bench.read(MXE_REG_TOTAL_LO), 4u);
    bench.log(fmt::format("cleared {}", bench.read(MXE_REG_TOTAL_LO)));
    bench.write(MXE_REG_CTRL, MXE_CTRL_COUNTER_SNAPSHOT_MASK);
    const uint32_t stopped = bench.read(MXE_REG_TOTAL_LO);
    bench.host.wait_cycles(100);
    bench.write(MXE_REG_CTRL, MXE_CTRL_COUNTER_SNAPSHOT_MASK);
    EXPECT_EQ(bench.read(MXE_REG_TOTAL_LO), stopped);
    bench.log(fmt::format("stopped at {}", stopped));
  });
}

}  // namespace
}  // namespace mxe::test
