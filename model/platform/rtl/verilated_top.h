// SPDX-License-Identifier: Apache-2.0
#pragma once

// Include the Verilated class and its symbols first. SystemC headers conflict with them.
#include <verilated.h>
#if VM_COVERAGE
#include <verilated_cov.h>
#endif
#include <verilated_sym_props.h>
#include <verilated_syms.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/numerics/base/error.h"
#include "model/platform/rtl/fst_writer.h"
#include "model/platform/rtl/held_clocks.h"
#include "model/platform/rtl/rtl_top.h"

namespace mxe::rtl {

/// RtlTop for a Verilated mxe_top. `Trace` is its waveform class, or void.
template <class Model, class Trace>
class VerilatedTop : public RtlTop {
 public:
  VerilatedTop(const Params& params, const std::string& waves)
      : params_(params), waves_(waves), traced_(!waves.empty()) {
    // A failing assertion throws an exception instead of ending the process.
    context_.fatalOnError(false);
    if (traced_) context_.traceEverOn(true);
    top_ = std::make_unique<Model>(&context_, "mxe_top");
    held_clocks_.emplace(*top_);
    if (sizeof(top_->m_rdata_i) != params.mem_bytes()) {
      throw Error("the memory port of the RTL has " + std::to_string(8 * sizeof(top_->m_rdata_i)) +
                  " bits, not " + std::to_string(params.mem_w));
    }
    open_trace(waves);
    top_->clk_i = 0;
    top_->rst_ni = 0;
    top_->eval();  // runs the initial blocks, which set the state names
  }

  ~VerilatedTop() override {
    // final() uses the context last used on this thread, which may belong to another model.
    Verilated::threadContextp(&context_);
    top_->final();
    if constexpr (!std::is_void_v<Trace>) {
      // A truncated FST file is unreadable, so it is deleted.
      if (traced_) trace_.close();
      if (traced_ && take_fst_error() != 0) std::remove(waves_.c_str());
    }
  }

  const Params& params() const override { return params_; }

  void reset(unsigned cycles) override {
    RtlOutputs ignored;
    top_->rst_ni = 0;
    for (unsigned i = 0; i < cycles; i++) cycle({}, ignored);
    top_->rst_ni = 1;
  }

  void cycle(const RtlInputs& in, RtlOutputs& out) override {
    apply(in);
    top_->clk_i = 0;
    eval();
    sample(out);
    if (before_edge_) before_edge_();
    top_->clk_i = 1;
    eval();
    if (context_.gotError()) {
      throw Error("an assertion of the RTL failed; its place has been printed");
    }
  }

  void go_on_at(uint64_t cycle) override {
    context_.time(std::max(context_.time(), cycle * 2 * kHalfCycle));
  }

  bool hold(bool held) override { return held_clocks_->hold(held); }

  uint64_t time() const override { return context_.time(); }

  void before_edge(std::function<void()> action) override { before_edge_ = std::move(action); }

#if VM_COVERAGE
  void write_line_coverage(const std::string& path) override {
    context_.coveragep()->write(path.c_str());
  }
#endif

  std::vector<RtlSignal> signals() const override {
    std::vector<RtlSignal> result;
    for (const auto& [path, scope] : *context_.scopeNameMap()) {
      if (!scope->varsp()) continue;
      const std::vector<RtlSignal::ValueName> names = state_names(*scope);
      for (const auto& [name, var] : *scope->varsp()) {
        const unsigned bytes = size_of(var);
        if (var.isParam() || bytes == 0) continue;
        const bool is_state = std::string_view(name) == "state_q";
        result.emplace_back(readable(below_top(path) + name), var.datap(), bytes, var.isPublicRW(),
                            is_state ? names : std::vector<RtlSignal::ValueName>{});
      }
    }
    return result;
  }

  std::vector<RtlValue> values() const override {
    std::vector<RtlValue> result;
    for (const auto& [path, scope] : *context_.scopeNameMap()) {
      if (!scope->varsp()) continue;
      for (const auto& [name, var] : *scope->varsp()) {
        const bool is_vector =
            size_of(var) != 0 || (var.udims() == 0 && var.vltype() == VLVT_WDATA);
        if (var.isParam() || !is_vector) continue;
        result.emplace_back(readable(below_top(path) + name), var.datap(),
                            static_cast<unsigned>(var.elements(kPacked)));
      }
    }
    return result;
  }

 private:
  static constexpr uint64_t kHalfCycle = 500;  // ps
  // Argument of VerilatedVar::elements() that selects the bits of a vector. The named functions
  // differ between Verilator versions: packed() in 5.006, entBits() in 5.048.
  static constexpr int kPacked = 0;

  struct NoTrace {};

  /// Size in bytes of a scalar variable, 0 for anything else.
  static unsigned size_of(const VerilatedVar& var) {
    if (var.udims() != 0) return 0;
    switch (var.vltype()) {
      case VLVT_UINT8:
        return 1;
      case VLVT_UINT16:
        return 2;
      case VLVT_UINT32:
        return 4;
      case VLVT_UINT64:
        return 8;
      default:
        return 0;
    }
  }

  /// State names of a block: its array state_names (mxe_assert.svh), if visible.
  static std::vector<RtlSignal::ValueName> state_names(const VerilatedScope& scope) {
    std::vector<RtlSignal::ValueName> names;
    for (const auto& [name, var] : *scope.varsp()) {
      if (std::string_view(name) != "state_names" || var.vltype() != VLVT_STRING) continue;
      const auto* texts = static_cast<const std::string*>(var.datap());
      for (int value = 0; value < var.elements(0); value++) {
        if (!texts[value].empty()) names.emplace_back(static_cast<uint64_t>(value), texts[value]);
      }
    }
    return names;
  }

