// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/platform/dram/clock.h"
#include "model/platform/dram/tickets.h"

namespace mxe::dram {

/// A memory with the peak rate and the idle latency of a DRAM, but without its banks, rows,
/// refreshes and turnarounds. Each channel transfers its accesses in the order of the calls.
class Ideal : public Dram {
 public:
  explicit Ideal(const Config& config);

  uint64_t submit(const Request& request) override;
  void advance(uint64_t /*to_ps*/) override {}
  std::vector<Completion> take_completions() override { return tickets_.take(); }
  uint64_t next_event_ps() const override { return kNever; }
  bool has_room(bool /*is_write*/) const override { return true; }
  Statistics statistics() const override { return {}; }
  void record_commands() override {}
  const std::vector<CommandRecord>& log(unsigned /*unit*/) const override { return log_; }

 private:
  Config config_;
  AddressMap map_;
  Clock clock_;
  uint64_t latency_ps_;
  std::vector<uint64_t> free_cycle_;  // of each data bus
  Tickets tickets_;
  std::vector<CommandRecord> log_;  // stays empty
};

}  // namespace mxe::dram
