// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/blocks/alpha.h"
#include "model/blocks/amax.h"
#include "model/blocks/merge.h"
#include "model/blocks/narrow.h"
#include "model/blocks/requant_lane.h"
#include "model/blocks/requant_scale.h"
#include "model/params/hardware.h"
#include "tb/blame/block_check.h"
#include "tb/blame/stages.h"

namespace mxe::blame {
namespace {

const std::string kDrain = "u_datapath.u_drain";
const std::string kRequant = kDrain + ".u_requant";
const std::string kCollect = kRequant + ".u_collect";

unsigned lanes_of(const Scope& scope, const char* segment) {
  return scope.find(segment).width() / 32;
}
/// Next value of a shift register with input `in`.
Wide shifted(const Wide& chain, const Wide& in) {
  Wide next(chain.width());
  next.put(0, in);
  next.put(in.width(), chain.part(0, chain.width() - in.width()));
  return next;
}

class DrainCheck : public BlockCheck {
 public:
  explicit DrainCheck(const Context& context)
      : BlockCheck(context, "mxe_drain", kDrain), lanes_(lanes_of(scope_, "result_q")) {
    for (unsigned i = 0; i < lanes_; i++) {
      const std::string lane = fmt::format("gen_late.gen_lane[{}].", i);
      odd_.push_back(&scope_.find(lane + "u_merge.odd_i"));
      even_.push_back(&scope_.find(lane + "u_merge.even_i"));
      sums_.push_back(&scope_.find(lane + "sum"));
    }
  }

  void clock() override {
    store_tile();
    read_tile();
    choose_results();
    give_results();
  }

 private:
  void store_tile() {
    const Wide even = scope_.wide("res_even_i"), odd = scope_.wide("res_odd_i");
    Wide pairs(2 * even.width());
    for (unsigned i = 0; i < even.width() / 32; i++) {
      pairs.put(64 * i, 32, even.get(32 * i, 32));
      pairs.put(64 * i + 32, 32, odd.get(32 * i, 32));
    }
    expect("tile", "tile_wdata", pairs);
  }
  void read_tile() {
    const uint32_t segment = scope_.get32("seg_q"), cols = scope_.get32("cols");
    const bool issue = scope_.on("issue"), release = scope_.on("release_o");
    const bool last = (segment + 1) * lanes_ >= cols;
    Wide keep(lanes_);
    for (unsigned i = 0; i < lanes_; i++) keep.put(i, 1, segment * lanes_ + i < cols ? 1u : 0u);
    expect("columns", "keep", keep);
    const unsigned seg_width = scope_.find("seg_q").width();
    expect_next("tile", "seg_q", Wide(seg_width, !issue ? segment : last ? 0 : segment + 1));
    expect_next("tile", "bank_q", Wide(1, scope_.get("bank_q") ^ uint64_t{release}));
    expect_next("tile", "read_seg_q", scope_.wide("seg_q"));
    Wide meta(scope_.find("meta_q").width());
    meta.put(0, keep);
    const Wide place = scope_.wide("stage_seg"), row = scope_.wide("row");
    meta.put(lanes_, place);
    meta.put(lanes_ + place.width(), row);
    meta.put(meta.width() - 1, 1, uint32_t{release && scope_.on("block_done")});
    expect_next("tile", "meta_q", meta);
    const unsigned width = lanes_ * 64;
    expect("segment", "pairs",
           scope_.wide("tile_rdata").part(scope_.get32("read_seg_q") * width, width));
  }
  void choose_results() {
    const bool alpha = job().alpha_en, adds_c = alpha && job().c.en;
    const bool dual = job().dual && !job().nvfp4;
    const Wide pairs = scope_.wide("pairs");
    Wide values(32 * lanes_), result(32 * lanes_);
    if (alpha) values = scope_.wide("gen_late.product");
    for (unsigned i = 0; i < lanes_; i++) {
      if (!alpha) values.put(32 * i, 32, pairs.get(64 * i, 32));
      result.put(32 * i, 32, dual || adds_c ? Wide(*sums_[i]).get(0, 32) : values.get(32 * i, 32));
      expect("even", *even_[i], values.part(32 * i, 32));
      if (!alpha && params().fp4_dual != 0) expect("odd", *odd_[i], pairs.part(64 * i + 32, 32));
      if (adds_c) expect("C", *odd_[i], scope_.wide("gen_late.c_seg").part(32 * i, 32));
    }
    expect(alpha ? "product or sum" : "even or merged", "result", result);
    expect_next("result", "result_q", scope_.wide("result"));
    const Wide late = scope_.wide("gen_late.late_meta_q"), meta = scope_.wide("meta_q");
    expect_next("merge", "gen_late.late_meta_q", shifted(late, meta));
    const unsigned cycles = (alpha ? kAlphaLatency : 0) + (dual || adds_c ? kAccLatency - 1 : 0);
    expect("merge", "merged_meta",
           cycles == 0 ? meta : late.part((cycles - 1) * meta.width(), meta.width()));
    expect_next("result", "push_meta_q", scope_.wide("merged_meta"));
    expect_next("result", "push_q", scope_.wide("merged_valid"));
  }
  void give_results() {
    const Wide result = scope_.wide("result_q");
    const uint64_t keep = scope_.wide("push_meta_q").get64(0, lanes_);
    Wide kept(32 * lanes_), rounded(16 * lanes_);
    for (unsigned i = 0; i < lanes_; i++) {
      const uint32_t one = (keep >> i & 1) != 0 ? result.get32(32 * i, 32) : 0;
      kept.put(32 * i, 32, one);
      rounded.put(16 * i, 16, uint32_t{job().d.fp16 ? blocks::to_fp16(one) : blocks::to_bf16(one)});
    }
    expect("columns", "kept", kept);
    const bool two_bytes = job().d.two_bytes;
    if (two_bytes) expect(job().d.fp16 ? "round to FP16" : "round to BF16", "rounded", rounded);
    Wide out(32 * lanes_);
    out.put(0, two_bytes ? rounded : kept);
    expect("result", "u_out.data_i", out);
    expect("result", "data",
           job().d.mx ? scope_.wide("block").part(0, 32 * lanes_) : scope_.wide("direct_data"));
  }

