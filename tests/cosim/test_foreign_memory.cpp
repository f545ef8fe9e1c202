// SPDX-License-Identifier: Apache-2.0
// Model and RTL on a board that nobody made for them: a plain TLM-2.0 memory, which knows no
// extension and grants no direct access, and software on a bare socket.
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "model/platform/engine.h"
#include "mxe_regs.h"
#include "tb/rtl/rtl_engine.h"

namespace mxe {
namespace {

constexpr uint64_t kA = 0x1000, kB = 0x4000, kAScales = 0x8000, kBScales = 0xA000;
constexpr uint64_t kD = 0xC000, kEnd = 0x10000;
constexpr uint32_t kM = 16, kN = 8, kK = 96;
constexpr uint8_t kOne = 0x38, kOneScale = 127;  // 1 in E4M3, and as a scale
constexpr uint32_t kOnesPerRow = kK / kM;

struct Board : sc_core::sc_module {
  enum class Kind : uint8_t { annotates, waits, both };

  tlm_utils::simple_target_socket<Board> memory{"memory"};
  tlm_utils::simple_initiator_socket<Board> cpu{"cpu"};
  sc_core::sc_signal<bool> irq{"irq"};
  std::vector<uint8_t> bytes = std::vector<uint8_t>(kEnd);
  Kind kind;
  bool polls;
  sc_core::sc_time latency;
  int inside = 0, most_inside = 0;
  unsigned changed = 0;  // requests that somebody changed while the memory worked on them
  uint64_t clocks = 0;

  SC_HAS_PROCESS(Board);
  Board(const sc_core::sc_module_name& name, EngineModule& engine, Kind k, bool p, unsigned ns)
      : sc_module(name), kind(k), polls(p), latency(ns, sc_core::SC_NS) {
    memory.register_b_transport(this, &Board::access);
    engine.irq(irq);
    engine.mem.bind(memory);
    cpu.bind(engine.regs);
    SC_THREAD(program);
  }

  void access(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    most_inside = std::max(most_inside, ++inside);
    const uint64_t address = p.get_address();
    if (kind != Kind::annotates) {
      wait(delay + latency);
      delay = sc_core::SC_ZERO_TIME;
    }
    if (kind != Kind::waits) delay += latency;
    changed += p.get_address() != address;
    uint8_t* stored = &bytes.at(address);
    uint8_t* data = p.get_data_ptr();
    const uint8_t* enables = p.get_byte_enable_ptr();
    for (unsigned i = 0; i < p.get_data_length(); i++) {
      if (enables && enables[i % p.get_byte_enable_length()] == 0) continue;
      (p.is_read() ? data[i] : stored[i]) = p.is_read() ? stored[i] : data[i];
    }
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    inside--;
  }

  uint32_t access_register(uint32_t offset, uint32_t value, bool write) {
    tlm::tlm_generic_payload p;
    sc_core::sc_time delay;
    p.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    p.set_address(offset);
    p.set_data_ptr(reinterpret_cast<uint8_t*>(&value));
    p.set_data_length(4);
    p.set_streaming_width(4);
    cpu->b_transport(p, delay);
    EXPECT_TRUE(p.is_response_ok());
    return value;
  }
  void write(uint32_t offset, uint32_t value) { access_register(offset, value, true); }
  uint32_t read(uint32_t offset) { return access_register(offset, 0, false); }

  void put(uint32_t offset, uint32_t value) { std::memcpy(&bytes[offset], &value, sizeof value); }
  uint32_t get(uint64_t offset) const {
    uint32_t value = 0;
    std::memcpy(&value, &bytes[offset], sizeof value);
    return value;
  }

