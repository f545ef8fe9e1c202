// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/quantize/quantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/numerics/base/bits.h"
#include "model/numerics/base/large_pages.h"
#include "model/numerics/base/parallel.h"
#include "model/numerics/block/block.h"
#include "model/numerics/formats/bfloat16.h"
#include "model/numerics/kernels/block_kernels.h"
#include "model/numerics/quantize/assemble.h"
#include "model/numerics/quantize/axis_view.h"
#include "model/numerics/quantize/fast_blocks.h"

namespace mxe::numerics {
namespace {

// Largest magnitude; 1 instead of 0 (tensor scale). `specials`: with Inf and NaN (NaN > Inf).
float largest_magnitude(const FloatArray& x, std::size_t count, std::size_t stride, bool specials,
                        const PresetKernels& kernels) {
  uint32_t amax = 0;
  if (stride == 1) {
    kernels.amax(x.data(), 1, count, kMagnitudeBits, &amax);
    if (specials || amax < kInfinity) return amax == 0 ? 1.0f : from_bits(amax);
    amax = 0;
  }
  for (std::size_t i = 0; i < count; i++) {
    const uint32_t magnitude = to_bits(x[i * stride]) & 0x7FFFFFFF;
    if (specials || magnitude < kInfinity) amax = std::max(amax, magnitude);
  }
  return amax == 0 ? 1.0f : from_bits(amax);
}

struct Lines {
  std::size_t outer = 1;  // product of the axes before the blocked one
  std::size_t length = 1;
  std::size_t inner = 1;  // product of the axes after it: stride of a line's elements
  std::size_t blocks = 0;
};

Lines lines_of(const std::vector<std::size_t>& shape, std::size_t axis,
               const QuantizerOptions& options) {
  Lines lines;
  if (options.walk == BlockWalk::flat) {
    for (const std::size_t dimension : shape) lines.length *= dimension;
  } else if (!shape.empty()) {
    for (std::size_t i = 0; i < axis; i++) lines.outer *= shape[i];
    lines.length = shape[axis];
    for (std::size_t i = axis + 1; i < shape.size(); i++) lines.inner *= shape[i];
  }
  lines.blocks = (lines.length + options.block_size - 1) / options.block_size;
  return lines;
}

// Joins contiguous lines without short blocks to one line with the same blocks.
Lines joined(const Lines& lines, const QuantizerOptions& options) {
  if (lines.inner > 1 || lines.length % options.block_size != 0) return lines;
  return {1, lines.outer * lines.length, 1, lines.outer * lines.blocks};
}

// Length of the axis along which blocks are several rows high.
std::size_t rows_across(const std::vector<std::size_t>& shape, std::size_t axis) {
  const std::size_t rank = shape.size();
  if (rank < 2) return 1;
  if (axis + 2 < rank) {
    throw Error(
        fmt::format("blocks of several rows run along one of the last two axes, not {}", axis));
  }
  return shape[axis + 1 == rank ? rank - 2 : rank - 1];
}

std::vector<float> amaxes_of_runs(const FloatArray& x, const Lines& lines, bool specials,
                                  const PresetKernels& kernels) {
  if (lines.inner == 1) return {largest_magnitude(x, lines.length, 1, specials, kernels)};
  std::vector<uint32_t> bits(lines.inner);
  kernels.amax_columns(x.data(), lines.inner, lines.length, lines.inner, kMagnitudeBits,
                       bits.data());
  std::vector<float> amaxes;
  for (std::size_t inner = 0; inner < lines.inner; inner++) {
    const bool ordinary = bits[inner] != 0 && (specials || bits[inner] < kInfinity);
    amaxes.push_back(
        ordinary ? from_bits(bits[inner])
                 : largest_magnitude(x.from(inner), lines.length, lines.inner, specials, kernels));
  }
  return amaxes;
}

std::vector<BlockRules> rules_of(const FloatArray& x, const Lines& lines,
                                 const ElementFormat& format, const QuantizerOptions& options,
                                 SimdLevel level) {
  if (!options.uses_tensor_scale) return {make_block_rules(format, options, 1)};
  const PresetKernels kernels = preset_kernels({}, {}, level, x.type());
  if (!options.row_scaled) {
    const std::size_t count = lines.outer * lines.length * lines.inner;
    const float amax = options.tensor_amax || options.tensor_scale
                           ? options.tensor_amax.value_or(1)
                           : largest_magnitude(x, count, 1, options.tensor_specials, kernels);
    return {make_block_rules(format, options, amax)};
  }
  std::vector<BlockRules> rules;
  if (lines.outer == 0 || lines.inner == 0) return rules;
  rules.reserve(lines.outer * lines.inner);
  for (std::size_t outer = 0; outer < lines.outer; outer++) {
    const FloatArray first = x.from(outer * lines.length * lines.inner);
    for (const float amax : amaxes_of_runs(first, lines, options.tensor_specials, kernels)) {
      rules.push_back(make_block_rules(format, options, amax));
    }
  }
  return rules;
}

BlockOutput output_of(QuantizedArray& result) {
  BlockOutput output;
  if (!result.codes.empty()) output.codes = result.codes.data();
  if (!result.wide_codes.empty()) output.wide_codes = result.wide_codes.data();
  output.scales = result.scales.data();
  if (!result.scale_codes.empty()) output.scale_codes = result.scale_codes.data();
  if (!result.dequantized.empty()) output.dequantized = result.dequantized.data();
  return output;
}

class ArrayQuantizer {
 public:
  ArrayQuantizer(const FloatArray& x, const std::vector<BlockRules>& rules, const Lines& lines,
                 const BlockOutput& output)
      : x_(x), rules_(rules), options_(rules[0].options), lines_(lines), output_(output) {
    const std::size_t size = options_.block_size;
    values_.resize(size * options_.block_rows);
    codes_.resize(size);
    dequantized_.resize(size);
  }

