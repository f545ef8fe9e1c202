// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tb/regression/cosim_case.h"

namespace mxe::regression {

/// The random case of a seed: memory, back-pressure and driver settings, then batches with at least
/// `jobs` jobs in total. In one of four cases the model computes with structural blocks. Some
/// batches have register traffic, a reset or bus errors.
CoSimCase random_case(const std::string& config, uint64_t seed, std::size_t jobs);
/// The same for an engine that is not a named configuration; a few jobs exceed its features.
CoSimCase random_case(const cosim::EngineFeatures& engine, uint64_t seed, std::size_t jobs);

}  // namespace mxe::regression
