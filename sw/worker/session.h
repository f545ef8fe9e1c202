// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/worker/channel.h"

namespace mxe::worker {

/// Serves one engine: the first request describes it, all others are jobs. Each has a reply, with
/// the key "error" if it failed. Returns when the socket is closed or the engine has failed.
void serve(Channel& channel);

}  // namespace mxe::worker