  unsigned lanes_;
  std::vector<const rtl::RtlValue*> odd_, even_, sums_;
};

struct PlaceInMerge {
  PlaceInFacc in_facc;

  Place operator()(const std::string& path) {
    const Place place = in_facc(path);
    const bool is_input = path.compare(0, 5, "facc.") != 0 || path.substr(path.size() - 2) == "_i";
    return is_input ? Place{"mxe_merge", "merge", 0} : place;
  }
};

class MergeCheck : public BlockCheck {
 public:
  MergeCheck(const Context& context, const std::string& instance)
      : BlockCheck(context, "mxe_merge", instance),
        pipeline_(context.design, instance, merge_, PlaceInMerge()) {}

  void clock() override {
    merge_.evaluate(scope_.get32("even_i"), scope_.get32("odd_i"));
    pipeline_.clock(merge_);
  }
  void forget() override { pipeline_.forget(); }

 private:
  blocks::Merge merge_;
  Pipeline pipeline_;
};

/// mxe_alpha: the products of a lane.
class AlphaCheck : public BlockCheck {
 public:
  AlphaCheck(const Context& context, const std::string& instance)
      : BlockCheck(context, "mxe_alpha", instance) {}

  void clock() override {
    if (!job().alpha_en) return forget();
    if (clocks_++ < kFactorLater) return;
    products_.push_front(alpha_.evaluate(job().alpha, scope_.get32("x_i")));
    if (products_.size() <= kAlphaLatency) return;
    expect("product", "product_o", products_.back());
    products_.pop_back();
  }
  void new_job() override { forget(); }
  void forget() override {
    products_.clear();
    clocks_ = 0;
  }

 private:
  static constexpr unsigned kFactorLater =
      2;  ///< cycles until a new job's factor is in its register

  blocks::Alpha alpha_;
  std::deque<uint32_t> products_;
  unsigned clocks_ = 0;
};

/// mxe_amax, mxe_narrow and mxe_collect: largest magnitudes and the rounded results.
class CollectCheck : public BlockCheck {
 public:
  explicit CollectCheck(const Context& context)
      : BlockCheck(context, "mxe_collect", kCollect),
        amax_(lanes_of(scope_, "data_i")),
        latency_(scope_.find("valid_q").width()) {
    for (unsigned i = 0; i < amax_.lanes; i++) {
      kept_.push_back(&scope_.find(fmt::format("gen_narrow[{}].u_narrow.narrow_o", i)));
    }
  }

  void clock() override {
    const Wide data = scope_.wide("data_i");
    uint32_t x[blocks::kMaxSegmentLanes] = {};
    for (unsigned i = 0; i < amax_.lanes; i++) {
      x[i] = data.get32(32 * i, 32);
      design().expect("mxe_narrow", "result", *kept_[i], narrow_.evaluate(x[i]));
    }
    segments_.push_front(amax_.evaluate(x));
    if (segments_.size() > latency_) {
      design().expect("mxe_amax", "magnitude", scope_.find("u_amax.amax_o"), segments_[latency_]);
      segments_.pop_back();
    }
    const Wide chain = scope_.wide("meta_q"), in = scope_.wide("meta_in");
    expect_next("place", "meta_q", chain.width() > in.width() ? shifted(chain, in) : in);
    keep_largest();
  }
  void forget() override {
    segments_.clear();
    largest_.clear();
  }