  // Quantizes units `first` to `last` - 1. Unit m * blocks + n is block n at outer index m, of all
  // inner indices. one_block() quantizes the blocks that are not ordinary.
  void run_fast(SimdLevel level, std::size_t first, std::size_t last) {
    std::optional<FastBlocks> fast;
    for (std::size_t unit = first; unit < last;) {
      const std::size_t outer = unit / lines_.blocks;
      const std::size_t block = unit % lines_.blocks;
      if (!fast || (rules_.size() > 1 && block == 0)) {
        fast.emplace(rules_of_run(outer, 0), level, x_.type(), output_);
      }
      unit += lines_.inner == 1 ? fast_line(*fast, outer, block, last - unit)
                                : fast_columns(*fast, outer, block);
    }
  }

  void run(std::size_t first, std::size_t last) {
    for (std::size_t outer = first; outer < last; outer++) {
      for (std::size_t block = 0; block < lines_.blocks; block++) {
        for (std::size_t inner = 0; inner < lines_.inner; inner++) {
          one_block({outer, inner, 1}, block);
        }
      }
    }
  }

  // Quantizes blocks of several rows of matrices `first` to `last` - 1; `rows`: runs per matrix.
  void run_tiles(std::size_t first, std::size_t last, std::size_t rows) {
    for (std::size_t matrix = first; matrix < last; matrix++) {
      for (std::size_t row = 0; row < rows; row += options_.block_rows) {
        const std::size_t count = std::min(options_.block_rows, rows - row);
        const Runs runs =
            lines_.inner == 1 ? Runs{matrix * rows + row, 0, count} : Runs{matrix, row, count};
        for (std::size_t block = 0; block < lines_.blocks; block++) one_block(runs, block);
      }
    }
  }

