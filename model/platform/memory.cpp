// SPDX-License-Identifier: Apache-2.0
#include "model/platform/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "model/numerics/base/error.h"
#include "model/platform/clock.h"
#include "model/platform/payload.h"

namespace mxe::platform {
namespace {

uint8_t* reserve(std::size_t size) {
  if (size == 0) return nullptr;
  void* storage = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (storage == MAP_FAILED) {
    throw Error(fmt::format("cannot reserve {} bytes of simulated memory", size));
  }
  return static_cast<uint8_t*>(storage);
}

/// Other initiators' beats need not be a power of two (BeatSize).
uint64_t beats_of(const tlm::tlm_generic_payload& payload, unsigned beat_bytes) {
  const uint64_t address = payload.get_address(), length = payload.get_data_length();
  return (address + length - 1) / beat_bytes - address / beat_bytes + 1;
}

}  // namespace

Memory::Memory(const sc_core::sc_module_name& name, const Config& config)
    : sc_module(name), config_(config), channels_(config.timing) {
  Clock().require("mxe::platform::Memory");
  config.timing.validate();
  if (config.dram) config_.direct_access = false;
  restart_timing();
  storage_ = reserve(config.size);
  socket.register_b_transport(this, &Memory::transport);
  socket.register_transport_dbg(this, &Memory::debug_transport);
  socket.register_get_direct_mem_ptr(this, &Memory::direct_access);
}

void Memory::restart_timing() {
  channels_.restart();
  if (config_.dram) dram_.emplace(*config_.dram);
}

Memory::~Memory() {
  if (storage_) munmap(storage_, config_.size);
}

bool Memory::contains(uint64_t address, uint64_t length) const {
  return address >= config_.base && length <= config_.size &&
         address - config_.base <= config_.size - length;
}

uint8_t* Memory::data(uint64_t address, std::size_t length) {
  if (!contains(address, length)) {
    throw Error(fmt::format("{} bytes at {:#x} are not inside the memory ({:#x} to {:#x})", length,
                            address, config_.base, config_.base + config_.size - 1));
  }
  return storage_ + (address - config_.base);
}

void Memory::add_fault(uint64_t address, uint64_t length, Faulty requests) {
  faults_.push_back({address, address + length, requests});
  if (granted_) socket->invalidate_direct_mem_ptr(0, ~sc_dt::uint64{0});
  granted_ = false;
}

uint8_t* Memory::locate(uint64_t address, uint64_t length) {
  return contains(address, length) ? storage_ + (address - config_.base) : nullptr;
}

bool Memory::faulty(const tlm::tlm_generic_payload& payload) const {
  const uint64_t address = payload.get_address(), length = payload.get_data_length();
  return std::any_of(faults_.begin(), faults_.end(), [&](const Range& range) {
    const bool counts = range.requests == Faulty::all || payload.is_write();
    return counts && address < range.end && range.begin < address + length;
  });
}

void Memory::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  const tlm::tlm_response_status refused = check_attributes(payload);
  if (refused != tlm::TLM_OK_RESPONSE) {
    payload.set_response_status(refused);
    return;
  }
  auto* burst = payload.get_extension<BurstExtension>();
  const unsigned beat_bytes = burst && burst->beat_bytes ? burst->beat_bytes : config_.beat_bytes;
  // The engine may send a burst after its cycle of issue, for example after waiting for its
  // interrupt.
  const bool told = burst && burst->clock == Clock();
  uint64_t handed_over = time_to_cycles(sc_core::sc_time_stamp() + delay);
  if (told && burst->issued != 0) handed_over = std::min(handed_over, burst->issued);
  const engine::BeatTimes times = serve(payload, handed_over, beat_bytes);

  uint8_t* storage = locate(address, length);
  payload.set_response_status(!storage          ? tlm::TLM_ADDRESS_ERROR_RESPONSE
                              : faulty(payload) ? tlm::TLM_GENERIC_ERROR_RESPONSE
                                                : tlm::TLM_OK_RESPONSE);
  if (payload.is_response_ok() && !(burst && burst->timing_only)) copy_enabled(payload, storage);
  payload.set_dmi_allowed(config_.direct_access && faults_.empty());
  if (told) {
    burst->times = times;
    burst->timed = true;
  }
  delay = cycles_to_time(times.beat(beats_of(payload, beat_bytes) - 1)) - sc_core::sc_time_stamp();
}

engine::BeatTimes Memory::serve(const tlm::tlm_generic_payload& payload, uint64_t cycle,
                                unsigned beat_bytes) {
  if (dram_) {
    const uint64_t address = payload.get_address() - config_.base;
    const unsigned length = payload.get_data_length();
    if (config_.accesses) config_.accesses->add(cycle, address, length, payload.is_write());
    return payload.is_write() ? dram_->write(cycle, address, length, beat_bytes)
                              : dram_->read(cycle, address, length, beat_bytes);
  }
  const uint64_t beats = beats_of(payload, beat_bytes);
  return payload.is_write() ? channels_.write().serve_write(cycle, beats, beat_bytes)
                            : channels_.read().serve(cycle, beats, beat_bytes);
}

unsigned Memory::debug_transport(tlm::tlm_generic_payload& payload) {
  const unsigned length = payload.get_data_length();
  uint8_t* storage = locate(payload.get_address(), length);
  if (!storage || !payload.get_data_ptr()) return 0;
  if (payload.is_read()) {
    std::memcpy(payload.get_data_ptr(), storage, length);
  } else if (payload.is_write()) {
    std::memcpy(storage, payload.get_data_ptr(), length);
  } else {
    return 0;
  }
  return length;
}

bool Memory::direct_access(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  if (!config_.direct_access || !contains(payload.get_address(), 1) || !faults_.empty())
    return false;
  granted_ = true;
  auto* burst = payload.get_extension<BurstExtension>();
  if (burst && burst->clock == Clock()) burst->direct = {&channels_.read(), &channels_.write()};
  dmi.set_start_address(config_.base);
  dmi.set_end_address(config_.base + config_.size - 1);
  dmi.set_dmi_ptr(storage_);
  dmi.allow_read_write();
  return true;
}

}  // namespace mxe::platform
