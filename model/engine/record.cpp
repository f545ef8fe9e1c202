// SPDX-License-Identifier: Apache-2.0
#include "model/engine/record.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace mxe {

uint64_t Record::begin(uint64_t cycle, uint64_t address, const End& end, uint64_t slot) {
  end_ = end;
  busy_ = true;
  failed_ = false;
  // A descriptor that could not be read has no id, and its slot is not written.
  const bool written = end.status != MXE_STATUS_ERR_FETCH;
  uint64_t gone = 0, complete = cycle + 1;
  if (written) {
    gone = write(cycle + 1, address + MXE_DESC_STATUS);
    complete = std::max(gone, port_.idle_from()) + 1;
  } else {
    end_.job_id = 0;
  }
  idle_from_ = complete + 1;
  port_.hold_until(idle_from_);
  trace_.slice(Track::record, written ? "record" : "complete", cycle + 1, idle_from_,
               {{"slot", slot}});
  return gone;
}

/// StRecord, StRecData and StRecWait: the record is written and acknowledged.
uint64_t Record::write(uint64_t cycle, uint64_t address) {
  std::array<uint8_t, kBytes> record{};
  std::memcpy(record.data(), &end_.status, 4);
  std::memcpy(record.data() + 4, &end_.job_id, 4);
  std::memcpy(record.data() + 8, &end_.cycles, 8);
  port_.clear_error();
  const uint64_t accepted = std::max(cycle, port_.ready_from());
  port_.accept(accepted, address, kBytes, record.data(), MXE_FAULT_RECORD);
  uint64_t offered = accepted + 1;
  for (uint32_t offset = 0; offset < kBytes; offset += port_.segment_bytes()) {
    offered = port_.take(offered) + 1;
  }
  if (port_.error() != kNever) {
    failed_ = end_.status != MXE_STATUS_ERR_READ && end_.status != MXE_STATUS_ERR_WRITE;
    fault_ = port_.fault();
    end_.status = MXE_STATUS_ERR_WRITE;
  }
  port_.clear_error();
  return offered;
}

const Record::End& Record::complete() {
  busy_ = false;
  return end_;
}

}  // namespace mxe