  void run_tiles_fast(SimdLevel level, std::size_t first, std::size_t last, std::size_t rows) {
    FastBlocks fast(rules_[0], level, x_.type(), output_);
    tile_rows_ = rows;
    const std::size_t height = lines_.inner == 1 ? options_.block_rows : options_.block_size;
    const std::size_t memory_rows = lines_.inner == 1 ? rows : lines_.length;
    for (std::size_t matrix = first; matrix < last; matrix++) {
      for (std::size_t top = 0; top < memory_rows; top += height) {
        fast_tiles(fast, matrix, top, std::min(height, memory_rows - top), memory_rows);
      }
    }
  }

 private:
  // Quantizes all blocks of a matrix that begin in its row `top` of memory and are `count` rows
  // high. Example: blocks of 32 rows, 40 rows: top 0, count 32, then top 32, count 8.
  void fast_tiles(FastBlocks& fast, std::size_t matrix, std::size_t top, std::size_t count,
                  std::size_t memory_rows) {
    const bool across = lines_.inner > 1;
    const std::size_t width = across ? options_.block_rows : options_.block_size;
    const std::size_t columns = across ? lines_.inner : lines_.length;
    FastBlocks::Tiles tiles;
    tiles.at = (matrix * memory_rows + top) * columns;
    tiles.stride = columns;
    tiles.rows = count;
    tiles.across = across;
    tiles.scale_stride = lines_.blocks;
    tiles.scale_at = across ? (matrix * lines_.blocks + top / options_.block_size) * lines_.inner
                            : (matrix * memory_rows + top) * lines_.blocks;
    const std::size_t whole = columns / width;
    for (std::size_t block = 0; block * width < columns; block += tiles.blocks) {
      const std::size_t at = tiles.at;
      const std::size_t scale_at = tiles.scale_at;
      tiles.blocks = block < whole ? whole : 1;
      tiles.size = block < whole ? width : columns % width;
      skipped_.clear();
      fast.tiles(x_, tiles, skipped_);
      for (const std::size_t skipped : skipped_) one_tile(matrix, top, count, block + skipped);
      tiles.at = at + tiles.blocks * tiles.size;
      tiles.scale_at = scale_at + (across ? tiles.blocks * tiles.size : tiles.blocks);
    }
  }

  void one_tile(std::size_t matrix, std::size_t top, std::size_t count, std::size_t tile) {
    if (lines_.inner == 1) {
      one_block({matrix * tile_rows_ + top, 0, count}, tile);
      return;
    }
    const std::size_t inner = tile * options_.block_rows;
    one_block({matrix, inner, std::min(options_.block_rows, lines_.inner - inner)},
              top / options_.block_size);
  }

  // Adjacent runs: consecutive outer indices if lines_.inner is 1, else consecutive inner indices.
  struct Runs {
    std::size_t outer;
    std::size_t inner;
    std::size_t count;
  };

  // Quantizes up to `most` whole blocks of a line, or its short last one. Returns the number.
  std::size_t fast_line(FastBlocks& fast, std::size_t outer, std::size_t block, std::size_t most) {
    const std::size_t whole = lines_.length / options_.block_size;
    const bool is_short = block == whole;
    const std::size_t count = is_short ? 1 : std::min(whole - block, most);
    skipped_.clear();
    fast.line(x_, outer * lines_.length + block * options_.block_size, count,
              is_short ? lines_.length % options_.block_size : options_.block_size,
              outer * lines_.blocks + block, skipped_);
    for (const std::size_t skipped : skipped_) one_block({outer, 0, 1}, block + skipped);
    return count;
  }