 private:
  void keep_largest() {
    if (scope_.on("re_i")) {
      const auto largest = largest_.find(scope_.get32("ridx"));
      if (largest != largest_.end()) {
        expect_next("magnitude of a block", "ramax_q", Wide(blocks::kAmaxWidth, largest->second));
      }
    }
    if (!scope_.on("store")) return;
    const Wide meta = scope_.wide("meta");
    const unsigned index_width = meta.width() - 2;
    const uint32_t index = meta.get32(0, index_width), segment = scope_.get32("seg_amax");
    uint32_t& largest = largest_[index];
    if (meta.get(index_width, 1) != 0 || segment > largest) largest = segment;
  }

  blocks::Amax amax_;
  blocks::Narrow narrow_;
  std::vector<const rtl::RtlValue*> kept_;
  std::size_t latency_;
  std::deque<uint32_t> segments_;
  std::map<uint32_t, uint32_t> largest_;
};

/// Detects the first cycle of a job, in which the requantiser still uses the previous format.
class FirstClock {
 public:
  void begin() { first_ = true; }
  bool passed() { return !std::exchange(first_, false); }

 private:
  bool first_ = false;
};

class RequantCheck : public BlockCheck {
 public:
  explicit RequantCheck(const Context& context)
      : BlockCheck(context, "mxe_requant", kRequant),
        scale_pipeline_(context.design, kRequant + ".u_scale", scale_,
                        [](const std::string&) {
                          return Place{"mxe_requant_scale", "scale"};
                        }),
        lanes_(lanes_of(scope_, "data_i")) {}

  void clock() override {
    if (!format_settles_.passed() || !job().d.mx) return;
    const blocks::FmtInfo& fmt = job().d.fmt;
    scale_.evaluate(scope_.get32("u_scale.amax_i"), fmt, static_cast<blocks::Rule>(job().d.rule));
    scale_pipeline_.clock(scale_);
    expect_next("scale", "scale_q2", scope_.wide("scale"));
    expect_next("scale", "scales_q", shifted(scope_.wide("scales_q"), scope_.wide("scale_q2")));
    step();
    pack(fmt.is4 ? 4 : fmt.is6 ? 6 : 8);
  }
  void new_job() override {
    forget();
    format_settles_.begin();
  }
  void forget() override { scale_pipeline_.forget(); }

 private:
  void step() {
    const uint32_t segment = scope_.get32("seg_q"), row = scope_.get32("row_q");
    const bool read = scope_.on("read");
    const bool last_segment = (segment + 1) * lanes_ >= scope_.get32("cols");
    const bool last_row = row + 1 == scope_.get32("rows_i");
    expect_next("read", "seg_q",
                Wide(scope_.find("seg_q").width(), !read          ? segment
                                                   : last_segment ? 0
                                                                  : segment + 1));
    expect_next("read", "row_q",
                Wide(scope_.find("row_q").width(), !(read && last_segment) ? row
                                                   : last_row              ? 0
                                                                           : row + 1));
  }
  void pack(unsigned bits) {
    const Wide codes = scope_.wide("codes"), old = scope_.wide("pack_q");
    const Wide out = scope_.wide("out");
    const unsigned seg_width = scope_.find("seg_q").width();
    const uint32_t segment = out.get32(0, seg_width);
    Wide packed(256);
    if (segment != 0) packed.put(0, old);
    for (unsigned i = 0; i < lanes_; i++) {
      const unsigned place = (segment * lanes_ + i) * bits;
      packed.put(place, bits, packed.get(place, bits) | codes.get(8 * i, bits));
    }
    expect("pack", "pack_d", packed);
    Wide row(6 + 8 + 256);
    row.put(0, packed);
    row.put(256, scope_.wide("out_scale"));
    row.put(264, 6, out.get(seg_width, 6));
    expect("row", "u_rows.data_i", row);
  }

  FirstClock format_settles_;
  blocks::RequantScale scale_;
  Pipeline scale_pipeline_;
  unsigned lanes_;
};

struct PlaceInRequantLane {
  unsigned stage = 0;

  Place operator()(const std::string& path) {
    static constexpr const char* kSteps[] = {"leading one", "leading one", "place", "shift",
                                             "round"};
    stage = stage_of(path, stage);
    return {"mxe_requant_lane", kSteps[stage], stage};
  }
};

/// mxe_requant_lane. The scale arrives one cycle after the number.
class RequantLaneCheck : public BlockCheck {
 public:
  RequantLaneCheck(const Context& context, const std::string& instance)
      : BlockCheck(context, "mxe_requant_lane", instance),
        pipeline_(context.design, instance, lane_, PlaceInRequantLane()) {}

