// SPDX-License-Identifier: Apache-2.0
#include "tb/coverage/device_bins.h"

#include <array>

#include "model/numerics/base/error.h"
#include "mxe_counter_table.h"

namespace mxe::coverage {
namespace {

const char* const kStatuses = "status";
const char* const kAfter = "job done after";
const char* const kCounters = "counters";
constexpr uint64_t kLowHalf = 0xFFFFFFFF;

struct Status {
  const char* name;
  int result;
};
constexpr std::array<Status, 11> kResults = {{{"OK", MXE_OK},
                                              {"ERR_DESCRIPTOR", MXE_ERR_DESCRIPTOR},
                                              {"ERR_SHAPE", MXE_ERR_SHAPE},
                                              {"ERR_FORMAT", MXE_ERR_FORMAT},
                                              {"ERR_PAIR", MXE_ERR_PAIR},
                                              {"ERR_OUT_FORMAT", MXE_ERR_OUT_FORMAT},
                                              {"ERR_ALIGN", MXE_ERR_ALIGN},
                                              {"ERR_READ", MXE_ERR_READ},
                                              {"ERR_WRITE", MXE_ERR_WRITE},
                                              {"ERR_FETCH", MXE_ERR_FETCH},
                                              {"ERR_ABORTED", MXE_ERR_ABORTED}}};

std::string status_name(int result) {
  for (const Status& status : kResults) {
    if (status.result == result) return status.name;
  }
  return mxe_strerror(result);  // no bin has this name, so hit() throws
}

}  // namespace

void DeviceBins::define(Bins& bins) {
  std::vector<std::string> statuses, counters;
  for (const Status& status : kResults) statuses.emplace_back(status.name);
  for (const CounterInfo& counter : counter_table) {
    counters.push_back(std::string(counter.name) + ", moved");
    counters.push_back(std::string(counter.name) + ", beyond 2^32");
  }
  bins.define(kStatuses, "How jobs ended.", ShortRun::some, statuses);
  bins.define(kAfter, "How the job ended before one that ended well.", ShortRun::some, statuses);
  bins.define(kCounters, "Every counter moved, and was seen beyond 32 bits.", ShortRun::some,
              counters);
}

void DeviceBins::job_ended(const cosim::JobOutcome& outcome, Bins& bins) {
  const std::string status = status_name(outcome.result);
  bins.hit(kStatuses, status);
  if (outcome.result == MXE_OK && !last_status_.empty()) bins.hit(kAfter, last_status_);
  last_status_ = status;
}

void DeviceBins::counters_are(const struct mxe_counters& counters, const struct mxe_counters& read,
                              Bins& bins) const {
  for (const CounterInfo& counter : counter_table) {
    if (counters.*counter.value != 0) bins.hit(kCounters, std::string(counter.name) + ", moved");
    if (read.*counter.value > kLowHalf)
      bins.hit(kCounters, std::string(counter.name) + ", beyond 2^32");
  }
}

}  // namespace mxe::coverage
