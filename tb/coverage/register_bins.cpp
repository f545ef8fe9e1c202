// SPDX-License-Identifier: Apache-2.0
#include "tb/coverage/register_bins.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mxe_reg_table.h"
#include "mxe_regs.h"

namespace mxe::coverage {
namespace {

const char* const kAccesses = "register accesses";
const char* const kRing = "ring";
const char* const kInterrupts = "interrupts";
const char* const kDoorbells = "doorbells";
const char* const kFaults = "bus errors reported";
constexpr uint16_t kLargestRing = 16;  // in the named configurations

struct Cause {
  const char* name;
  uint32_t mask;
};
constexpr std::array<Cause, 4> kCauses = {{{"done", MXE_IRQ_STATUS_DONE_MASK},
                                           {"error", MXE_IRQ_STATUS_ERROR_MASK},
                                           {"queue empty", MXE_IRQ_STATUS_QUEUE_EMPTY_MASK},
                                           {"ring overflow", MXE_IRQ_STATUS_RING_OVERFLOW_MASK}}};

// Index: FAULT_INFO.operand.
constexpr std::array<const char*, MXE_FAULT_RECORD + 1> kFaultNames = {
    "none",        "descriptor", "A", "scales of A", "B",
    "scales of B", "C",          "D", "scales of D", "record"};

std::string ring_bin(unsigned entries, const char* what) {
  return fmt::format("{} {}, {}", entries, entries == 1 ? "entry" : "entries", what);
}

}  // namespace

void RegisterBins::define(Bins& bins) {
  std::vector<std::string> accesses, ring, causes;
  for (const RegisterInfo& info : register_table) {
    accesses.push_back(std::string(info.name) + ", read");
    accesses.push_back(std::string(info.name) + ", write refused");
    if (info.access == RegisterAccess::read_write) {
      accesses.push_back(std::string(info.name) + ", written");
    }
  }
  accesses.insert(accesses.end(), {"no register, read refused", "no register, write refused"});
  bins.define(kAccesses, "Every register read, written if it may be, and a write to it refused.",
              ShortRun::some, accesses);
  for (unsigned entries = 1; entries <= kLargestRing; entries *= 2) {
    ring.push_back(ring_bin(entries, "full"));
    ring.push_back(ring_bin(entries, "from the last to the first"));
  }
  ring.emplace_back("index from 65535 to 0");
  bins.define(kRing, "Rings of every size, filled, and used from their last entry to their first.",
              ShortRun::some, ring);
  bins.define(kDoorbells, "Doorbells in every direction, with the outcome that software sees.",
              ShortRun::some,
              {"forward, taken", "from 65535 to 0, taken", "where the tail is, taken",
               "beyond the ring, refused", "backward, refused"});
  bins.define(kFaults, "Places of bus errors, as FAULT_INFO reports them.", ShortRun::some,
              {kFaultNames.begin(), kFaultNames.end()});
  for (const Cause& cause : kCauses) causes.emplace_back(cause.name);
  bins.define(kInterrupts, "Every cause of an interrupt seen by software, masked and unmasked.",
              ShortRun::some, cross({causes, {"masked", "unmasked"}}));
}

void RegisterBins::cycle(const rtl::RtlInputs& in, const rtl::RtlOutputs& out) {
  if (in.s_arvalid && out.s_arready) read_address_ = in.s_araddr;
  if (in.s_awvalid && out.s_awready) write_address_ = in.s_awaddr;
  if (in.s_wvalid && out.s_wready) write_data_ = in.s_wdata;
  if (out.s_rvalid && in.s_rready) {
    const bool refused = rtl::is_axi_error(out.s_rresp);
    access(read_address_, refused ? "read refused" : "read");
    if (!refused) read(read_address_, out.s_rdata);
  }
  if (out.s_bvalid && in.s_bready) {
    const bool refused = rtl::is_axi_error(out.s_bresp);
    access(write_address_, refused ? "write refused" : "written");
    if (!refused) written(write_address_, write_data_);
  }
}

void RegisterBins::access(uint32_t address, const char* kind) {
  const RegisterInfo* info = find_register(address);
  hit(kAccesses, fmt::format("{}, {}", info ? info->name : "no register", kind));
}

void RegisterBins::read(uint32_t address, uint32_t data) {
  if (address == MXE_REG_RING_HEAD) head_is(static_cast<uint16_t>(data));
  if (address == MXE_REG_RING_TAIL) tail_read(static_cast<uint16_t>(data));
  if (address == MXE_REG_FAULT_INFO) fault_read(data);
  if (address != MXE_REG_IRQ_STATUS) return;
  for (const Cause& cause : kCauses) {
    if (data & cause.mask) {
      hit(kInterrupts,
          fmt::format("{}, {}", cause.name, mask_ & cause.mask ? "unmasked" : "masked"));
    }
  }
}

void RegisterBins::written(uint32_t address, uint32_t data) {
  switch (address) {
    case MXE_REG_IRQ_MASK:
      mask_ = data;
      break;
    case MXE_REG_RING_SIZE_LOG2:
      entries_ = static_cast<uint16_t>(1u << std::min(data, 15u));
      break;
    case MXE_REG_RING_TAIL:
      tail_is(static_cast<uint16_t>(data));
      break;
    case MXE_REG_CTRL:
      if (data & MXE_CTRL_SOFT_RESET_MASK) {
        head_ = tail_ = 0;
        asked_.reset();
      }
      break;
    default:
      break;
  }
}

void RegisterBins::tail_is(uint16_t tail) {
  asked_ = tail;
  if (entries_ <= kLargestRing && static_cast<uint16_t>(tail - head_) == entries_) {
    hit(kRing, ring_bin(entries_, "full"));
  }
}

void RegisterBins::head_is(uint16_t head) {
  if (head < head_) hit(kRing, "index from 65535 to 0");
  if (entries_ <= kLargestRing && head / entries_ != head_ / entries_) {
    hit(kRing, ring_bin(entries_, "from the last to the first"));
  }
  head_ = head;
  // The head reached the doorbell's tail, so the engine had accepted it.
  if (asked_ == head && head != tail_) doorbell_taken();
}

void RegisterBins::doorbell_taken() {
  const bool further = *asked_ != tail_;
  hit(kDoorbells, !further          ? "where the tail is, taken"
                  : *asked_ < tail_ ? "from 65535 to 0, taken"
                                    : "forward, taken");
  tail_ = *asked_;
  asked_.reset();
}

void RegisterBins::tail_read(uint16_t tail) {
  if (asked_ == tail) return doorbell_taken();
  if (asked_) {
    constexpr uint16_t kHalf = 0x8000;  // indices: a larger distance counts as backward
    const bool forward = static_cast<uint16_t>(*asked_ - tail) < kHalf;
    hit(kDoorbells, forward ? "beyond the ring, refused" : "backward, refused");
  }
  tail_ = tail;
  asked_.reset();
}

void RegisterBins::fault_read(uint32_t info) {
  const uint32_t operand = info & MXE_FAULT_INFO_OPERAND_MASK;
  if (operand < kFaultNames.size()) hit(kFaults, kFaultNames[operand]);
}

}  // namespace mxe::coverage
