// SPDX-License-Identifier: Apache-2.0
#include "model/platform/dram/plugin_dram.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "model/numerics/base/error.h"

namespace mxe::dram {
namespace {

constexpr uint64_t kLeastAccess = 8, kMostAccess = 4096;

bool is_access_size(uint64_t bytes) {
  return bytes >= kLeastAccess && bytes <= kMostAccess && (bytes & (bytes - 1)) == 0;
}

const char* kind_of(bool is_write) { return is_write ? "write" : "read"; }

}  // namespace

PluginDram::PluginDram(std::shared_ptr<PluginLibrary> library, const Clock& engine)
    : library_(std::move(library)),
      clock_ps_(static_cast<double>(engine.period_fs()) / 1000),
      cycle_ps_(engine.ps_of(1)),
      memory_(create()) {}

PluginDram::Memory PluginDram::create() {
  std::array<char, 1024> error{};
  uint32_t access_bytes = 0;
  const mxe_dram_plugin& functions = library_->functions();
  Memory memory(functions.create(library_->options().c_str(), clock_ps_, &access_bytes,
                                 error.data(), error.size()),
                Destroy{&functions});
  error.back() = 0;
  if (!memory)
    library_->fail(fmt::format("refuses: {}", error[0] ? error.data() : "no reason given"));
  if (!is_access_size(access_bytes)) {
    library_->fail(fmt::format("has accesses of {} bytes; allowed: a power of two from {} to {}",
                               access_bytes, kLeastAccess, kMostAccess));
  }
  access_bytes_ = access_bytes;
  return memory;
}

uint64_t PluginDram::submit(const Request& request) {
  Tickets::check(request, 0);
  const uint64_t first = request.address / access_bytes_,
                 last = (request.address + request.bytes - 1) / access_bytes_;
  const uint64_t ticket = tickets_.open(last - first + 1);
  const uint64_t arrival = std::max(request.arrival_ps, now_ps_);
  for (uint64_t i = first; i <= last; i++) {
    waiting_.push_back({i * access_bytes_, request.is_write, arrival, ticket});
  }
  offer_accesses();
  return ticket;
}

void PluginDram::advance(uint64_t to_ps) {
  while (now_ps_ < to_ps) {
    const uint64_t next = next_step(to_ps);
    library_->functions().advance(memory_.get(), next);
    collect();
    now_ps_ = next;
    offer_accesses();
    require_progress();
  }
}

/// An access that was refused is offered in the next cycle of the engine.
uint64_t PluginDram::next_step(uint64_t to_ps) const {
  if (waiting_.empty()) return to_ps;
  const uint64_t arrival = waiting_.front().arrival_ps;
  return std::min(to_ps, arrival > now_ps_ ? arrival : now_ps_ + cycle_ps_);
}

uint64_t PluginDram::next_event_ps() const {
  return waiting_.empty() && accepted_.empty() ? kNever : now_ps_ + cycle_ps_;
}

void PluginDram::offer_accesses() {
  while (!waiting_.empty() && waiting_.front().arrival_ps <= now_ps_ && offer(waiting_.front())) {
    accepted_.emplace(next_access_++, waiting_.front());
    progress_ps_ = now_ps_;
    waiting_.pop_front();
    collect();
  }
}

bool PluginDram::offer(const Access& access) {
  const int result = library_->functions().submit(memory_.get(), access.address,
                                                  access.is_write ? 1 : 0, now_ps_, next_access_);
  if (result == MXE_DRAM_ACCEPTED || result == MXE_DRAM_FULL) return result == MXE_DRAM_ACCEPTED;
  library_->fail(
      fmt::format("returns {} for a {} of {} bytes at {:#x}; allowed: 1 (accepted), 0 (no room)",
                  result, kind_of(access.is_write), access_bytes_, access.address));
}

void PluginDram::collect() {
  std::array<mxe_dram_completion, 32> buffer{};
  std::size_t count = buffer.size();
  while (count == buffer.size()) {
    count = library_->functions().take(memory_.get(), buffer.data(), buffer.size());
    if (count > buffer.size()) {
      library_->fail(fmt::format("returns {} completions; allowed: up to the capacity of {}", count,
                                 buffer.size()));
    }
    std::for_each_n(buffer.begin(), count, [this](const auto& done) { complete(done); });
  }
}

void PluginDram::complete(const mxe_dram_completion& completion) {
  const uint64_t ticket = completion.ticket;
  const auto found = accepted_.find(ticket);
  if (found == accepted_.end()) {
    refuse(ticket, ticket < next_access_ ? "which is already complete" : "which it never accepted");
  }
  if (completion.time_ps < found->second.arrival_ps) {
    refuse(ticket, fmt::format("at {} ps, before its arrival at {} ps", completion.time_ps,
                               found->second.arrival_ps));
  }
  if (completion.time_ps < now_ps_) {
    refuse(ticket,
           fmt::format("at {} ps, after the time had reached {} ps", completion.time_ps, now_ps_));
  }
  tickets_.finish(found->second.ticket, completion.time_ps);
  accepted_.erase(found);
  progress_ps_ = now_ps_;
}

void PluginDram::refuse(uint64_t ticket, const std::string& problem) {
  library_->fail(fmt::format("completes ticket {}, {}", ticket, problem));
}

/// The plug-in must accept or complete an access within kPatience.
void PluginDram::require_progress() {
  if (waiting_.empty() && accepted_.empty()) progress_ps_ = now_ps_;
  if (now_ps_ - progress_ps_ <= kPatience * cycle_ps_) return;
  const bool is_accepted = !accepted_.empty();
  const Access& access = is_accepted ? accepted_.begin()->second : waiting_.front();
  library_->fail(fmt::format("does not {} a {} at {:#x} within {} cycles of the engine",
                             is_accepted ? "complete" : "accept", kind_of(access.is_write),
                             access.address, kPatience));
}

}  // namespace mxe::dram
