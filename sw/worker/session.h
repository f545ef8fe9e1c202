// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/worker/channel.h"

namespace mxe::worker {

/// Serves one engine, which the first request describes; each further request is a job. A reply
/// with the key "error" reports a failure. Returns after the socket is closed, or the engine failed
/// or could not be made.
void serve(Channel& channel);

}  // namespace mxe::worker