  std::size_t fast_columns(FastBlocks& fast, std::size_t outer, std::size_t block) {
    const std::size_t first = block * options_.block_size;
    const std::size_t rows = std::min(options_.block_size, lines_.length - first);
    for (std::size_t inner = 0; inner < lines_.inner; inner += FastBlocks::kColumns) {
      skipped_.clear();
      fast.columns(x_, (outer * lines_.length + first) * lines_.inner + inner, lines_.inner, rows,
                   std::min(FastBlocks::kColumns, lines_.inner - inner),
                   (outer * lines_.blocks + block) * lines_.inner + inner, skipped_,
                   rules_.size() == 1 ? nullptr : &rules_of_run(outer, inner));
      for (const std::size_t column : skipped_) one_block({outer, inner + column, 1}, block);
    }
    return 1;
  }

  const BlockRules& rules_of_run(std::size_t outer, std::size_t inner) const {
    return rules_[rules_.size() == 1 ? 0 : outer * lines_.inner + inner];
  }

  std::size_t outer_of(const Runs& runs, std::size_t row) const {
    return lines_.inner == 1 ? runs.outer + row : runs.outer;
  }
  std::size_t inner_of(const Runs& runs, std::size_t row) const {
    return lines_.inner == 1 ? 0 : runs.inner + row;
  }

  std::size_t element(const Runs& runs, std::size_t row, std::size_t along) const {
    return (outer_of(runs, row) * lines_.length + along) * lines_.inner + inner_of(runs, row);
  }

  void one_block(const Runs& runs, std::size_t block) {
    const std::size_t size = options_.block_size;
    const std::size_t first = block * size;
    const std::size_t count = std::min(size, lines_.length - first);
    // Short blocks are padded with zeros; all_nan_poisons depends on them.
    std::fill(values_.begin(), values_.end(), 0.0f);
    for (std::size_t row = 0; row < runs.count; row++) {
      const std::size_t at = element(runs, row, first);
      for (std::size_t i = 0; i < count; i++) {
        const float value = x_[at + i * lines_.inner];
        values_[row * size + i] = options_.bfloat16_input ? round_to_bfloat16(value) : value;
      }
    }
    const BlockRules& rules = rules_of_run(runs.outer, runs.inner);
    const BlockScale scale = block_scale(values_.data(), values_.size(), rules);
    for (std::size_t row = 0; row < runs.count; row++) {
      const std::size_t at = element(runs, row, first);
      one_row(rules, scale, values_.data() + row * size, count, at);
      const std::size_t scale_at =
          (outer_of(runs, row) * lines_.blocks + block) * lines_.inner + inner_of(runs, row);
      output_.scales[scale_at] = scale.value;
      if (output_.scale_codes) output_.scale_codes[scale_at] = static_cast<uint8_t>(scale.code);
    }
  }

  void one_row(const BlockRules& rules, const BlockScale& scale, const float* values,
               std::size_t count, std::size_t at) {
    quantize_elements(values, count, rules, scale, codes_.data(),
                      output_.dequantized ? dequantized_.data() : nullptr, {at, lines_.inner});
    for (std::size_t i = 0; i < count; i++) store(at + i * lines_.inner, i);
  }

  void store(std::size_t at, std::size_t i) {
    if (output_.wide_codes) {
      output_.wide_codes[at] = codes_[i];
    } else {
      output_.codes[at] = static_cast<uint8_t>(codes_[i]);
    }
    if (output_.dequantized) output_.dequantized[at] = dequantized_[i];
  }