  /// "mxe_top.mxe_top.u_drain" -> "u_drain.".
  static std::string below_top(std::string path) {
    for (int level = 0; level < 2; level++) {
      const std::size_t dot = path.find('.');
      if (dot == std::string::npos) return "";
      path.erase(0, dot + 1);
    }
    return path + ".";
  }

  /// "gen__BRA__0__KET____DOT__value_q" -> "gen[0].value_q".
  static std::string readable(std::string name) {
    static constexpr std::pair<const char*, char> kEscapes[] = {
        {"__BRA__", '['}, {"__KET__", ']'}, {"__DOT__", '.'}};
    for (const auto& [escape, character] : kEscapes) {
      for (std::size_t at = name.find(escape); at != std::string::npos; at = name.find(escape)) {
        name.replace(at, std::strlen(escape), 1, character);
      }
    }
    return name;
  }

  void open_trace(const std::string& waves) {
    if constexpr (!std::is_void_v<Trace>) {
      if (!traced_) return;
      top_->trace(&trace_, 99);
      trace_.open(waves.c_str());
      if (!trace_.isOpen()) throw Error("cannot write the waveform file '" + waves + "'");
    }
  }

  void eval() {
    top_->eval();
    if constexpr (!std::is_void_v<Trace>) {
      if (traced_) trace_.dump(context_.time());
    }
    context_.timeInc(kHalfCycle);
  }

  void apply(const RtlInputs& in) {
    top_->s_awvalid_i = in.s_awvalid;
    top_->s_awaddr_i = static_cast<uint16_t>(in.s_awaddr);
    top_->s_awprot_i = in.s_awprot;
    top_->s_wvalid_i = in.s_wvalid;
    top_->s_wdata_i = in.s_wdata;
    top_->s_wstrb_i = in.s_wstrb;
    top_->s_bready_i = in.s_bready;
    top_->s_arvalid_i = in.s_arvalid;
    top_->s_araddr_i = static_cast<uint16_t>(in.s_araddr);
    top_->s_arprot_i = in.s_arprot;
    top_->s_rready_i = in.s_rready;
    top_->m_arready_i = in.m_arready;
    top_->m_rvalid_i = in.m_rvalid;
    top_->m_rid_i = in.m_rid;
    top_->m_rresp_i = in.m_rresp;
    top_->m_rlast_i = in.m_rlast;
    top_->m_awready_i = in.m_awready;
    top_->m_wready_i = in.m_wready;
    top_->m_bvalid_i = in.m_bvalid;
    top_->m_bid_i = in.m_bid;
    top_->m_bresp_i = in.m_bresp;
    if (in.m_rdata) std::memcpy(&top_->m_rdata_i, in.m_rdata, params_.mem_bytes());
  }

  void sample(RtlOutputs& out) const {
    out.s_awready = top_->s_awready_o;
    out.s_wready = top_->s_wready_o;
    out.s_bvalid = top_->s_bvalid_o;
    out.s_bresp = top_->s_bresp_o;
    out.s_arready = top_->s_arready_o;
    out.s_rvalid = top_->s_rvalid_o;
    out.s_rdata = top_->s_rdata_o;
    out.s_rresp = top_->s_rresp_o;
    out.m_arvalid = top_->m_arvalid_o;
    out.m_araddr = top_->m_araddr_o;
    out.m_arlen = top_->m_arlen_o;
    out.m_arsize = top_->m_arsize_o;
    out.m_arburst = top_->m_arburst_o;
    out.m_ar.id = top_->m_arid_o;
    out.m_ar.lock = top_->m_arlock_o;
    out.m_ar.cache = top_->m_arcache_o;
    out.m_ar.prot = top_->m_arprot_o;
    out.m_ar.qos = top_->m_arqos_o;
    out.m_ar.region = top_->m_arregion_o;
    out.m_rready = top_->m_rready_o;
    out.m_awvalid = top_->m_awvalid_o;
    out.m_awaddr = top_->m_awaddr_o;
    out.m_awlen = top_->m_awlen_o;
    out.m_awsize = top_->m_awsize_o;
    out.m_awburst = top_->m_awburst_o;
    out.m_aw.id = top_->m_awid_o;
    out.m_aw.lock = top_->m_awlock_o;
    out.m_aw.cache = top_->m_awcache_o;
    out.m_aw.prot = top_->m_awprot_o;
    out.m_aw.qos = top_->m_awqos_o;
    out.m_aw.region = top_->m_awregion_o;
    out.m_wvalid = top_->m_wvalid_o;
    out.m_wlast = top_->m_wlast_o;
    out.m_wstrb = top_->m_wstrb_o;
    out.m_bready = top_->m_bready_o;
    out.irq = top_->irq_o;
    // The pins change at the edge, so the beat is copied.
    if (out.m_wvalid) {
      std::memcpy(wdata_, &top_->m_wdata_o, params_.mem_bytes());
      out.m_wdata = wdata_;
    }
  }

  Params params_;
  std::string waves_;
  bool traced_;
  std::function<void()> before_edge_;
  mutable VerilatedContext context_;  // its scopes need a non-const context
  std::unique_ptr<Model> top_;
  std::optional<HeldClocks> held_clocks_;
  std::conditional_t<std::is_void_v<Trace>, NoTrace, Trace> trace_;
  mutable uint8_t wdata_[64] = {};
};

}  // namespace mxe::rtl
