// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/platform/dram/clock.h"
#include "model/platform/dram/in_order_channel.h"
#include "model/platform/dram/tickets.h"

namespace mxe::dram {

/// The quick mode: each request is answered within submit(). Reads are served in the order of the
/// calls; writes are posted. A read also serves the writes that arrived before it, by their times,
/// so writes may be submitted before earlier reads.
class InOrder : public Dram {
 public:
  explicit InOrder(const Config& config);

  uint64_t submit(const Request& request) override;
  void advance(uint64_t /*to_ps*/) override {}
  std::vector<Completion> take_completions() override { return tickets_.take(); }
  uint64_t next_event_ps() const override { return kNever; }
  bool has_room(bool /*is_write*/) const override { return true; }
  Statistics statistics() const override;
  void record_commands() override;
  const std::vector<CommandRecord>& log(unsigned unit) const override;

  /// Serves a request and returns its completion.
  Completion serve(const Request& request);

 private:
  Config config_;
  AddressMap map_;
  Clock clock_;
  std::vector<InOrderChannel> channels_;
  Tickets tickets_;
};

}  // namespace mxe::dram
