// SPDX-License-Identifier: Apache-2.0
#include "model/platform/pci/pci_function.h"

#include <algorithm>
#include <utility>

#include "mxe_regs.h"

namespace mxe::pci {
namespace {

constexpr std::size_t kRegisterBytes = 4;

/// The line falls one cycle after the response to the write that clears its cause; checked one
/// later.
constexpr uint64_t kClocksUntilLineFalls = 2;

bool decides_about_line(uint64_t offset) {
  return offset == MXE_REG_IRQ_STATUS || offset == MXE_REG_IRQ_MASK;
}

}  // namespace

PciFunction::PciFunction(const sc_core::sc_module_name& name, const Ids& ids, SendMessage send,
                         const platform::Clock& clock)
    : sc_module(name), config_(ids), send_(std::move(send)), clock_(clock) {
  dma.register_b_transport(this, &PciFunction::transport);
  dma.register_transport_dbg(this, &PciFunction::debug);
  dma.register_get_direct_mem_ptr(this, &PciFunction::grant);
  memory.register_invalidate_direct_mem_ptr(this, &PciFunction::invalidate);
  SC_HAS_PROCESS(PciFunction);
  SC_METHOD(line_rose);
  sensitive << irq.pos();
  dont_initialize();
  SC_METHOD(look_again);
  sensitive << look_event_;
  dont_initialize();
}

void PciFunction::read_config(uint64_t offset, std::size_t bytes, uint8_t* data) const {
  if (removed_) {
    std::fill_n(data, bytes, uint8_t{0xff});
  } else {
    config_.read(offset, bytes, data);
  }
}

void PciFunction::write_config(uint64_t offset, std::size_t bytes, const uint8_t* data) {
  if (removed_) return;
  const bool had_memory = has_memory(), had_messages = config_.message_enabled();
  config_.write(offset, bytes, data);
  if (had_memory && !has_memory()) invalidate(0, ~sc_dt::uint64{0});
  if (!had_messages && irq.read()) send();
}

/// The engine rejects offsets that are not multiples of 4.
bool PciFunction::answers(uint64_t offset, std::size_t bytes) const {
  return !removed_ && config_.memory_enabled() && bytes % kRegisterBytes == 0 &&
         bytes <= ConfigSpace::kBar0Bytes && offset <= ConfigSpace::kBar0Bytes - bytes;
}

void PciFunction::read_bar0(uint64_t offset, std::size_t bytes, uint8_t* data) {
  for (std::size_t i = 0; answers(offset, bytes) && i < bytes; i += kRegisterBytes) {
    if (!access_register(tlm::TLM_READ_COMMAND, offset + i, data + i)) {
      std::fill_n(data + i, kRegisterBytes, uint8_t{0xff});
    }
  }
  // Checked after the accesses, because the function may be removed while they wait.
  if (!answers(offset, bytes)) std::fill_n(data, bytes, uint8_t{0xff});
}

void PciFunction::write_bar0(uint64_t offset, std::size_t bytes, const uint8_t* data) {
  for (std::size_t i = 0; answers(offset, bytes) && i < bytes; i += kRegisterBytes) {
    uint8_t word[kRegisterBytes];
    std::copy_n(data + i, kRegisterBytes, word);
    access_register(tlm::TLM_WRITE_COMMAND, offset + i, word);
    if (!decides_about_line(offset + i)) continue;
    owed_ = true;
    look_event_.cancel();  // only the last write counts
    look_event_.notify(clock_.to_time(kClocksUntilLineFalls));
  }
}

bool PciFunction::access_register(tlm::tlm_command command, uint64_t offset, uint8_t* data) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(offset);
  payload.set_data_ptr(data);
  payload.set_data_length(kRegisterBytes);
  payload.set_streaming_width(kRegisterBytes);
  sc_core::sc_time delay;
  regs->b_transport(payload, delay);
  if (delay != sc_core::SC_ZERO_TIME) wait(delay);
  return payload.is_response_ok();
}

void PciFunction::remove() {
  removed_ = true;
  invalidate(0, ~sc_dt::uint64{0});
}

void PciFunction::line_rose() { send(); }

void PciFunction::look_again() {
  if (owed_ && irq.read()) send();
  owed_ = false;
}

void PciFunction::send() {
  if (removed_ || !config_.message_enabled()) return;
  owed_ = false;  // the line's current cause is reported
  messages_++;
  send_(config_.message());
}

void PciFunction::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (has_memory()) {
    memory->b_transport(payload, delay);
    if (has_memory()) return;  // the function may be removed while the memory waits
  }
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

unsigned PciFunction::debug(tlm::tlm_generic_payload& payload) {
  return has_memory() ? memory->transport_dbg(payload) : 0;
}

bool PciFunction::grant(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  return has_memory() && memory->get_direct_mem_ptr(payload, dmi);
}

void PciFunction::invalidate(sc_dt::uint64 first, sc_dt::uint64 last) {
  dma->invalidate_direct_mem_ptr(first, last);
}

}  // namespace mxe::pci