  void clock() override {
    if (!format_settles_.passed() || !job().d.mx) return;
    if (number_) {
      lane_.evaluate(*number_, scope_.get32("scale_i"), job().d.fmt, job().d.special);
      pipeline_.clock(lane_, 1);
    }
    number_ = scope_.get32("x_i");
  }
  void new_job() override {
    forget();
    format_settles_.begin();
  }
  void forget() override {
    pipeline_.forget();
    number_.reset();
  }

 private:
  FirstClock format_settles_;
  blocks::RequantLane lane_;
  Pipeline pipeline_;
  std::optional<uint32_t> number_;
};

/// mxe_block_wr: the elements of a row, then its scale; blocks along N, stripes along M.
class BlockWriterCheck : public BlockCheck {
 public:
  explicit BlockWriterCheck(const Context& context)
      : BlockCheck(context, "mxe_block_wr", kRequant + ".u_block_wr") {}

  void clock() override {
    if (!job().d.mx) return;
    if (scope_.on("start_i")) {
      stripe_ = row_ = column_ = 0;
      return;
    }
    request();
    data();
  }
  void forget() override {
    stripe_ = row_ = column_ = 0;
    request_scale_ = data_scale_ = false;
    segment_ = 0;
  }

 private:
  void request() {
    if (!scope_.on("write_o", WriteFields::kValid)) return;
    const auto& d = job().d;
    const unsigned block_bytes = d.fmt.is4 ? 16 : d.fmt.is6 ? 24 : 32;
    const uint64_t element = d.addr + row_ * d.stride + column_ * block_bytes;
    const uint64_t scale = d.scale_addr + row_ * d.scale_stride + column_;
    expect("address", "write_o", WriteFields::kAddr, request_scale_ ? scale : element);
    expect("bytes", "write_o", WriteFields::kBytes,
           request_scale_ ? 1 : scope_.get("place_bytes_i"));
    if (!scope_.on("row_ready_i")) return;
    request_scale_ = !request_scale_;
    if (request_scale_) return;
    const bool last = scope_.on("row_last_i"), end = scope_.on("cols_end_i");
    row_++;
    if (last && end) {
      stripe_ = row_;
      column_ = 0;
    } else if (last) {
      row_ = stripe_;
      column_++;
    }
  }
  void data() {
    if (!scope_.on("write_o", WriteFields::kDataValid)) return;
    const Wide elements = scope_.wide("elements_i");
    const unsigned width = scope_.find("elements").width();
    const Wide data =
        data_scale_ ? Wide(width, scope_.get("scale_i")) : elements.part(segment_ * width, width);
    Wide expected = scope_.wide("write_o");
    expected.put(0, Wide(WriteFields::kData.width));
    expected.put(0, data);
    expect("data", "write_o", expected);
    if (!scope_.on("data_ready_i")) return;
    if (data_scale_) {
      data_scale_ = false;
      return;
    }
    segment_++;
    data_scale_ = segment_ * width / 8 >= scope_.get("bytes_i");
    if (data_scale_) segment_ = 0;
  }

  uint64_t stripe_ = 0, row_ = 0, column_ = 0;
  bool request_scale_ = false, data_scale_ = false;
  unsigned segment_ = 0;
};

}  // namespace

void add_results(const Context& context, Checks& checks) {
  const Scope drain(context.design, kDrain);
  const unsigned lanes = lanes_of(drain, "result_q");
  for (unsigned i = 0; i < lanes; i++) {
    checks.push_back(std::make_unique<MergeCheck>(
        context, fmt::format("{}.gen_late.gen_lane[{}].u_merge", kDrain, i)));
  }
  for (unsigned i = 0; i < lanes && context.design.params().nvfp4 != 0; i++) {
    checks.push_back(std::make_unique<AlphaCheck>(
        context, fmt::format("{}.gen_late.gen_alpha.gen_product[{}].u_alpha", kDrain, i)));
  }
  checks.push_back(std::make_unique<DrainCheck>(context));
  checks.push_back(std::make_unique<CollectCheck>(context));
  checks.push_back(std::make_unique<RequantCheck>(context));
  for (unsigned i = 0; i < lanes; i++) {
    checks.push_back(std::make_unique<RequantLaneCheck>(
        context, fmt::format("{}.gen_lane[{}].u_lane", kRequant, i)));
  }
  checks.push_back(std::make_unique<BlockWriterCheck>(context));
}

}  // namespace mxe::blame
