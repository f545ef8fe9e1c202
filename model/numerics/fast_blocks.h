// SPDX-License-Identifier: Apache-2.0
// Quantizing many blocks at once with vector kernels, for every preset.
//
// Ordinary blocks are those of numbers whose scale is an ordinary number. The others (a NaN or an
// Inf, a float32 subnormal for an amax, a scale outside what the kernels divide by, ...) are listed
// for the caller, who quantizes them one by one (block.h). What a power-of-two scale is for which
// amax is not computed here but found out from block_scale, once for every binade, so that there is
// one definition.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/numerics/block.h"
#include "model/numerics/preset_kernels.h"
#include "model/numerics/scale_choice.h"

namespace mx {

/// Where results go, indexed like the arrays they belong to. Null pointers are left out.
struct FastOutput {
  uint8_t* codes = nullptr;
  float* scales = nullptr;
  uint8_t* scale_codes = nullptr;
  float* dequantized = nullptr;
};

class FastBlocks {
 public:
  /// For arrays of numbers of this type. `rules` must outlive it.
  FastBlocks(const BlockRules& rules, SimdLevel level, NumberType type, const FastOutput& output);
  FastBlocks(const FastBlocks&) = delete;  // its members refer to each other
  FastBlocks& operator=(const FastBlocks&) = delete;

  /// Whether there are kernels for these rules; else the functions below must not be called.
  bool serves() const { return serves_; }

  /// Columns that `columns` takes at a time.
  static constexpr std::size_t kColumns = RealScales::kMost;

  /// `blocks` blocks of `size` neighbours from x[at]; their scales start at scale_at. Appends the
  /// numbers (0..blocks - 1) of those that it leaves to the caller.
  void line(const FloatArray& x, std::size_t at, std::size_t blocks, std::size_t size,
            std::size_t scale_at, std::vector<std::size_t>& left);

  /// One block a column of `rows` elements that are `stride` apart: `columns` of them (at most
  /// kColumns) from x[at]. Columns with a tensor scale each come with `own`, the rules of every
  /// one, which differ in nothing else.
  void columns(const FloatArray& x, std::size_t at, std::size_t stride, std::size_t rows,
               std::size_t columns, std::size_t scale_at, std::vector<std::size_t>& left,
               const BlockRules* own = nullptr);

  /// Blocks of several rows, side by side in memory.
  struct Tiles {
    std::size_t at = 0;      ///< the first element
    std::size_t stride = 0;  ///< from one row to the next
    std::size_t rows = 0;
    std::size_t blocks = 0;
    std::size_t size = 0;  ///< neighbours of a row that a block has
    /// Every row has a scale a block, `scale_stride` behind those of the row before it; or, where
    /// the blocked axis runs across the rows, one for each of the neighbours.
    std::size_t scale_at = 0;
    std::size_t scale_stride = 0;
    bool across = false;
  };
  /// Whether `tiles` may be called for the rules that it serves.
  bool serves_tiles() const { return serves_ && !watches_mantissas_ && !rounds_input_; }
  void tiles(const FloatArray& x, const Tiles& tiles, std::vector<std::size_t>& left);

 private:
  static constexpr std::size_t kRun = 32;  // blocks: their elements stay in the first-level cache
  static constexpr std::size_t kMost = RealScales::kMost;
  static constexpr std::size_t kFields = 256;  // values of a float32's exponent field

  // The scale of a block as the kernels need it.
  struct Scale {
    bool ordinary = false;
    uint8_t code = 0;
    float value = 1;
    float factor = 1;
    float decode = 1;
  };
  enum State : uint8_t { kOrdinary, kLeft, kUnknown };
  // The scales of all amaxes: of every binade one below a threshold and one from there on, which
  // are neighbours here.
  struct ScaleTable {
    std::array<uint32_t, kFields> thresholds;
    std::array<float, 2 * kFields> factors;
    std::array<float, 2 * kFields> values;
    std::array<float, 2 * kFields> decodes;
    std::array<uint8_t, 2 * kFields> codes;
    std::array<State, 2 * kFields> states;

    std::size_t index(uint32_t amax) const {
      const std::size_t field = amax >> 23;
      return 2 * field + (amax >= thresholds[field] ? 1 : 0);
    }
    void set(std::size_t field, uint32_t threshold, const Scale& below, const Scale& above);
  };
  // Of the blocks at hand.
  struct Run {
    std::array<uint32_t, kMost> amax;
    std::array<uint32_t, kMost> mantissas;
    std::array<float, kMost> decodes;
    std::array<float, kMost> first_scales;  // of CodeScale
    std::array<float, kMost> second_scales;
    RealScales scales;
  };

  Scale ordinary_scale(uint32_t amax) const;
  Scale zero_scale() const;
  void find_out(uint32_t field);
  void find_binade(uint32_t field);
  void begin_pattern(uint32_t field);
  bool continues_pattern(uint32_t field);
  bool look_up_scales(std::size_t blocks);
  bool needs_exact_log2(std::size_t blocks) const;
  void round_amaxes(std::size_t blocks);
  void derive_scales(std::size_t blocks, std::size_t first, std::vector<std::size_t>& left);
  void derive_real_scales(const BlockElements& elements, std::size_t first,
                          std::vector<std::size_t>& left, const BlockRules* own = nullptr);
  void real_scales(float factor, std::size_t blocks, const BlockRules* own, RealScales& scales);
  void amax_of_tiles(const FloatArray& x, const Tiles& tiles, std::size_t first, std::size_t run);
  void encode_tiles(const FloatArray& x, const Tiles& tiles, std::size_t first, std::size_t run);
  void write_tile_scales(const Tiles& tiles, std::size_t first, std::size_t run);
  BlockElements elements_of(const FloatArray& x, const Tiles& tiles, std::size_t first,
                            std::size_t run) const;
  void write_scales(std::size_t blocks, std::size_t scale_at);
  float value_of(uint8_t code, float x, float factor, const CodeScale& scale) const;
  const float* floats(const FloatArray& x, std::size_t count);
  void set_code_scales(std::size_t blocks, const BlockRules* own = nullptr);
  // Values of blocks of the run whose elements are neighbours and lie from `at` on.
  void write_values(const FloatArray& in, std::size_t blocks, std::size_t size, std::size_t at);
  // Those of a row of elements, one of each block of the run.
  void write_row_values(const FloatArray& in, std::size_t columns, std::size_t at);

  const BlockRules& rules_;
  const FastOutput output_;
  PresetKernels kernels_;
  PresetKernels float_kernels_;  // the same for float32
  EncodeParameters parameters_;
  DecodeParameters decode_parameters_;
  RealScaleParameters real_;
  bool serves_ = false;
  bool power_of_two_ = true;
  bool watches_mantissas_ = false;
  bool rounds_input_ = false;  // to bfloat16; encoders then get float32
  Scale zero_;
  std::optional<ScaleTable> table_;  // of power-of-two scales
  PowerScaleParameters pattern_;     // of neighbouring binades in it
  Run run_;
  std::vector<float> rounded_;
  std::vector<float> widened_;
  std::optional<ScaleChoice> choice_;  // with options.four_over_six
  RealScales four_;
};

}  // namespace mx
