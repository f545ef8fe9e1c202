// SPDX-License-Identifier: Apache-2.0
// Checks of the RTL's blocks. A check takes its block's inputs as they are, right or wrong.
#pragma once

#include <memory>
#include <vector>

#include "tb/blame/design.h"
#include "tb/blame/job.h"

namespace mxe::blame {

using Checks = std::vector<std::unique_ptr<Check>>;

/// State that all checks share; `job` is zero before the first job.
struct Context {
  mutable Design design;
  Job job;
};

void add_control(const Context& context, Checks& checks);
/// Loaders of A, B and C, and rows of C and D: addresses and order.
void add_loaders(const Context& context, Checks& checks);
void add_read_port(const Context& context, Checks& checks);
void add_buffers(const Context& context, Checks& checks);
/// Feeder and sequencer: B words, passes and rows in the order of the loop nest.
void add_passes(const Context& context, Checks& checks);
void add_array(const Context& context, Checks& checks);
void add_results(const Context& context, Checks& checks);
void add_write_port(const Context& context, Checks& checks);
void add_storage(const Context& context, Checks& checks);

}  // namespace mxe::blame
