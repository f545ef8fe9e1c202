// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/engine_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "mxe_counter_table.h"
#include "mxe_regs.h"

namespace mxe::cosim {

EngineCheck::EngineCheck(const CoSimOptions& options, const Batch& batch, const BatchResult& result,
                         std::size_t number, Scoreboard& scoreboard)
    : options_(options),
      batch_(batch),
      result_(result),
      engine_(result.device->name()),
      number_(number),
      scoreboard_(scoreboard) {
  counts_.bytes_written = batch.empty_jobs * kRecordBytes;
}

/// A mismatch of a whole batch has the number of the next job.
void EngineCheck::add(const std::string& what, const std::string& about) {
  scoreboard_.add({engine_, number_, what, about});
}

/// Returns true if the job's descriptor or record is in a ring entry with a bus error.
bool EngineCheck::meets(std::size_t job, const char* part_of_ring) const {
  return std::any_of(batch_.faults.begin(), batch_.faults.end(), [&](const BusFault& fault) {
    const std::size_t ring = options_.ring_entries;
    return fault.part == part_of_ring && fault.job % ring == job % ring;
  });
}

void EngineCheck::check_job(std::size_t i, const JobImage& image, Expectation expected) {
  const CosimJob& job = batch_.jobs[i];
  counts_ += expected.counts;
  const bool no_record = meets(i, "record");
  if (meets(i, "descriptor")) expected = {MXE_ERR_FETCH, image.before(), {}};
  const auto fault = std::find_if(
      batch_.faults.begin(), batch_.faults.end(),
      [&](const BusFault& f) { return f.job == i && image.byte_of(f.part, f.row, f.byte); });
  const bool faulty = fault != batch_.faults.end() && expected.result == MXE_OK;
  if (no_record) expected.result = MXE_ERR_FETCH;
  const int error = faulty && fault->part.back() == 'D' ? MXE_ERR_WRITE : MXE_ERR_READ;
  const auto check_outcome = [&](const JobOutcome& outcome, bool aborted) {
    const bool allowed = (aborted && outcome.result == MXE_ERR_ABORTED) ||
                         (faulty && outcome.result == (no_record ? MXE_ERR_FETCH : error));
    if (allowed) {
      scoreboard_.check_aborted(engine_, number_, job, image, expected, outcome);
    } else if (faulty && outcome.result == MXE_OK) {
      add(fmt::format("no bus error seen in {}", fault->part), job.describe());
    } else {
      scoreboard_.check(engine_, number_, job, image, expected, outcome);
    }
    observe(job, image, expected, outcome);
  };
  if (i < result_.before_reset.size()) check_outcome(result_.before_reset[i], true);
  check_outcome(result_.outcomes[i], false);
  number_++;
}

void EngineCheck::observe(const CosimJob& job, const JobImage& image, const Expectation& expected,
                          const JobOutcome& outcome) {
  if (engine_ != "rtl" || !options_.observer || !scoreboard_.mismatches().empty()) return;
  options_.observer->job_compared(job, image, expected, outcome);
}

void EngineCheck::check_registers() {
  check_last_job();
  check_faults();
  if (features().counters && !adds_up(result_.counters)) {
    add(fmt::format("counters: total is {}, its parts add up to another number",
                    result_.counters.total));
  }
}

void EngineCheck::check_last_job() {
  const std::size_t last = batch_.jobs.size() - 1;
  const mxe_completion& record = result_.outcomes[last].completion;
  uint32_t id = record.job_id, status = record.status;
  // Without a record, the driver's report differs from the engine's registers.
  if (meets(last, "descriptor"))
    id = 0;
  else if (meets(last, "record"))
    status = MXE_STATUS_ERR_WRITE;
  if (result_.last_job == id && result_.last_status == status) return;
  add(fmt::format("LAST_JOB is {:#x} and LAST_STATUS {}, expected {:#x} and {}", result_.last_job,
                  result_.last_status, id, status),
      batch_.jobs[last].describe());
}

/// Returns true if `address` is the start of a beat and a byte of the longest burst from there is
/// faulty.
bool EngineCheck::is_faulty(uint64_t address) const {
  const uint64_t beat = options_.params.mem_bytes();
  const uint64_t burst = beat * options_.params.max_burst;
  return address % beat == 0 &&
         std::any_of(result_.faulty_bytes.begin(), result_.faulty_bytes.end(),
                     [&](uint64_t byte) { return byte >= address && byte - address < burst; });
}

/// is_faulty() must hold for each reported address; the last job with a bus error must report one.
void EngineCheck::check_faults() {
  if (!features().faults) return;
  bool last = true;
  for (std::size_t i = result_.outcomes.size(); i-- > 0;) {
    const JobOutcome& outcome = result_.outcomes[i];
    if (!outcome.is_bus_error()) continue;
    const mxe_completion& record = outcome.completion;
    const bool told = record.fault_operand != MXE_FAULT_NONE;
    if (told ? !is_faulty(record.fault_addr) : last) {
      add(fmt::format("FAULT_ADDR is {:#x} and the operand {}, where no byte is faulty",
                      record.fault_addr, record.fault_operand),
          batch_.jobs[i].describe());
    }
    last = false;
  }
}

void EngineCheck::check_counts() {
  if (!features().counters) return;
  scoreboard_.check_counts(engine_, number_, counts_, result_.counters);
}

}  // namespace mxe::cosim
