// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tb/regression/cosim_case.h"

namespace mxe::regression {

/// The random case of a seed: memory, back-pressure and driver settings, then batches with `jobs`
/// jobs in total, some with disturbances. One case in four uses structural blocks.
CoSimCase random_case(const std::string& config, uint64_t seed, std::size_t jobs);
/// As random_case() of a configuration, for an engine with these features; some jobs exceed them.
CoSimCase random_case(const cosim::EngineFeatures& engine, uint64_t seed, std::size_t jobs);

/// Draws a DRAM and the engine's clock for the case of a seed, by a separate random sequence.
void draw_dram(CoSimCase& cosim_case, uint64_t seed);

}  // namespace mxe::regression
