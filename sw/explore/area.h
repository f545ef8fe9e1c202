// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "model/params/hardware.h"
#include "model/params/params.h"

namespace mxe::explore {

struct Area {
  double gate_equivalents;  ///< logic and registers without memories; counted as in docs/area.md
  double sram_kib;
  double error;      ///< relative, of gate_equivalents: 0 if synthesized, else AreaTable::error()
  bool synthesized;  ///< Yosys synthesized this configuration; otherwise the area is interpolated

  /// Gate equivalents of a bit of SRAM: a 45 nm cell of 0.346 um^2 (Mistry et al., IEDM 2007) in
  /// macros filled to 70 %, divided by a NAND2_X1 (Nangate) of 0.798 um^2: 0.346 / 0.70 / 0.798.
  static constexpr double kGatesPerBit = 0.62;
  double total() const {
    constexpr double kBits = 1024 * 8;
    return gate_equivalents + sram_kib * kBits * kGatesPerBit;
  }
};

struct AreaSample {
  Params params;
  double pe;                  ///< gate equivalents of one processing element
  double rest;                ///< gate equivalents of everything else
  std::uint64_t memory_bits;  ///< bits of memory that Yosys found

  double gate_equivalents() const { return params.num_pe * pe + rest; }
};

/// Returns the area of a synthesized engine, else an estimate: one of six synthesized processing
/// elements (by TREE_W, FP4_DUAL and NVFP4), plus a least-squares fit in the parameters for all
/// other logic.
class AreaTable {
 public:
  static const AreaTable& shipped();
  /// Reads output of `scripts/area --table`. Throws Error, which starts with `origin`.
  static AreaTable from_json(std::string_view text, const std::string& origin);

  Area of(const Params& params) const;
  double processing_element(const Params& params) const;
  /// Relative error of the estimate for samples()[sample] by a fit without it: 0.1 is 10 % too
  /// large.
  double leave_one_out(std::size_t sample) const;
  /// The largest magnitude of leave_one_out().
  double error() const { return error_; }
  const std::vector<AreaSample>& samples() const { return samples_; }

 private:
  using Kind = std::tuple<unsigned, unsigned, bool>;  ///< TREE_W, FP4_DUAL, has_nvfp4()
  static Kind kind(const Params& p) { return {p.tree_w, p.fp4_dual, has_nvfp4(p)}; }

  explicit AreaTable(std::vector<AreaSample> samples);
  std::vector<double> fit(std::size_t left_out) const;
  double element_without(std::size_t sample) const;

  std::vector<AreaSample> samples_;
  std::map<Kind, double> elements_;
  std::map<std::string, std::size_t> known_;  ///< index in samples_, by parameters
  std::vector<std::vector<double>> features_;
  std::vector<double> factors_;
  double error_ = 0;
};

}  // namespace mxe::explore