  const FloatArray x_;
  const std::vector<BlockRules>& rules_;
  const QuantizerOptions& options_;
  const Lines lines_;
  const BlockOutput output_;
  std::vector<float> values_;
  std::vector<uint16_t> codes_;
  std::vector<float> dequantized_;
  std::vector<std::size_t> skipped_;
  std::size_t tile_rows_ = 1;  // runs per matrix
};

// True if dequantize_rows() gives the values of these options.
bool kernels_apply(const ElementFormat& format, const QuantizerOptions& options) {
  QuantizerOptions standard;
  standard.scale_rule = options.scale_rule;
  return options == standard && find_format(format.name).has_value();
}

// Limits the block size, and so buffers, to the line plus one: more padding has no effect.
QuantizerOptions with_fitting_blocks(QuantizerOptions options, const Lines& lines) {
  options.block_size = std::min(options.block_size, lines.length + 1);
  return options;
}

// Quantizes all blocks. `rows`: runs per matrix, for blocks of several rows.
void quantize_blocks(const FloatArray& x, const std::vector<BlockRules>& rules, const Lines& lines,
                     std::size_t rows, const QuantizeRequest& request, SimdLevel level,
                     const BlockOutput& output) {
  const bool fast =
      !request.block_by_block && FastBlocks(rules[0], level, x.type(), output).serves();
  if (rules[0].options.block_rows > 1) {
    const std::size_t matrices = lines.inner == 1 && rows > 0 ? lines.outer / rows : lines.outer;
    ArrayQuantizer quantizer(x, rules, lines, output);
    if (fast && FastBlocks(rules[0], level, x.type(), output).serves_tiles()) {
      quantizer.run_tiles_fast(level, 0, matrices, rows);
    } else {
      quantizer.run_tiles(0, matrices, rows);
    }
    return;
  }
  if (fast) {
    const Lines units = rules.size() == 1 ? joined(lines, rules[0].options) : lines;
    parallel_ranges(units.outer * units.blocks, request.threads,
                    [&](std::size_t first, std::size_t last) {
                      ArrayQuantizer(x, rules, units, output).run_fast(level, first, last);
                    });
    return;
  }
  parallel_ranges(lines.outer, request.threads, [&](std::size_t first, std::size_t last) {
    ArrayQuantizer(x, rules, lines, output).run(first, last);
  });
}

// Consecutive lines, or consecutive blocks of a single outer index.
struct Slice {
  Lines lines;
  std::size_t first = 0, last = 0;  // elements
  std::size_t first_scale = 0;
};

// Divides an array with independent blocks into slices of about `most` elements; else one slice.
std::vector<Slice> slices_of(const Lines& lines, const QuantizerOptions& options,
                             std::size_t most) {
  const std::size_t count = lines.outer * lines.length * lines.inner;
  if (count <= most || !has_independent_blocks(options)) return {{lines, 0, count, 0}};
  std::vector<Slice> slices;
  const bool outer = lines.outer > 1;
  // A unit is a line of all inner indices, or a block of them.
  const std::size_t block = std::min(options.block_size, lines.length);
  const std::size_t unit = (outer ? lines.length : block) * lines.inner;
  const std::size_t units = std::max<std::size_t>(1, most / unit);
  for (std::size_t first = 0; first < count; first += units * unit) {
    Slice slice;
    slice.first = first;
    slice.last = std::min(count, first + units * unit);
    const std::size_t scales = outer ? lines.blocks * lines.inner : lines.inner;
    slice.first_scale = first / unit * scales;
    slice.lines = lines;
    if (outer) {
      slice.lines.outer = (slice.last - first) / unit;
    } else {
      slice.lines.length = (slice.last - first) / lines.inner;
      slice.lines.blocks = (slice.lines.length + options.block_size - 1) / options.block_size;
    }
    slices.push_back(slice);
  }
  return slices;
}

class SliceQuantizer {
 public:
  SliceQuantizer(const NumberSource& x, const std::vector<std::size_t>& shape,
                 const ElementFormat& format, const QuantizerOptions& options,
                 const QuantizeRequest& request)
      : x_(x),
        format_(format),
        options_(options),
        request_(request),
        level_(request.simd.value_or(best_simd_level())) {
    validate(options);
    axis_ = resolve_axis(request.axis, shape);
    element_count(shape);  // throws for more elements than fit
    lines_ = lines_of(shape, axis_, options);
    if (options.block_rows > 1) rows_ = rows_across(shape, axis_);
    // Integer codes cannot represent -0, which the dequantized values keep.
    decodes_ = request.dequantize && !request.block_by_block && lines_.inner == 1 &&
               format.kind == FormatKind::floating && kernels_apply(format, options);
  }

