// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/engine/timing/common/trace.h"
#include "model/numerics/files/files.h"

namespace mxe::engine {

/// Writes a trace as JSON for Perfetto (ui.perfetto.dev) and chrome://tracing: one thread per
/// track, one complete event ("ph": "X") per slice. One cycle is shown as one microsecond, because
/// these viewers have no unit of cycles.
class ChromeTrace : public Tracer {
 public:
  /// Throws Error if `path` cannot be written.
  explicit ChromeTrace(const std::string& path);

  void slice(Track track, const char* what, uint64_t begin, uint64_t end,
             TraceDetails details) override;
  /// Completes the file. Throws Error if a part could not be written.
  void close();

 private:
  numerics::OutputFile file_;
};

}  // namespace mxe::engine
