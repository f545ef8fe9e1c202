#pragma once

#include "command.h"
#include "device.h"
#include "matmul_job.h"

namespace mxe::cli {

/// What `matmul` and `estimate` report about, besides what the device says.
struct MatmulReport {
  MatmulShape shape;
  Target on;
  Params params;
};

/// Useful multiply-accumulates over those the engine could have done in `cycles`: 0 to 1.
double utilization(const MatmulReport& report, uint64_t cycles);

/// The keys of both commands. The reference has no clock: its cycles, utilization and bytes are
/// null and its counters are empty.
Json to_json(const MatmulReport& report, const DeviceResult& result);

/// The same for people, on stdout.
void print_text(const MatmulReport& report, const DeviceResult& result);

}  // namespace mxe::cli
