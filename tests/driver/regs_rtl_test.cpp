// SPDX-License-Identifier: Apache-2.0
// The RTL's register file against the generated table: all words, refusals, and times of events.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "Vmxe_regs.h"
#include "mxe_counter_table.h"
#include "mxe_reg_table.h"
#include "mxe_regs.h"

namespace mxe::test {
namespace {

constexpr uint32_t okay = 0, slverr = 2;

struct ReadResult {
  uint32_t data, response;
};

/// The register file and an AXI4-Lite master that does one access at a time.
class RegisterFile : public testing::Test {
 protected:
  RegisterFile() {
    connect_inputs();
    top.rst_ni = 0;
    tick();
    top.rst_ni = 1;
    tick();
  }
  ~RegisterFile() override { top.final(); }

  void tick() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
    top.eval();
    if (on_tick) on_tick();
  }

  /// `lag`: cycles between address and data, positive if the address is first. The response is
  /// accepted `patience` cycles after it is valid.
  uint32_t write(uint32_t offset, uint32_t data, uint32_t strobes = 15, int lag = 0,
                 int patience = 0) {
    top.s_awaddr_i = static_cast<SData>(offset);
    top.s_wdata_i = data;
    top.s_wstrb_i = static_cast<CData>(strobes);
    bool address_sent = false, data_sent = false;
    for (int clock = 0; !address_sent || !data_sent; clock++) {
      top.s_awvalid_i = !address_sent && clock >= -lag;
      top.s_wvalid_i = !data_sent && clock >= lag;
      const bool address_goes = top.s_awvalid_i && top.s_awready_o;
      const bool data_goes = top.s_wvalid_i && top.s_wready_o;
      tick();
      address_sent |= address_goes;
      data_sent |= data_goes;
      if (clock > 100) ADD_FAILURE() << "write is not accepted";
      if (clock > 100) break;
    }
    top.s_awvalid_i = top.s_wvalid_i = 0;
    return response(top.s_bvalid_o, top.s_bready_i, top.s_bresp_o, patience);
  }

  ReadResult read(uint32_t offset, int patience = 0) {
    top.s_araddr_i = static_cast<SData>(offset);
    top.s_arvalid_i = 1;
    while (!top.s_arready_o) tick();
    tick();
    top.s_arvalid_i = 0;
    const uint32_t result = response(top.s_rvalid_o, top.s_rready_i, top.s_rresp_o, patience);
    return {read_data, result};
  }

  uint32_t response(const CData& valid, CData& ready, const CData& code, int patience) {
    for (int clock = 0; !valid; clock++) {
      tick();
      if (clock < 100) continue;
      ADD_FAILURE() << "no response";
      return ~0u;
    }
    for (int i = 0; i < patience; i++) tick();
    const uint32_t result = code;
    read_data = top.s_rdata_o;
    ready = 1;
    tick();
    ready = 0;
    EXPECT_FALSE(valid) << "one response per access";
    return result;
  }

  void connect_inputs();

