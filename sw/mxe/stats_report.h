#pragma once

#include "command.h"
#include "numerics/study.h"

namespace mxe::cli {

/// Error statistics of a quantization, for machines.
Json to_json(const mx::QuantizationStats& stats);

}  // namespace mxe::cli
