// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/numerics/format.h"

namespace mxe::explore {

/// What B of a layer is. It says which part of a network's bytes stays in memory from run to run.
enum class StoredB : uint8_t {
  unsaid,       ///< the workload does not say
  weights,      ///< each of the `count` products has its own
  kv_cache,     ///< keys or values of earlier tokens, each product has its own
  activations,  ///< the result of another layer
};
/// Their names in records. The column B of CSV files has all but the first.
inline constexpr std::array kStoredBNames{"unsaid", "weights", "kv_cache", "activations"};

/// A matrix product of a network: [m][k] activations times [k][n] weights, `count` times a run.
struct Layer {
  std::string name;
  std::size_t m = 0, n = 0, k = 0;
  uint64_t count = 1;
  std::optional<mx::FormatId> format_a, format_b;  ///< instead of the point's
  StoredB b = StoredB::unsaid;

  double macs() const {
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) *
           static_cast<double>(count);
  }
};

/// The matrix products of one run of a network.
struct Workload {
  std::string name;  ///< of the file, without its folder and extension
  std::vector<Layer> layers;
  uint64_t items = 0;     ///< what a run makes, 0 if the file does not say
  std::string item_name;  ///< "tokens", "images"

  double macs() const;
};

/// Sizes and counts beyond this are not read.
inline constexpr uint64_t kMostElements = uint64_t{1} << 31;

/// Reads a CSV file (UTF-8, RFC 4180) of at most 64 MiB and 100,000 layers. Its first line names
/// the columns, in any order and case. There are two kinds:
///
///     layer,M,N,K[,count][,B]              products; SCALE-Sim's products too
///     Layer name, IFMAP Height, ...        SCALE-Sim's convolutions, padding included
///
/// B is weights, kv_cache or activations. A convolution has `Strides`, or `Stride Height` and
/// `Stride Width`, and may have `Batch Size`. `Sparsity` must be 1:1. As in SCALE-Sim, DP in a
/// layer's name means depthwise. Lines that begin with # are comments; `# items: 2048 tokens` says
/// what a run makes. Throws mx::Error naming file and line.
Workload read_workload(const std::string& path);
/// The same of a file's text; `path` gives the workload its name.
Workload parse_workload(const std::string& text, const std::string& path);

/// A line of a format map: the formats of the layers whose names match a pattern with * and ?.
struct LayerFormats {
  std::string pattern;
  mx::FormatId format_a, format_b;
};

/// Reads a YAML map of patterns to `{format_a: F, format_b: F}`; the first one that matches counts.
/// Throws mx::Error naming file and line.
std::vector<LayerFormats> read_format_map(const std::string& path);
/// The same of a file's text; `path` is for messages.
std::vector<LayerFormats> parse_format_map(const std::string& text, const std::string& path);
void apply(const std::vector<LayerFormats>& map, Workload& workload);

}  // namespace mxe::explore
