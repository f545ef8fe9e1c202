// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/platform/dram/clock.h"
#include "model/platform/dram/fr_fcfs_channel.h"
#include "model/platform/dram/tickets.h"

namespace mxe::dram {

/// Channels with FR-FCFS controllers. A write is answered when it enters the write queue.
class FrFcfs : public Dram {
 public:
  explicit FrFcfs(const Config& config);

  uint64_t submit(const Request& request) override;
  void advance(uint64_t to_ps) override;
  std::vector<Completion> take_completions() override;
  uint64_t next_event_ps() const override;
  bool has_room(bool is_write) const override;
  Statistics statistics() const override;
  void record_commands() override;
  const std::vector<CommandRecord>& log(unsigned unit) const override;

 private:
  Config config_;
  AddressMap map_;
  Clock clock_;
  std::vector<FrFcfsChannel> channels_;
  Tickets tickets_;
  uint64_t advanced_ps_ = 0;
};

}  // namespace mxe::dram
