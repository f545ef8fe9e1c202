// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/explore/operand_format.h"
#include "sw/explore/rest.h"

namespace mxe::explore {

/// Contents of a layer's B: they determine which bytes stay in memory between runs.
enum class StoredB : uint8_t {
  unsaid,    ///< not in the file
  weights,   ///< different for each of the `count` products
  kv_cache,  ///< keys or values of earlier tokens, different for each product
  activations,
};
/// Names in records and, except for the first, in column B of CSV files.
inline constexpr std::array kStoredBNames{"unsaid", "weights", "kv_cache", "activations"};

/// A matrix product of a network: A [m][k] times B [k][n], `count` times per run.
struct Layer {
  std::string name;
  std::size_t m = 0, n = 0, k = 0;
  uint64_t count = 1;
  std::optional<OperandFormat> format_a, format_b;  ///< instead of the point's
  StoredB b = StoredB::unsaid;

  double macs() const {
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) *
           static_cast<double>(count);
  }
};

struct Workload {
  std::string
      name;  ///< file name without folder and extension; of a language model: folder and run
  std::vector<Layer> layers;
  uint64_t items = 0;              ///< tokens, images, ... of a run; 0 if not in the file
  std::string item_name;           ///< "tokens", "images"
  std::vector<std::string> notes;  ///< lines for the tables
  Rest rest;                       ///< of language models read from config.json, else empty

  double macs() const;
};

inline constexpr uint64_t kMostElements = uint64_t{1} << 31;

/// Reads a CSV file (UTF-8, RFC 4180) of at most 64 MiB and 100,000 layers. The first line names
/// the columns, in any order and case:
///
///     layer,M,N,K[,count][,B]              products, also SCALE-Sim's
///     Layer name, IFMAP Height, ...        SCALE-Sim's convolutions, padding included
///
/// B is weights, kv_cache or activations. A convolution has `Strides`, or `Stride Height` and
/// `Stride Width`, and optionally `Batch Size`. `Sparsity` must be 1:1. DP in a convolution's name
/// means depthwise. Lines that begin with # are comments; `# items: 2048 tokens` sets the items of
/// a run. Throws Error with file and line.
Workload read_workload(const std::string& path);
/// As read_workload(), for the text of a file; `path` determines the workload's name.
Workload parse_workload(const std::string& text, const std::string& path);

/// Formats of the layers whose names match a pattern of fnmatch(): *, ? and [...].
struct LayerFormats {
  std::string pattern;
  OperandFormat format_a, format_b;
};

/// Reads a YAML map of patterns to `{format_a: F, format_b: F}`; the first match applies.
std::vector<LayerFormats> read_format_map(const std::string& path);
/// `path` is for messages. Throws Error with it and the line.
std::vector<LayerFormats> parse_format_map(const std::string& text, const std::string& path);
void apply(const std::vector<LayerFormats>& map, Workload& workload);

}  // namespace mxe::explore
