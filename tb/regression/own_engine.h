// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "tb/cosim/engine_features.h"
#include "tb/regression/json_members.h"
#include "tb/rtl/rtl_engine.h"

namespace mxe {

/// Makes the RTL that a case runs on.
using MakeTop = decltype(RtlOptions::make_top);

/// The configuration in which the first wrong value of a failing case can be looked for.
inline constexpr const char* kWatchedConfig = "small";

/// The RTL that cases run on: the project's in a case's configuration, or an engine of your own.
struct RtlUnderTest {
  RtlUnderTest() : RtlUnderTest(make_rtl_top, make_watched_rtl_top) {}
  RtlUnderTest(MakeTop make, MakeTop watched = {})
      : make_top(std::move(make)), make_watched(std::move(watched)) {}

  MakeTop make_top;
  /// Makes the same RTL, in the configuration kWatchedConfig, with all its values to be seen; empty
  /// if there is no such design.
  MakeTop make_watched;
  /// The features of an engine of your own. Its parameters replace those of a case's configuration.
  std::optional<EngineFeatures> own;
  /// As in CoSimOptions. The model runs beside an engine of your own only if this is not negative:
  /// all but the times can be compared with the golden GEMM.
  double cycle_tolerance = 0;
  std::string library;          ///< where an engine of your own was loaded from
  std::string top = "mxe_top";  ///< its top module

  /// The features of the engine that runs a case for this configuration.
  EngineFeatures features(const std::string& config) const {
    return own ? *own : Params::named(config);
  }
};

/// Loads an engine from a shared library, which stays loaded. Times are not compared. Throws
/// mx::Error if there is none, if it was built for other headers than this program, or if its
/// description is wrong.
RtlUnderTest load_engine(const std::string& library);

/// The features that a description names (docs/bring-your-own-rtl.md). Throws mx::Error, which
/// starts with `where`.
EngineFeatures features_from_json(const Json& json, const std::string& where);

}  // namespace mxe