  std::size_t axis() const { return axis_; }
  const Lines& lines() const { return lines_; }
  // Valid after run().
  const std::vector<BlockRules>& rules() const { return rules_; }

  // Calls output(slice) for each slice of about `most` elements, fills the output, calls
  // done(slice).
  template <typename Output, typename Done>
  void run(std::size_t most, const Output& output, const Done& done) {
    for (const Slice& slice : slices_of(lines_, options_, most)) {
      if (slice.first > 0 && request_.between_slices) request_.between_slices();
      const FloatArray numbers = x_.read(slice.first, slice.last, buffer_);
      if (slice.first == 0) {
        rules_ = rules_of(numbers, lines_, format_, with_fitting_blocks(options_, lines_), level_);
      }
      if (slice.first == slice.last) return;
      quantize(numbers, slice.lines, output(slice));
      done(slice);
    }
  }

 private:
  void quantize(const FloatArray& numbers, const Lines& lines, BlockOutput output) {
    float* const values = output.dequantized;
    if (decodes_) output.dequantized = nullptr;
    quantize_blocks(numbers, rules_, lines, rows_, request_, level_, output);
    if (!decodes_) return;
    // dequantize_rows() has kernels per format, which are faster than the generic ones.
    dequantize_rows(*find_format(format_.name), output.codes, output.scale_codes, lines.outer,
                    lines.length, request_.threads, request_.simd, values);
  }

