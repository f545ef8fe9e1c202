// SPDX-License-Identifier: Apache-2.0
// Quantizes many blocks at once with vector kernels, for every preset. The kernels process ordinary
// blocks: finite elements and a scale in the kernels' range. Others (NaN, Inf, a subnormal amax,
// ...) are left to the caller (block.h). Power-of-two scales come from a table of block_scale().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/numerics/block/block.h"
#include "model/numerics/kernels/preset_kernels.h"
#include "model/numerics/quantize/scale_choice.h"

namespace mxe::numerics {

/// Output arrays. Null `scale_codes` or `dequantized`: not written. Either `codes` or `wide_codes`
/// is set.
struct BlockOutput {
  uint8_t* codes = nullptr;
  uint16_t* wide_codes = nullptr;
  float* scales = nullptr;
  uint8_t* scale_codes = nullptr;
  float* dequantized = nullptr;

  /// The same arrays from an element and a scale on.
  BlockOutput from(std::size_t element, std::size_t scale) const {
    BlockOutput part = *this;
    if (codes) part.codes += element;
    if (wide_codes) part.wide_codes += element;
    part.scales += scale;
    if (scale_codes) part.scale_codes += scale;
    if (dequantized) part.dequantized += element;
    return part;
  }
};

class FastBlocks {
 public:
  /// `rules` must outlive the object.
  FastBlocks(const BlockRules& rules, SimdLevel level, NumberType type, const BlockOutput& output);
  FastBlocks(const FastBlocks&) = delete;  // its members refer to each other
  FastBlocks& operator=(const FastBlocks&) = delete;

  /// Returns true if kernels exist for these rules; else the functions below must not be called.
  bool serves() const { return serves_; }

  static constexpr std::size_t kColumns = RealScales::kMost;

  /// Quantizes `blocks` blocks of `size` adjacent elements from x[at]; their scales start at
  /// scale_at. Appends the indices (0..blocks - 1) of blocks that the caller must quantize to
  /// `skipped`.
  void line(const FloatArray& x, std::size_t at, std::size_t blocks, std::size_t size,
            std::size_t scale_at, std::vector<std::size_t>& skipped);

  /// Quantizes `columns` <= kColumns adjacent columns from x[at]; each is one block of `rows`
  /// elements, `stride` apart. `block_rules`: rules per column if tensor scales differ, else null.
  void columns(const FloatArray& x, std::size_t at, std::size_t stride, std::size_t rows,
               std::size_t columns, std::size_t scale_at, std::vector<std::size_t>& skipped,
               const BlockRules* block_rules = nullptr);

  /// Adjacent blocks of several rows:
  struct Tiles {
    std::size_t at = 0;
    std::size_t stride = 0;  ///< elements from one row to the next
    std::size_t rows = 0;
    std::size_t blocks = 0;
    std::size_t size = 0;  ///< elements of a block per row
    /// Index of the first scale. Each row stores one scale per block, `scale_stride` after those of
    /// the previous row. With `across`, one row stores one scale per column.
    std::size_t scale_at = 0;
    std::size_t scale_stride = 0;
    bool across = false;  ///< the blocked axis runs across the rows in memory
  };
  bool serves_tiles() const { return serves_ && !watches_mantissas_ && !rounds_input_; }
  void tiles(const FloatArray& x, const Tiles& tiles, std::vector<std::size_t>& skipped);

 private:
  static constexpr std::size_t kRun = 32;  // blocks per run; they stay in the first-level cache
  static constexpr std::size_t kMost = RealScales::kMost;
  static constexpr std::size_t kFields = 256;  // values of a float32's exponent field

  struct Scale {
    bool ordinary = false;
    uint8_t code = 0;
    float value = 1;
    float factor = 1;
    float decode = 1;
  };
  enum State : uint8_t { kOrdinary, kSkipped, kUnknown };
  // At most two scales per binade: entry 2 * field below the threshold, 2 * field + 1 from it on.
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
  struct Run {
    std::array<uint32_t, kMost> amax;
    std::array<uint32_t, kMost> mantissas;
    std::array<float, kMost> decodes;
    std::array<float, kMost> first_scales;
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
  void derive_scales(std::size_t blocks, std::size_t first, std::vector<std::size_t>& skipped);
  void derive_real_scales(const BlockElements& elements, std::size_t first,
                          std::vector<std::size_t>& skipped,
                          const BlockRules* block_rules = nullptr);
  void real_scales(float factor, std::size_t blocks, const BlockRules* block_rules,
                   RealScales& scales);
  void amax_of_tiles(const FloatArray& x, const Tiles& tiles, std::size_t first, std::size_t run);
  void encode_tiles(const FloatArray& x, const Tiles& tiles, std::size_t first, std::size_t run);
  void write_tile_scales(const Tiles& tiles, std::size_t first, std::size_t run);
  BlockElements elements_of(const FloatArray& x, const Tiles& tiles, std::size_t first,
                            std::size_t run) const;
  void write_scales(std::size_t blocks, std::size_t scale_at);
  float value_of(uint8_t code, float x, float factor, const CodeScale& scale) const;
  const float* floats(const FloatArray& x, std::size_t count);
  // Prepares the random numbers of elements `first` to `first` + count - 1.
  void set_random(std::size_t first, std::size_t count);
  // Appends the blocks that encoders left undecided, by their indices from `first` on.
  void skip_undecided(std::size_t blocks, std::size_t first, std::vector<std::size_t>& skipped);
  void set_code_scales(std::size_t blocks, const BlockRules* block_rules = nullptr);
  // Writes the values of the run's blocks, which are contiguous from `at`.
  void write_values(const FloatArray& in, std::size_t blocks, std::size_t size, std::size_t at);
  void write_row_values(const FloatArray& in, std::size_t columns, std::size_t at);

  const BlockRules& rules_;
  const BlockOutput output_;
  PresetKernels kernels_;
  PresetKernels float_kernels_;
  EncodeParameters parameters_;
  DecodeParameters decode_parameters_;
  RealScaleParameters real_;
  bool serves_ = false;
  bool power_of_two_ = true;
  bool watches_mantissas_ = false;
  bool is_stochastic_ = false;
  bool rounds_input_ = false;  // to bfloat16; encoders then read float32
  Scale zero_;
  std::optional<ScaleTable> table_;  // of power-of-two scales
  PowerScaleParameters pattern_;     // rule for a range of its binades
  Run run_;
  std::vector<float> rounded_;
  std::vector<uint32_t> random_;
  std::array<uint8_t, kMost> undecided_{};
  std::vector<float> widened_;
  std::optional<ScaleChoice> choice_;
  RealScales four_;
};

}  // namespace mxe::numerics
