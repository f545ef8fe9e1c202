// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tb/regression/cosim_case.h"

namespace mxe {

/// The random case of a seed: memory, back-pressure and driver, then batches of jobs until there
/// are at least `jobs`. In one of four cases the model computes block by block. Most batches only
/// run jobs; some have register traffic, a reset or bus errors.
CoSimCase random_case(const std::string& config, uint64_t seed, std::size_t jobs);
/// The same for an engine that is no configuration: jobs within its features, and a few beyond.
CoSimCase random_case(const EngineFeatures& engine, uint64_t seed, std::size_t jobs);

}  // namespace mxe
