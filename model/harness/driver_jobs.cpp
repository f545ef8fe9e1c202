// SPDX-License-Identifier: Apache-2.0
#include "model/harness/driver_jobs.h"

#include <fmt/format.h>

namespace mxe::harness {
namespace {

// Simulated time. The RTL platform detects a hang after far fewer cycles; in the model, the timeout
// passes at once if no event is pending.
constexpr uint32_t kTimeoutUs = UINT32_MAX;

void require_ok(int code, const char* what) {
  if (code != MXE_OK) throw DeviceFailure(fmt::format("{}: {}", what, mxe_strerror(code)));
}

}  // namespace

mxe_device open_device(const mxe_port& port, const mxe_ring& ring) {
  mxe_device device{};
  require_ok(mxe_open(&device, &port, &ring), "cannot start the engine");
  return device;
}

JobRun run_job(mxe_device& device, const mxe_job& job) {
  uint32_t id = 0;
  mxe_completion completion{};
  JobRun run;
  require_ok(mxe_clear_counters(&device), "cannot clear the counters");
  require_ok(mxe_submit(&device, &job, nullptr, &id), "cannot submit the job");
  require_ok(mxe_wait(&device, id, kTimeoutUs, &completion), "the job failed");
  require_ok(mxe_read_counters(&device, &run.counters), "cannot read the counters");
  run.cycles = completion.cycles;
  return run;
}

}  // namespace mxe::harness
