// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/platform/dram/clock.h"
#include "model/platform/dram/plugin_library.h"
#include "model/platform/dram/tickets.h"

namespace mxe::dram {

/// A memory of a plug-in. Splits requests into whole accesses and checks each answer: it throws
/// Error for an answer that breaks a rule of plugin.h. Has no statistics and no commands.
class PluginDram : public Dram {
 public:
  /// Cycles of the engine after which an access without an answer is an Error.
  static constexpr uint64_t kPatience = 1'000'000;

  /// `engine`: the engine's clock. Throws Error if the plug-in refuses.
  PluginDram(std::shared_ptr<PluginLibrary> library, const Clock& engine);

  uint64_t access_bytes() const { return access_bytes_; }

  /// A request that arrives before the last advance() arrives at the time of that advance().
  uint64_t submit(const Request& request) override;
  void advance(uint64_t to_ps) override;
  std::vector<Completion> take_completions() override { return tickets_.take(); }
  uint64_t next_event_ps() const override;
  bool has_room(bool /*is_write*/) const override { return waiting_.empty(); }
  Statistics statistics() const override { return {}; }
  void record_commands() override {}
  const std::vector<CommandRecord>& log(unsigned /*unit*/) const override { return log_; }

 private:
  struct Access {
    uint64_t address;
    bool is_write;
    uint64_t arrival_ps;
    uint64_t ticket;  // of the request
  };
  struct Destroy {
    const mxe_dram_plugin* functions;
    void operator()(void* memory) const { functions->destroy(memory); }
  };
  using Memory = std::unique_ptr<void, Destroy>;

  Memory create();
  uint64_t next_step(uint64_t to_ps) const;
  void offer_accesses();
  bool offer(const Access& access);
  void collect();
  void complete(const mxe_dram_completion& completion);
  void require_progress();
  [[noreturn]] void refuse(uint64_t ticket, const std::string& problem);

  std::shared_ptr<PluginLibrary> library_;
  double clock_ps_;
  uint64_t cycle_ps_;  // clock_ps_, rounded up
  uint64_t access_bytes_ = 0;
  Memory memory_;
  uint64_t now_ps_ = 0;                            // of the last advance() of the plug-in
  uint64_t progress_ps_ = 0;                       // of the last acceptance or completion
  std::deque<Access> waiting_;                     // not accepted yet
  std::unordered_map<uint64_t, Access> accepted_;  // not completed yet, by ticket of the plug-in
  uint64_t next_access_ = 0;                       // next ticket of the plug-in
  Tickets tickets_;
  std::vector<CommandRecord> log_;  // stays empty
};

}  // namespace mxe::dram