  void write_job() {
    put(MXE_DESC_CONTROL, MXE_FORMAT_MXFP8_E4M3 << MXE_DESC_CONTROL_FMT_A_SHIFT |
                              MXE_FORMAT_MXFP8_E4M3 << MXE_DESC_CONTROL_FMT_B_SHIFT);
    put(MXE_DESC_M, kM);
    put(MXE_DESC_N, kN);
    put(MXE_DESC_K, kK);
    put(MXE_DESC_A_ADDR, kA);
    put(MXE_DESC_B_ADDR, kB);
    put(MXE_DESC_A_SCALE_ADDR, kAScales);
    put(MXE_DESC_B_SCALE_ADDR, kBScales);
    put(MXE_DESC_D_ADDR, kD);
    put(MXE_DESC_A_STRIDE, kK);
    put(MXE_DESC_B_STRIDE, kK);
    put(MXE_DESC_A_SCALE_STRIDE, kK / 32);
    put(MXE_DESC_B_SCALE_STRIDE, kK / 32);
    put(MXE_DESC_D_STRIDE, 4 * kN);
    // Each row of A has more ones than the row above, each column of B twice the scale of the one
    // before, so that no two results of a row or column are the same.
    for (uint32_t row = 0; row < kM; row++) {
      std::memset(&bytes[kA + row * kK], kOne, (row + 1) * kOnesPerRow);
    }
    std::memset(&bytes[kAScales], kOneScale, kM * kK / 32);
    std::memset(&bytes[kB], kOne, kN * kK);
    for (uint32_t column = 0; column < kN; column++) {
      std::memset(&bytes[kBScales + column * kK / 32], static_cast<int>(kOneScale + column),
                  kK / 32);
    }
  }

  void program() {
    write_job();
    write(MXE_REG_RING_SIZE_LOG2, 0);
    write(MXE_REG_IRQ_MASK, MXE_IRQ_MASK_DONE_MASK);
    write(MXE_REG_CTRL, MXE_CTRL_ENABLE_MASK);
    write(MXE_REG_RING_TAIL, 1);
    if (polls) {
      while (read(MXE_REG_RING_HEAD) != 1) wait(7, sc_core::SC_NS);
    } else {
      while (!irq.read()) wait(irq.value_changed_event());
    }
    write(MXE_REG_IRQ_STATUS, MXE_IRQ_STATUS_DONE_MASK);
    clocks = get(MXE_DESC_CYCLES);
  }

  void expect_results() const {
    EXPECT_EQ(get(MXE_DESC_STATUS), static_cast<uint32_t>(MXE_STATUS_OK));
    unsigned wrong = 0;
    for (uint32_t i = 0; i < kM * kN; i++) {
      float result = 0;
      std::memcpy(&result, &bytes[kD + 4 * i], sizeof result);
      const uint32_t row = i / kN, column = i % kN;
      wrong += result != static_cast<float>((row + 1) * kOnesPerRow << column);
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(changed, 0u);
    EXPECT_EQ(most_inside, 1);
    EXPECT_GT(clocks, 0u);
  }
};

struct Foreign {
  std::string name;
  Board::Kind kind;
  bool polls;
  unsigned latency = 40;
};

void PrintTo(const Foreign& foreign, std::ostream* out) { *out << foreign.name; }

class ForeignMemory : public testing::TestWithParam<Foreign> {};

TEST_P(ForeignMemory, ServesModelAndRtl) {
  const Foreign& f = GetParam();
  const Params params = Params::named("small");
  Engine model("model", params);
  RtlEngine rtl("rtl", params);
  Board with_model("with_model", model, f.kind, f.polls, f.latency);
  Board with_rtl("with_rtl", rtl, f.kind, f.polls, f.latency);
  sc_core::sc_start(1, sc_core::SC_MS);
  with_model.expect_results();
  with_rtl.expect_results();
  EXPECT_EQ(with_model.clocks, with_rtl.clocks);
}

INSTANTIATE_TEST_SUITE_P(
    Boards, ForeignMemory,
    testing::Values(Foreign{"annotates_interrupt", Board::Kind::annotates, false},
                    Foreign{"annotates_polling", Board::Kind::annotates, true},
                    Foreign{"quick", Board::Kind::annotates, false, 1},
                    Foreign{"slow", Board::Kind::annotates, false, 400},
                    Foreign{"waits_interrupt", Board::Kind::waits, false},
                    Foreign{"waits_polling", Board::Kind::waits, true},
                    Foreign{"both_interrupt", Board::Kind::both, false},
                    Foreign{"both_polling", Board::Kind::both, true}),
    [](const testing::TestParamInfo<Foreign>& test) { return test.param.name; });

}  // namespace
}  // namespace mxe
