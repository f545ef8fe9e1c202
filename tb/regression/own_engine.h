// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "model/platform/rtl/rtl_engine.h"
#include "tb/cosim/engine_features.h"
#include "tb/regression/json_members.h"

namespace mxe::regression {

using MakeTop = decltype(rtl::RtlOptions::make_top);

/// Configuration that supports the search for the first wrong value.
inline constexpr const char* kWatchedConfig = "small";

/// The RTL under test: the project's in a case's configuration, or your own engine.
struct RtlUnderTest {
  RtlUnderTest() : RtlUnderTest(rtl::make_rtl_top, rtl::make_watched_rtl_top) {}
  RtlUnderTest(MakeTop make, MakeTop watched = {})  // NOLINT: implicit by design
      : make_top(std::move(make)), make_watched(std::move(watched)) {}

  MakeTop make_top;
  /// Creates the same RTL in configuration kWatchedConfig with all values visible; may be empty.
  MakeTop make_watched;
  /// Features of your own engine. Its parameters replace those of a case's configuration.
  std::optional<cosim::EngineFeatures> own;
  /// See CoSimOptions. If it is negative, the model does not run with your own engine.
  double cycle_tolerance = 0;
  std::string library;
  std::string top = "mxe_top";

  cosim::EngineFeatures features(const std::string& config) const {
    return own ? *own : Params::named(config);
  }
};

/// Loads an engine and keeps it loaded; times are not compared. Throws Error if the file is
/// missing, has another interface version or an invalid description, or if its sources were edited
/// since.
RtlUnderTest load_engine(const std::string& library);

/// Reads the description of docs/bring-your-own-rtl.md. Throws Error starting with `where`.
cosim::EngineFeatures features_from_json(const Json& json, const std::string& where);

}  // namespace mxe::regression
