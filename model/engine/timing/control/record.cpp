// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/control/record.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace mxe::engine {

void Record::push(uint64_t cycle, const Job& job) {
  Entry& entry = jobs_.emplace_back();
  entry.job = job;
  // A descriptor that could not be read has no id.
  if (job.status == MXE_STATUS_ERR_FETCH) entry.job.job_id = 0;
  entry.pushed_cycle = cycle;
}

uint64_t Record::Entry::ready() const {
  const uint64_t answered = job.results ? job.results->last_cycle() : 0;
  return answered == kNever ? kNever : std::max(pushed_cycle, answered) + 1;
}

uint64_t Record::Entry::complete() const {
  if (!record) return complete_cycle;
  const uint64_t answered = record->last_cycle();
  return answered == kNever ? kNever : answered + 1;
}

uint64_t Record::end_cycle() const {
  return writes_ || !waiting() ? kNever : std::max(jobs_[ended_].ready(), idle_cycle_);
}

void Record::end(uint64_t cycle, uint64_t cycles, uint64_t address) {
  Entry& entry = jobs_[ended_++];
  entry.cycles = cycles;
  entry.address = address;
  last_end_ = cycle;
  // The slot of a descriptor that could not be read is not written.
  if (entry.job.status == MXE_STATUS_ERR_FETCH) {
    entry.complete_cycle = cycle + 1;
    idle_cycle_ = cycle + 1;
    trace_.slice(Track::record, "complete", cycle, cycle + 2, {{"slot", entry.job.index}});
    return;
  }
  writes_ = true;
  write_request_cycle_ = entry.request_cycle = cycle + 1;
}

uint64_t Record::write_cycle() const {
  if (is_accepted_) return port_.known_cycle();
  return writes_ && !is_held() ? std::max(write_request_cycle_, port_.ready_cycle()) : kNever;
}

/// The write port accepts the record.
void Record::begin_write() {
  const uint64_t accepted = write_cycle();
  const Entry& entry = jobs_[ended_ - 1];
  std::array<uint8_t, kBytes> record{};
  std::memcpy(record.data(), &entry.job.status, 4);
  std::memcpy(record.data() + 4, &entry.job.job_id, 4);
  std::memcpy(record.data() + 8, &entry.cycles, 8);
  port_.accept(accepted, entry.address + MXE_DESC_STATUS, kBytes, record.data(), MXE_FAULT_RECORD);
  is_accepted_ = true;
  offset_ = 0;
  offered_ = accepted + 1;
}

std::optional<uint64_t> Record::write() {
  if (!is_accepted_) begin_write();
  for (; offset_ < kBytes; offset_ += port_.segment_bytes()) {
    if (port_.known_cycle() == kNever) return std::nullopt;
    offered_ = port_.take(offered_) + 1;
  }
  jobs_[ended_ - 1].record = port_.record_answers();
  writes_ = is_accepted_ = false;
  idle_cycle_ = offered_;
  return offered_;
}

uint64_t Record::error_cycle() const {
  uint64_t error = kNever;
  for (const Entry& entry : jobs_) error = std::min(error, entry.error_cycle());
  return error;
}

const Record::Job& Record::fail() {
  const uint64_t error = error_cycle();
  const auto failed = std::find_if(
      jobs_.begin(), jobs_.end(), [&](const Entry& entry) { return entry.error_cycle() == error; });
  failed->has_failed = true;
  failed->job.status = MXE_STATUS_ERR_WRITE;
  return failed->job;
}

Record::Completed Record::complete() {
  const Entry entry = jobs_.front();
  jobs_.pop_front();
  ended_--;
  completed_cycle_ = entry.complete() + 1;
  Completed completed{entry.job.status, entry.job.job_id, entry.job.index, false, {}};
  if (!entry.record) return completed;
  trace_.slice(Track::record, "record", entry.request_cycle, completed_cycle_,
               {{"slot", entry.job.index}});
  if (entry.record->error == kNever) return completed;
  const uint32_t status = entry.job.status;
  completed.failed = status != MXE_STATUS_ERR_READ && status != MXE_STATUS_ERR_WRITE;
  completed.fault = entry.record->fault;
  completed.status = MXE_STATUS_ERR_WRITE;
  return completed;
}

}  // namespace mxe::engine
