// SPDX-License-Identifier: Apache-2.0
// A board without code of MXE: a plain TLM-2.0 memory, and software on a plain socket.
#pragma once

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "model/platform/engine_module.h"
#include "mxe_regs.h"

namespace mxe::test {

struct ForeignMemory {
  enum class Delay : uint8_t { annotates, waits, both };
  enum class Direct : uint8_t {
    refused,
    granted,
    invalidated
  };  ///< DMI; invalidated: granted, and invalidated once, at the 20th access

  std::string name;
  Delay delay = Delay::annotates;
  bool polls = false;  ///< the software polls instead of waiting for the interrupt
  sc_core::sc_time latency{40, sc_core::SC_NS};
  unsigned spread = 0;        ///< ns; an access takes 0 to this much more, in no order
  bool adds_beats = false;    ///< a read also takes 1 ns for each beat of 16 bytes after the first
  bool overlaps = false;      ///< several accesses at once are expected, else one
  bool takes_enables = true;  ///< false: byte enables give an error
  Direct direct = Direct::refused;
  uint64_t faulty = ~uint64_t{0};  ///< accesses that touch this byte fail
  tlm::tlm_response_status fault = tlm::TLM_GENERIC_ERROR_RESPONSE;
};

class ForeignBoard : public sc_core::sc_module {
 public:
  static constexpr uint64_t kA = 0x1000, kB = 0x4000, kAScales = 0x8000, kBScales = 0xA000;
  static constexpr uint64_t kD = 0xC000, kEnd = 0x10000;
  static constexpr uint32_t kM = 16, kN = 8, kK = 96;
  static constexpr uint32_t kRowBytes = 36;  ///< stride of D: no multiple of a beat

  tlm_utils::simple_target_socket<ForeignBoard> memory{"memory"};
  tlm_utils::simple_initiator_socket<ForeignBoard> cpu{"cpu"};
  sc_core::sc_signal<bool> irq{"irq"};

  /// Runs `program`, by default the job once. With `bus`, the caller connects engine and memory.
  ForeignBoard(const sc_core::sc_module_name& name, platform::EngineModule& engine,
               ForeignMemory memory_kind, std::function<void(ForeignBoard&)> program = {},
               bool bus = false)
      : sc_module(name), kind_(std::move(memory_kind)), program_(std::move(program)) {
    memory.register_b_transport(this, &ForeignBoard::access);
    memory.register_get_direct_mem_ptr(this, &ForeignBoard::grant);
    engine.irq(irq);
    if (!bus) engine.mem.bind(memory);
    cpu.bind(engine.regs);
    SC_HAS_PROCESS(ForeignBoard);
    SC_THREAD(run);
  }

  bool access_register(uint32_t offset, uint32_t& value, bool write) {
    tlm::tlm_generic_payload p;
    sc_core::sc_time delay;
    p.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    p.set_address(offset);
    p.set_data_ptr(reinterpret_cast<uint8_t*>(&value));
    p.set_data_length(4);
    p.set_streaming_width(4);
    cpu->b_transport(p, delay);
    if (delay != sc_core::SC_ZERO_TIME) wait(delay);
    return p.is_response_ok();
  }
  void write(uint32_t offset, uint32_t value) {
    EXPECT_TRUE(access_register(offset, value, true)) << name() << ", register " << offset;
  }
  uint32_t read(uint32_t offset) {
    uint32_t value = 0;
    EXPECT_TRUE(access_register(offset, value, false)) << name() << ", register " << offset;
    return value;
  }

  void run_job() {
    write_job();
    start_job();
    if (kind_.polls) {
      while (polls_++, read(MXE_REG_RING_HEAD) != 1) wait(7, sc_core::SC_NS);
    } else {
      while (!irq.read()) wait(irq.value_changed_event());
    }
    write(MXE_REG_IRQ_STATUS, MXE_IRQ_STATUS_DONE_MASK | MXE_IRQ_STATUS_ERROR_MASK);
    clocks_ = get(MXE_DESC_CYCLES);
  }
  void start_job() {
    write(MXE_REG_RING_SIZE_LOG2, 0);
    write(MXE_REG_IRQ_MASK, MXE_IRQ_MASK_DONE_MASK | MXE_IRQ_MASK_ERROR_MASK);
    write(MXE_REG_CTRL, MXE_CTRL_ENABLE_MASK);
    write(MXE_REG_RING_TAIL, 1);
  }
  void write_job();

  uint32_t get(uint64_t offset) const {
    uint32_t value = 0;
    std::memcpy(&value, &bytes_[offset], sizeof value);
    return value;
  }
  uint32_t status() const { return get(MXE_DESC_STATUS); }
  uint32_t clocks() const { return clocks_; }
  unsigned polls() const { return polls_; }
  /// Addresses of the reads, in the order in which the engine issued them.
  const std::vector<uint64_t>& reads() const { return reads_; }
  int most_inside() const { return most_inside_; }
  /// Accesses that ended before an earlier one.
  unsigned overtakers() const { return overtakers_; }
  void expect_results() const;

 private:
  void run() { program_ ? program_(*this) : run_job(); }
  void access(tlm::tlm_generic_payload& p, sc_core::sc_time& delay);
  sc_core::sc_time duration(const tlm::tlm_generic_payload& p, unsigned access) const;
  tlm::tlm_response_status respond(tlm::tlm_generic_payload& p);
  bool grant(tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi);
  void put(uint64_t offset, uint32_t value) { std::memcpy(&bytes_[offset], &value, sizeof value); }

  ForeignMemory kind_;
  std::function<void(ForeignBoard&)> program_;
  std::vector<uint8_t> bytes_ = std::vector<uint8_t>(kEnd);
  int inside_ = 0, most_inside_ = 0;
  unsigned accesses_ = 0, begun_ = 0, last_ended_ = 0, overtakers_ = 0, polls_ = 0;
  std::vector<uint64_t> reads_;
  unsigned changed_ = 0;  // requests that were changed while the memory processed them
  uint32_t clocks_ = 0;
};

}  // namespace mxe::test
