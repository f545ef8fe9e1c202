// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "model/engine/memory/memory_port.h"
#include "model/numerics/base/random.h"
#include "model/platform/engine_module.h"
#include "model/platform/rtl/rtl_top.h"

namespace mxe::rtl {

/// AXI4 slave at the engine's memory port. Responds in order regardless of ids. Offers beats and
/// responses at the times that the memory returns, with back-pressure later. The memory may
/// complete a ticket after request(). Requests a read when its address is accepted, a write when
/// its address and data are present.
class AxiMemory {
 public:
  /// A nonzero `back_pressure_seed` delays every ready and valid of the slave at random.
  AxiMemory(unsigned beat_bytes, const engine::PortLimits& limits, uint64_t back_pressure_seed,
            engine::MemoryPort& memory);

  void drive(uint64_t cycle, RtlInputs& in);
  void sample(uint64_t cycle, const RtlInputs& in, const RtlOutputs& out);

  bool busy() const;
  std::size_t reads_outstanding() const { return reads_.size(); }
  std::size_t writes_outstanding() const { return addresses_.size() + writes_.size(); }

 private:
  struct Read {
    std::vector<uint8_t> data;
    engine::Ticket ticket;
    unsigned beats = 0, next = 0;
    uint8_t id = 0;

    bool has_beat(uint64_t cycle) const {
      return ticket.is_complete() && ticket.times().beat(next) <= cycle;
    }
  };
  struct WriteAddress {
    uint64_t address = 0;
    unsigned beats = 0;
    uint8_t id = 0;
  };
  struct WriteData {
    std::vector<uint8_t> data, enables;
    bool complete = false;
  };
  struct Write {
    WriteData burst;
    engine::Ticket ticket;
    uint64_t issued = 0;  // cycle of the request
    unsigned beats = 0;
    uint8_t id = 0;

    bool has_answer(uint64_t cycle) const {
      return ticket.is_complete() && issued < cycle && ticket.times().beat(beats - 1) <= cycle;
    }
  };

  bool hesitate();
  void accept_read(uint64_t cycle, const RtlOutputs& out);
  void accept_data(const RtlOutputs& out);
  void issue_writes(uint64_t cycle);

  unsigned beat_bytes_;
  engine::PortLimits limits_;
  bool back_pressure_;
  Random random_;
  engine::MemoryPort& memory_;
  std::deque<Read> reads_;
  std::deque<WriteAddress> addresses_;                    // accepted, data incomplete
  std::deque<WriteData> data_;                            // the last one may be incomplete
  std::deque<Write> writes_;                              // responses to be sent
  bool read_offered_ = false, response_offered_ = false;  // valid stays until ready
};

}  // namespace mxe::rtl
