// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/numerics/quantize/assemble.h"
#include "sw/arrays/arrays.h"
#include "sw/arrays/packing.h"
#include "sw/mxe/quantizer_choice.h"

namespace CLI {
class App;
}

namespace mxe::cli {

/// Codes, scales and scales of the whole array in files: `dequantize`, and the operands of
/// `matmul`, whose options end in "-a" or "-b".
struct CodesChoice {
  std::string suffix;  ///< of the options: empty, "-a" or "-b"
  std::string elements, scales, row_amaxes;
  std::optional<float> tensor_scale, tensor_amax;
  std::optional<std::size_t> length;
  arrays::Packing packing = arrays::Packing::none;
  bool swizzled = false;

  /// Adds the options of scales of the whole array: --tensor-scale, --tensor-amax, --row-amax.
  void add_whole_scale_to(CLI::App& command);
  /// Adds --pack, --swizzle and --length.
  void add_storage_to(CLI::App& command);

  /// Sets shape and codes.
  void read_elements(arrays::InputFiles& files, const numerics::ElementFormat& format,
                     numerics::ArrayParts& parts) const;
  /// Sets shape and codes or numbers of the scales, after read_elements(). `axis` is that of the
  /// blocks, for --swizzle. Returns the name of the scales' tensor; empty for .npy files.
  std::string read_scales(arrays::InputFiles& files, const numerics::QuantizerOptions& quantizer,
                          int axis, numerics::ArrayParts& parts) const;
  /// Sets tensor scale and amax from the options, else from both files if the scales' tensor is
  /// called PREFIXscales, and the row amaxes. Such files must agree with each other, the options
  /// and the quantizer.
  void read_whole_scale(arrays::InputFiles& files, const QuantizerChoice& choice,
                        const numerics::Quantizer& quantizer, const std::string& scales_name,
                        numerics::ArrayParts& parts) const;

 private:
  void read_tensor_scale(arrays::InputFiles& files, const QuantizerChoice& choice,
                         const numerics::Quantizer& quantizer, const std::string& scales_name,
                         numerics::ArrayParts& parts) const;
};

}  // namespace mxe::cli
