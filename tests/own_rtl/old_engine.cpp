// SPDX-License-Identifier: Apache-2.0
// An engine for another version of the headers.
#include "model/platform/rtl/engine_plugin.h"

extern "C" const mxe::rtl::EnginePlugin mxe_engine;
const mxe::rtl::EnginePlugin mxe_engine = {"old", "{}", "top", "", nullptr};
