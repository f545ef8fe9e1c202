// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/worker/channel.h"

namespace mxe::worker {

/// Serves one engine: the first request describes it, every other one is a job. Every request gets
/// a reply, which has the key "error" if it could not be done. Returns when the other side has had
/// enough, or when there is no engine to go on with.
void serve(Channel& channel);

}  // namespace mxe::worker
