// SPDX-License-Identifier: Apache-2.0
#include "mxe_regs.h"
#include "tb/cosim/batch_run.h"

namespace mxe::cosim {

void BusErrors::apply(BatchRun& run) const {
  platform::Memory& memory = run.device.memory();
  memory.clear_faults();
  run.result.faulty_bytes.clear();
  const auto add = [&](uint64_t address, platform::Memory::Faulty requests) {
    memory.add_fault(address, 1, requests);
    run.result.faulty_bytes.push_back(address);
  };
  for (const BusFault& fault : faults) {
    const uint64_t entry =
        run.device.entry_of(run.device.driver().tail + static_cast<uint32_t>(fault.job));
    if (fault.part == "descriptor") {
      add(entry + fault.byte % kEntryBytes, platform::Memory::Faulty::all);
    } else if (fault.part == "record") {
      // The half with the status: an error in the other half, a separate burst, would not hide it.
      add(entry + MXE_DESC_STATUS + fault.byte % (kRecordBytes / 2),
          platform::Memory::Faulty::writes);
    } else if (const auto address =
                   run.images[fault.job].byte_of(fault.part, fault.row, fault.byte)) {
      add(*address, platform::Memory::Faulty::all);
    }
  }
}

}  // namespace mxe::cosim
