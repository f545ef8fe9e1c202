// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "mxe_driver.h"
#include "tb/cosim/scoreboard.h"
#include "tb/coverage/bins.h"

namespace mxe::coverage {

class DeviceBins {
 public:
  static void define(Bins& bins);

  /// Counts the result of a job together with that of its predecessor.
  void job_ended(const cosim::JobOutcome& outcome, Bins& bins);
  void counters_are(const struct mxe_counters& counters, const struct mxe_counters& read,
                    Bins& bins) const;

 private:
  std::string last_status_;
};

}  // namespace mxe::coverage
