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

/// An engine, model or RTL, as a PCI function. The transport calls the functions below, receives
/// the messages and binds `memory` to the guest's memory. Sockets to the engine:
///   regs    to EngineModule::regs: BAR 0
///   dma     from EngineModule::mem: forwarded to `memory` while bus master is set, else an error
///   irq     from EngineModule::irq: each rising edge sends a message
/// The interrupt is a level, a message an edge. So the function sends another message if the level
/// is still high after a write of IRQ_STATUS or IRQ_MASK, and when the guest enables messages.
class PciFunction : public sc_core::sc_module {
 public:
  /// Sends a message to the guest. Called from a SystemC process; must not wait.
  using SendMessage = std::function<void(const Message&)>;

  tlm_utils::simple_initiator_socket<PciFunction> regs{"regs"};
  tlm_utils::simple_target_socket<PciFunction> dma{"dma"};
  tlm_utils::simple_initiator_socket<PciFunction> memory{"memory"};
  sc_core::sc_in<bool> irq{"irq"};

  PciFunction(const sc_core::sc_module_name& name, const Ids& ids, SendMessage send,
              const platform::Clock& clock = {});

  void read_config(uint64_t offset, std::size_t bytes, uint8_t* data) const;
  void write_config(uint64_t offset, std::size_t bytes, const uint8_t* data);

  /// The guest's accesses to whole registers of BAR 0, in a SystemC thread, because they wait.
  /// Other sizes, addresses outside, errors and disabled memory read as all ones and drop writes.
  void read_bar0(uint64_t offset, std::size_t bytes, uint8_t* data);
  void write_bar0(uint64_t offset, std::size_t bytes, const uint8_t* data);

  /// Removes the function: reads return all ones, writes are dropped, no memory access or message.
  void remove();
  bool removed() const { return removed_; }

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
  platform::Clock clock_;
  bool removed_ = false;
  bool owed_ = false;  // send a message if the line is high at look_event_
  uint64_t messages_ = 0;
  sc_core::sc_event look_event_;
};

}  // namespace mxe::pci
