// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "model/numerics/block/presets.h"

namespace mxe::python {

struct NamedQuantizer {
  numerics::Quantizer quantizer;
  std::string format, preset;
};

void bind_quantizers(nanobind::module_& module);

}  // namespace mxe::python
