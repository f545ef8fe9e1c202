// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/engine/timing/common/trace.h"
#include "model/numerics/files/files.h"

namespace mxe::engine {

/// Writes a trace as the JSON that Perfetto (ui.perfetto.dev) and chrome://tracing open: a thread
/// for every track, a complete event ("ph": "X") for every slice. One clock cycle is one
/// microsecond there, because these viewers have no unit of cycles.
class ChromeTrace : public Tracer {
 public:
  /// Throws Error if `path` cannot be written.
  explicit ChromeTrace(const std::string& path);

  void slice(Track track, const char* what, uint64_t begin, uint64_t end,
             TraceDetails details) override;
  /// Completes the file; no slice may follow. Throws Error if a part could not be written.
  void close();

 private:
  numerics::OutputFile file_;
};

}  // namespace mxe::engine
