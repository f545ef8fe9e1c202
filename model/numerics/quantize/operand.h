// SPDX-License-Identifier: Apache-2.0
// Operands of matrix products from quantized arrays of any preset.
#pragma once

#include <optional>
#include <string>

#include "model/numerics/block/presets.h"
#include "model/numerics/quantize/quantize.h"
#include "model/numerics/quantize/tensor.h"

namespace mxe::numerics {

/// The scales of products with these codes: e4m3 are UE4M3, e5m3 are UE5M3. Empty if there are
/// none.
std::optional<ScaleKind> find_scale_kind(const ScaleFormat& scales);

/// Elements and scales of a product's operand with this quantizer. Throws Error, which begins with
/// `name`, if no product has such an operand: custom formats, shifted elements, blocks over several
/// rows of an array, and scales without a code or other than those of check(ScaledFormat).
ScaledFormat operand_format(const ElementFormat& format, const QuantizerOptions& options,
                            const std::string& name);

/// All matrices of an array, one below the other, with K along the rows. `k_last`: K is the last
/// axis, else the one before. Tensor scales become tensor_scales; row scales become one for each
/// row. Throws Error as operand_format(), and for blocks along another axis.
MxTensor operand_of(const QuantizedArray& array, bool k_last, const std::string& name);

/// The same for codes without scales. Throws Error for codes that the format does not have.
MxTensor operand_without_scales(FormatId format, const std::vector<uint8_t>& codes,
                                const std::vector<std::size_t>& shape, bool k_last,
                                const std::string& name);

}  // namespace mxe::numerics