  Vmxe_regs top;
  std::map<uint32_t, uint32_t> hardware;  ///< values of the read-only registers, by offset
  std::function<void()> on_tick;
  uint32_t read_data = 0;
};

/// A different number for each offset; eight neighbours also differ in the lowest byte.
uint32_t pattern(uint32_t offset) { return 0x80000005u + offset * 0x1008u; }

template <typename Port>
void drive(Port& port, uint32_t value) {
  port = static_cast<Port>(value);
}

void RegisterFile::connect_inputs() {
#define CONNECT(REGISTER, port, shift, mask)                          \
  drive(top.port##_i, (pattern(MXE_REG_##REGISTER) & mask) >> shift); \
  hardware[MXE_REG_##REGISTER] |= pattern(MXE_REG_##REGISTER) & mask;
  MXE_HARDWARE_FIELDS(CONNECT)
#undef CONNECT
  std::size_t word = 0;
  for (const RegisterInfo& r : register_table) {
    if (!find_counter(r.offset)) continue;
    hardware[r.offset] = pattern(r.offset);
    ASSERT_LT(word, sizeof top.counters_i / sizeof(IData)) << r.name;
    top.counters_i[word++] = hardware[r.offset];
  }
  EXPECT_EQ(word, sizeof top.counters_i / sizeof(IData)) << "each of them has a register";
}

class Expectation {
 public:
  explicit Expectation(const std::map<uint32_t, uint32_t>& hardware) {
    for (const RegisterInfo& r : register_table) {
      infos_[r.offset] = &r;
      values_[r.offset] = r.hardware_mask ? hardware.at(r.offset) : r.reset;
    }
  }
  ReadResult read(uint32_t offset) const {
    const auto it = values_.find(offset);
    return it == values_.end() ? ReadResult{0, slverr} : ReadResult{it->second, okay};
  }
  uint32_t write(uint32_t offset, uint32_t data, uint32_t strobes) {
    const auto it = infos_.find(offset);
    if (it == infos_.end() || it->second->access == RegisterAccess::read_only || strobes != 15) {
      return slverr;
    }
    const uint32_t mask = it->second->storage_mask;
    values_[offset] = (values_[offset] & ~mask) | (data & mask);
    return okay;
  }

 private:
  std::map<uint32_t, const RegisterInfo*> infos_;
  std::map<uint32_t, uint32_t> values_;
};

TEST_F(RegisterFile, ReadsEveryByteAddressOfTheWindow) {
  const Expectation expected(hardware);
  for (uint32_t offset = 0; offset < 0x1000; offset++) {
    const ReadResult got = read(offset), want = expected.read(offset);
    ASSERT_EQ(got.response, want.response) << "offset " << offset;
    ASSERT_EQ(got.data, want.data) << "offset " << offset;
  }
}

TEST_F(RegisterFile, WritesWhatTheTableAllowsAndNothingElse) {
  constexpr uint32_t seed = 1;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  Expectation expected(hardware);
  for (int step = 0; step < 20'000; step++) {
    const auto offset =
        static_cast<uint32_t>(random() % 10 ? random() % 96 * 4 : random() % 0x1000);
    const auto data = static_cast<uint32_t>(random());
    const auto strobes = static_cast<uint32_t>(random() % 4 ? 15 : random() % 16);
    const int lag = static_cast<int>(random() % 7) - 3;
    const auto patience = static_cast<int>(random() % 3);
    ASSERT_EQ(write(offset, data, strobes, lag, patience), expected.write(offset, data, strobes))
        << "offset " << offset << " strobes " << strobes;
    const ReadResult got = read(offset, patience), want = expected.read(offset);
    ASSERT_EQ(got.response, want.response) << "offset " << offset;
    ASSERT_EQ(got.data, want.data) << "offset " << offset;
  }
  for (const RegisterInfo& r : register_table) {
    EXPECT_EQ(read(r.offset).data, expected.read(r.offset).data) << r.name;
  }
}

TEST_F(RegisterFile, OutputsShowWhatWasWritten) {
  write(MXE_REG_CTRL, MXE_CTRL_ENABLE_MASK);
  EXPECT_EQ(top.ctrl_enable_o, 1);
  write(MXE_REG_RING_BASE_LO, 0xffffffff);
  EXPECT_EQ(top.ring_base_lo_value_o, 0xffffff80);
  write(MXE_REG_RING_BASE_HI, 0x12345678);
  EXPECT_EQ(top.ring_base_hi_value_o, 0x12345678u);
  write(MXE_REG_RING_SIZE_LOG2, 0xffffffea);
  EXPECT_EQ(top.ring_size_log2_value_o, 10);
  write(MXE_REG_RING_TAIL, 0xffff1234);
  EXPECT_EQ(top.ring_tail_tail_o, 0x1234);
  const CData* masks[] = {&top.irq_mask_done_o, &top.irq_mask_error_o, &top.irq_mask_queue_empty_o,
                          &top.irq_mask_ring_overflow_o};
  for (uint32_t bit = 0; bit < 4; bit++) {
    write(MXE_REG_IRQ_MASK, 1u << bit);
    for (uint32_t i = 0; i < 4; i++) EXPECT_EQ(*masks[i], i == bit);
  }
}

TEST_F(RegisterFile, PulsesLastOneClock) {
  const CData* pulses[] = {&top.ctrl_soft_reset_o, &top.ctrl_counter_clear_o,
                           &top.ctrl_counter_snapshot_o};
  int clocks[3] = {};
  on_tick = [&] {
    for (int i = 0; i < 3; i++) clocks[i] += *pulses[i];
  };
  for (uint32_t bit = 1; bit < 4; bit++) write(MXE_REG_CTRL, 1u << bit, 15, 0, 5);
  for (const int high : clocks) EXPECT_EQ(high, 1);
  write(MXE_REG_CTRL, 0xe, 7);
  for (const int high : clocks) EXPECT_EQ(high, 1) << "a refused write gives no pulse";
}

TEST_F(RegisterFile, TheDoorbellComesWithTheNewTail) {
  int doorbells = 0;
  on_tick = [&] {
    if (!top.ring_tail_tail_swmod_o) return;
    ++doorbells;
    EXPECT_EQ(top.ring_tail_tail_o, 7);
  };
  write(MXE_REG_RING_TAIL, 7, 15, 0, 5);
  EXPECT_EQ(doorbells, 1);
  write(MXE_REG_RING_TAIL, 7);
  EXPECT_EQ(doorbells, 2) << "even if the tail stays the same";
  write(MXE_REG_RING_TAIL, 9, 14);
  EXPECT_EQ(doorbells, 2);
}

TEST_F(RegisterFile, EventsStayUntilOneIsWritten) {
  CData* const sets[] = {&top.irq_status_done_set_i, &top.irq_status_error_set_i,
                         &top.irq_status_queue_empty_set_i, &top.irq_status_ring_overflow_set_i};
  const CData* outputs[] = {&top.irq_status_done_o, &top.irq_status_error_o,
                            &top.irq_status_queue_empty_o, &top.irq_status_ring_overflow_o};
  for (uint32_t bit = 0; bit < 4; bit++) {
    *sets[bit] = 1;
    tick();
    *sets[bit] = 0;
    EXPECT_EQ(read(MXE_REG_IRQ_STATUS).data, 1u << bit);
    EXPECT_EQ(*outputs[bit], 1);
    write(MXE_REG_IRQ_STATUS, ~(1u << bit));
    EXPECT_EQ(read(MXE_REG_IRQ_STATUS).data, 1u << bit);
    write(MXE_REG_IRQ_STATUS, 1u << bit);
    EXPECT_EQ(read(MXE_REG_IRQ_STATUS).data, 0u);
  }
}

TEST_F(RegisterFile, AnEventInTheClockOfItsClearingIsKept) {
  // The write takes effect one cycle after it was accepted in cycle 0.
  for (const int event_clock : {0, 1, 2}) {
    int clock = 0;
    on_tick = [&] { top.irq_status_done_set_i = ++clock == event_clock; };
    top.irq_status_done_set_i = event_clock == 0;
    write(MXE_REG_IRQ_STATUS, 1);
    EXPECT_EQ(read(MXE_REG_IRQ_STATUS).data, event_clock == 0 ? 0u : 1u) << event_clock;
  }
}

TEST_F(RegisterFile, ReadsAndWritesDoNotDisturbEachOther) {
  // The response of a read waits while writes continue.
  top.s_araddr_i = MXE_REG_NUM_PE;
  top.s_arvalid_i = 1;
  tick();
  top.s_arvalid_i = 0;
  for (uint32_t i = 0; i < 5; i++) EXPECT_EQ(write(MXE_REG_RING_BASE_HI, i), okay);
  EXPECT_EQ(top.s_rvalid_o, 1);
  EXPECT_EQ(top.s_rdata_o, hardware[MXE_REG_NUM_PE]);
  top.s_rready_i = 1;
  tick();
  top.s_rready_i = 0;
  EXPECT_EQ(read(MXE_REG_RING_BASE_HI).data, 4u);
}

// The master offers the next access before it accepts the last response.
TEST_F(RegisterFile, KeepsThePipelinedWritesApart) {
  const uint32_t offsets[] = {MXE_REG_RING_BASE_HI, MXE_REG_ID, MXE_REG_RING_TAIL};
  const uint32_t expected[] = {okay, slverr, okay};
  size_t addresses = 0, words = 0;
  std::vector<uint32_t> responses;
  for (int clock = 0; clock < 60; clock++) {
    top.s_awvalid_i = addresses < 3 && clock >= 6;  // data before the address
    top.s_awaddr_i = static_cast<SData>(offsets[std::min<size_t>(addresses, 2)]);
    top.s_wvalid_i = words < 3;
    top.s_wdata_i = static_cast<IData>(words + 1);
    top.s_wstrb_i = 15;
    top.s_bready_i = clock % 10 == 9;
    addresses += top.s_awvalid_i && top.s_awready_o;
    words += top.s_wvalid_i && top.s_wready_o;
    if (top.s_bvalid_o && top.s_bready_i) responses.push_back(top.s_bresp_o);
    tick();
  }
  top.s_bready_i = 0;
  EXPECT_EQ(responses, (std::vector<uint32_t>(expected, expected + 3)));
  EXPECT_EQ(read(MXE_REG_RING_BASE_HI).data, 1u);
  EXPECT_EQ(top.ring_tail_tail_o, 3);
}

TEST_F(RegisterFile, KeepsThePipelinedReadsApart) {
  const uint32_t offsets[] = {MXE_REG_ID, 0xffc, MXE_REG_NUM_PE};
  size_t addresses = 0;
  std::vector<uint32_t> data;
  for (int clock = 0; clock < 60; clock++) {
    top.s_arvalid_i = addresses < 3;
    top.s_araddr_i = static_cast<SData>(offsets[std::min<size_t>(addresses, 2)]);
    top.s_rready_i = clock % 10 == 9;
    addresses += top.s_arvalid_i && top.s_arready_o;
    if (top.s_rvalid_o && top.s_rready_i) data.push_back(top.s_rdata_o);
    tick();
  }
  EXPECT_EQ(data, (std::vector<uint32_t>{MXE_ID_RESET, 0, hardware[MXE_REG_NUM_PE]}));
}

}  // namespace
}  // namespace mxe::test
