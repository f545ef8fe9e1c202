// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/numerics/quantize/study.h"
#include "sw/mxe/command.h"

namespace mxe::cli {

Json to_json(const numerics::QuantizationStats& stats);

}  // namespace mxe::cli
