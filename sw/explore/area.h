// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/params/params.h"

namespace mxe::explore {

/// What an engine takes.
struct Area {
  double gate_equivalents;  ///< logic and registers (docs/area.md says how they count), no memories
  double sram_kib;          ///< all memories
  double error;  ///< of the gate equivalents, relative: 0, or the largest of leave-one-out
  bool
      synthesized;  ///< this very configuration was, by Yosys; else it lies between those that were

  /// Gate equivalents of a bit of SRAM: its cell of 0.346 square micrometers at 45 nm (Mistry et
  /// al., IEDM 2007) in a macro of which cells fill 70 %, by Nangate's NAND2_X1 of 0.798.
  static constexpr double kGatesPerBit = 0.62;
  /// Logic, registers and memories in gate equivalents: what points are compared by.
  double total() const {
    constexpr double kBits = 1024 * 8;
    return gate_equivalents + sram_kib * kBits * kGatesPerBit;
  }
};

/// An engine that Yosys has synthesized.
struct AreaSample {
  Params params;
  double pe;                  ///< gate equivalents of one processing element
  double rest;                ///< and of all that there is once
  std::uint64_t memory_bits;  ///< of the memories that Yosys found

  double gate_equivalents() const { return params.num_pe * pe + rest; }
};

/// The areas of engines of all configurations, from those of some. The processing elements, most of
/// an engine, come in six kinds (TREE_W, FP4_DUAL), all of them synthesized. What there is once is
/// a sum of terms in the parameters, fitted to the synthesized engines in the least squares.
class AreaTable {
 public:
  /// The table that comes with the program, made from its RTL by `scripts/area --table`.
  static const AreaTable& shipped();
  /// Reads what scripts/area --table writes. Throws mx::Error, which starts with `origin`.
  static AreaTable from_json(std::string_view text, const std::string& origin);

  /// The area of an engine with valid parameters.
  Area of(const Params& params) const;
  /// Gate equivalents of one of its processing elements.
  double processing_element(const Params& params) const;
  /// How far off, relative, the table is for the sample if that had not been synthesized.
  double leave_one_out(std::size_t sample) const;
  /// The largest amount of these.
  double error() const { return error_; }
  const std::vector<AreaSample>& samples() const { return samples_; }

 private:
  using Kind = std::pair<unsigned, unsigned>;  ///< TREE_W and FP4_DUAL

  explicit AreaTable(std::vector<AreaSample> samples);
  std::vector<double> fit(std::size_t left_out) const;
  double element_without(std::size_t sample) const;

  std::vector<AreaSample> samples_;
  std::map<Kind, double> elements_;
  std::map<std::string, std::size_t> known_;  ///< samples by their parameters
  std::vector<std::vector<double>> features_;
  std::vector<double> factors_;
  double error_ = 0;
};

}  // namespace mxe::explore
