// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <systemc>
#include <tlm>

#include "model/platform/clock.h"
#include "model/platform/pci/config_space.h"

namespace mxe::pci {

/// An engine, model or RTL, as a PCI function: what a guest's driver sees of it, whatever carries
/// the accesses. A transport calls the functions below and takes the messages; it binds `memory` to
/// the guest's memory. On the other side lies the engine:
///   regs    to EngineModule::regs: BAR 0
///   dma     from EngineModule::mem: passes to `memory` while the guest lets the function be master
///           of the bus, and is answered with an error otherwise
///   irq     from EngineModule::irq: each rising edge becomes a message
///
/// The engine's interrupt is a level, and a message is an edge. So the function sends another
/// message if the level is still high after a register was written that it depends on, and when the
/// guest enables messages while it is high. No event is lost whatever a handler does.
class PciFunction : public sc_core::sc_module {
 public:
  /// Takes a message to the guest. It is called from a process of the simulation and must not wait.
  using SendMessage = std::function<void(const Message&)>;

  tlm_utils::simple_initiator_socket<PciFunction> regs{"regs"};
  tlm_utils::simple_target_socket<PciFunction> dma{"dma"};
  tlm_utils::simple_initiator_socket<PciFunction> memory{"memory"};
  sc_core::sc_in<bool> irq{"irq"};

  /// `clock` is the engine's.
  PciFunction(const sc_core::sc_module_name& name, const Ids& ids, SendMessage send,
              const Clock& clock = {});

  /// Accesses of the guest to configuration space.
  void read_config(uint64_t offset, std::size_t bytes, uint8_t* data) const;
  void write_config(uint64_t offset, std::size_t bytes, const uint8_t* data);

  /// Accesses of the guest to BAR 0, in a SystemC thread, which waits for the engine. They have
  /// whole registers, one or several; of anything else, of what lies outside, of a register that
  /// answers with an error, and while the guest does not enable memory accesses, a read gives all
  /// ones, and a write is dropped.
  void read_bar0(uint64_t offset, std::size_t bytes, uint8_t* data);
  void write_bar0(uint64_t offset, std::size_t bytes, const uint8_t* data);

  /// Takes the function out of its slot, for good: reads give all ones, writes are dropped, the
  /// engine has no access to memory, no message is sent.
  void remove();
  bool removed() const { return removed_; }

  /// Messages sent so far.
  uint64_t messages() const { return messages_; }

 private:
  bool answers(uint64_t offset, std::size_t bytes) const;
  bool has_memory() const { return !removed_ && config_.bus_master(); }
  bool access_register(tlm::tlm_command command, uint64_t offset, uint8_t* data);
  void line_rose();
  void look_again();
  void send();

  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& payload);
  bool grant(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last);

  ConfigSpace config_;
  SendMessage send_;
  Clock clock_;
  bool removed_ = false;
  bool owed_ = false;  // a message, if the line is high when look_event_ comes
  uint64_t messages_ = 0;
  sc_core::sc_event look_event_;
};

}  // namespace mxe::pci
