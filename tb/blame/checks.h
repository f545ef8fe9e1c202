// SPDX-License-Identifier: Apache-2.0
// The checks of the RTL's blocks, each from what its block got and not from what it should have
// got: a wrong operand is the fault of the block that brought it.
#pragma once

#include <memory>
#include <vector>

#include "tb/blame/design.h"
#include "tb/blame/job.h"

namespace mxe::blame {

using Checks = std::vector<std::unique_ptr<Check>>;

/// What is the same for all of a job. All zero before the first one.
struct Context {
  mutable Design design;
  Job job;
};

/// The sizes of a job, and the walkers of the loop nest.
void add_control(const Context& context, Checks& checks);
/// Loaders and rows of C and D against the loop nest: which bytes are fetched, in which order.
void add_loaders(const Context& context, Checks& checks);
/// Read port and unpacker: bursts of the fetches, words of the bursts.
void add_read_port(const Context& context, Checks& checks);
/// Operand and bias buffers.
void add_buffers(const Context& context, Checks& checks);
/// Feeder and sequencer: B words, passes and rows in the order of the loop nest.
void add_passes(const Context& context, Checks& checks);
/// Element decode, array and processing elements.
void add_array(const Context& context, Checks& checks);
/// Drain, merge, requantiser and block writer.
void add_results(const Context& context, Checks& checks);
/// Write port.
void add_write_port(const Context& context, Checks& checks);
/// Every mxe_ram and mxe_fifo there is.
void add_storage(const Context& context, Checks& checks);

}  // namespace mxe::blame