  const NumberSource& x_;
  const ElementFormat& format_;
  const QuantizerOptions& options_;
  const QuantizeRequest& request_;
  const SimdLevel level_;
  std::size_t axis_ = 0;
  std::size_t rows_ = 0;
  bool decodes_ = false;
  Lines lines_;
  std::vector<BlockRules> rules_;
  std::vector<float> buffer_;
};

void resize(QuantizedArray& result, std::size_t count, std::size_t scales, bool dequantize) {
  resize_for_writing(result.scales, scales);
  resize_for_writing(result.scale_codes, result.has_scale_codes ? scales : 0);
  resize_for_writing(result.codes, result.has_wide_codes() ? 0 : count);
  resize_for_writing(result.wide_codes, result.has_wide_codes() ? count : 0);
  resize_for_writing(result.dequantized, dequantize ? count : 0);
}

// Elements of a slice per thread: kSlice, 4 MiB, if the source converts; else kSliceInPlace, a
// fraction of a second.
constexpr std::size_t kSlice = std::size_t{1} << 20;
constexpr std::size_t kSliceInPlace = std::size_t{1} << 24;
// For quantize_values() on one thread: the slice stays in the cache.
constexpr std::size_t kSmallSlice = std::size_t{1} << 16;

}  // namespace

std::size_t resolve_axis(int axis, const std::vector<std::size_t>& shape) {
  const int rank = shape.empty() ? 1 : static_cast<int>(shape.size());
  if (axis < -rank || axis >= rank) {
    throw Error(fmt::format("axis {} does not exist (allowed: {} to {})", axis, -rank, rank - 1));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

std::vector<std::size_t> scale_shape_of(const std::vector<std::size_t>& shape, std::size_t axis,
                                        const QuantizerOptions& options) {
  const std::size_t blocks = lines_of(shape, axis, options).blocks;
  if (options.walk == BlockWalk::flat) return {blocks};
  std::vector<std::size_t> scales = shape;
  if (!shape.empty()) scales[axis] = blocks;
  return scales;
}

void quantize_into(const NumberSource& x, const std::vector<std::size_t>& shape,
                   const ElementFormat& format, const QuantizerOptions& options,
                   const QuantizeRequest& request, QuantizedArray& result) {
  SliceQuantizer quantizer(x, shape, format, options, request);
  const Lines& lines = quantizer.lines();
  result.format = format;
  result.options = options;
  result.shape = shape;
  result.axis = quantizer.axis();
  result.scale_shape = scale_shape_of(shape, result.axis, options);
  result.has_scale_codes = scales_have_codes(options);
  resize(result, element_count(shape), lines.outer * lines.blocks * lines.inner,
         request.dequantize);
  const BlockOutput whole = output_of(result);
  const std::size_t slice = (x.in_place ? kSliceInPlace : kSlice) * std::max(1u, request.threads);
  quantizer.run(
      slice, [&](const Slice& part) { return whole.from(part.first, part.first_scale); },
      [](const Slice&) {});

  result.row_scales.clear();
  result.row_amaxes.clear();
  result.tensor_scale = result.tensor_amax = 1;
  const std::vector<BlockRules>& rules = quantizer.rules();
  if (options.uses_tensor_scale && options.row_scaled) {
    for (const BlockRules& row : rules) {
      result.row_scales.push_back(row.tensor_decode);
      result.row_amaxes.push_back(row.tensor_amax);
    }
  } else {
    result.tensor_scale = rules[0].tensor_decode;
    result.tensor_amax = rules[0].tensor_amax;
  }
}

void quantize_into(const FloatArray& x, const std::vector<std::size_t>& shape,
                   const ElementFormat& format, const QuantizerOptions& options,
                   const QuantizeRequest& request, QuantizedArray& result) {
  const NumberSource source{
      [&x](std::size_t first, std::size_t, std::vector<float>&) { return x.from(first); }, true};
  quantize_into(source, shape, format, options, request, result);
}

void quantize_values(const NumberSource& x, const std::vector<std::size_t>& shape,
                     const ElementFormat& format, const QuantizerOptions& options,
                     const QuantizeRequest& request, float* values) {
  QuantizeRequest with_values = request;
  with_values.dequantize = true;
  SliceQuantizer quantizer(x, shape, format, options, with_values);
  QuantizedArray part;
  part.format = format;
  part.has_scale_codes = scales_have_codes(options);
  const std::size_t slice = request.threads > 1 ? kSlice * request.threads : kSmallSlice;
  quantizer.run(
      slice,
      [&](const Slice& one) {
        const Lines& lines = one.lines;
        resize(part, one.last - one.first, lines.outer * lines.blocks * lines.inner, true);
        return output_of(part);
      },
      [&](const Slice& one) {
        std::copy(part.dequantized.begin(), part.dequantized.end(), values + one.first);
      });
}

QuantizedArray quantize(const FloatArray& x, const std::vector<std::size_t>& shape,
                        const ElementFormat& format, const QuantizerOptions& options,
                        const QuantizeRequest& request) {
  QuantizedArray result;
  quantize_into(x, shape, format, options, request, result);
  return result;
}

void require_operand(const QuantizerOptions& options) {
  const bool operand = options.walk == BlockWalk::axis && options.block_size == kBlockSize &&
                       options.scale_format.name() == "e8m0" && scales_have_codes(options) &&
                       options.element_shift == 0 && !options.uses_tensor_scale;
  if (!operand) {
    throw Error(
        "this preset does not make engine operands (needed: blocks of 32 along a row, E8M0 scales, "
        "standard elements)");
  }
}

MxTensor quantize_rows(const FloatArray& x, std::size_t rows, std::size_t k, FormatId format,
                       const QuantizerOptions& options, unsigned threads,
                       std::optional<SimdLevel> simd) {
  require_operand(options);
  QuantizeRequest request;
  request.dequantize = false;
  request.threads = threads;
  request.simd = simd;
  QuantizedArray array = quantize(x, {rows, k}, element_format(format), options, request);
  MxTensor tensor;
  tensor.format = format;
  tensor.rows = rows;
  tensor.k = k;
  tensor.codes = std::move(array.codes);
  tensor.scales = std::move(array.scale_codes);
  return tensor;
}

}  // namespace mxe::numerics
