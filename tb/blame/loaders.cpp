// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <string>

#include "model/params/hardware.h"
#include "tb/blame/block_check.h"
#include "tb/blame/nest.h"

namespace mxe::blame {
namespace {

constexpr uint32_t kTagAElem = 1, kTagBElem = 3, kTagBias = 5;

/// Packs a tag of mxe_pkg: index of the row or column, then the fields of tag_t.
uint64_t tag_of(uint64_t index, uint64_t turn, uint32_t kind, uint64_t bank, bool last) {
  constexpr unsigned kBankBits = 4, kKindBits = 3, kTurnBits = 2;
  const uint64_t above = (index << kTurnBits | turn) << kKindBits | kind;
  return (above << kBankBits | bank) << 1 | uint64_t{last};
}

/// mxe_load: the rows of A chunks or the columns of B slabs, elements then scales of each.
class LoadCheck : public BlockCheck {
 public:
  LoadCheck(const Context& context, const std::string& instance, bool operand_a)
      : BlockCheck(context, "mxe_load", instance), operand_a_(operand_a) {}

  void clock() override {
    const bool claim = scope_.on("valid") && !scope_.on("taken_q") && scope_.on("free_q");
    expect("banks", "claim", uint32_t{claim});
    if (claim && nest_.valid()) expect("banks", "claim_behind_o", passed_blocks());
    const bool starts = scope_.on("start_i");
    if (scope_.on("req_o", FetchFields::kValid)) request();
    if (starts) start();
    expect_next("banks", "free_q",
                Wide(scope_.find("free_q").width(),
                     starts && !scope_.on("chain_i")
                         ? banks_
                         : scope_.get("free_q") + scope_.get("release_i") - uint64_t{claim}));
  }
  void forget() override {
    nest_ = {};
    index_ = bank_ = column_ = 0;
    scales_ = false;
  }

 private:
  void start() {
    // The loader may work on the job after the running one.
    job_ = Job(scope_.wide("job_i"));
    const Job& job = job_;
    const Params& params = this->params();
    Nest::Levels levels = Nest::levels_of_b(params, job);
    banks_ = operand_a_ ? kBanks : levels.wide ? 2 * params.b_banks : params.b_banks;
    if (operand_a_) levels = {true, true, false, false};
    nest_ = Nest(params, job.batch, job.m, job.n, job.k_words, levels);
    if (operand_a_ && nest_.chunk_words() == job.k_words) {
      levels.groups = false;  // all groups reuse the loaded chunk
      nest_ = Nest(params, job.batch, job.m, job.n, job.k_words, levels);
    }
    if (!operand_a_ && !scope_.on("chain_i")) bank_ = 0;
    index_ = column_ = 0;
    scales_ = false;
  }
  const Job::Operand& operand() const { return operand_a_ ? job_.a : job_.b; }
  uint64_t first_block() const {
    return (nest_.chunk() + (operand_a_ ? 0 : nest_.slab())) << job_.scale_shift;
  }
  /// Blocks by which the coming bank begins behind its first scale.
  uint64_t passed_blocks() const { return first_block() % (uint64_t{1} << operand().coarse); }
  void request() {
    if (!nest_.valid()) return expect("order", "req_o", FetchFields::kValid, 0);
    const Job& job = job_;
    const Job::Operand& operand = this->operand();
    const uint64_t line =
        index_ + (operand_a_ ? nest_.row() : nest_.product() * job.n + nest_.column() + column_);
    const uint64_t word = nest_.chunk() + (operand_a_ ? 0 : nest_.slab());
    const uint64_t words = operand_a_ ? nest_.chunk_words() : nest_.slab_words();
    const uint64_t per_word = uint64_t{1} << job.scale_shift;
    uint64_t addr = 0, bytes = 0;
    if (scales_) {
      const uint64_t first = first_block() >> operand.coarse;
      const uint64_t next = std::min<uint64_t>((word + words) * per_word, job.k_blocks);
      addr = operand.scale_addr + line * operand.scale_stride + first;
      bytes = ((next - 1) >> operand.coarse) + 1 - first;
    } else {
      const uint64_t offset = word * operand.word_bytes;
      addr = operand.addr + line * operand.stride + offset;
      bytes = std::min(words * operand.word_bytes, operand.row_bytes - offset);
    }
    const uint64_t lines =
        operand_a_ ? nest_.rows() : std::min<uint64_t>(nest_.columns() - column_, params().num_pe);
    const bool last = scales_ && index_ + 1 == lines;
    const uint32_t kind = (operand_a_ ? kTagAElem : kTagBElem) + uint32_t{scales_};
    expect("address", "req_o", FetchFields::kAddr, addr);
    expect("bytes", "req_o", FetchFields::kBytes, bytes);
    expect("place", "req_o", FetchFields::kTag,
           tag_of(index_, scope_.get("turn_i"), kind, bank_, last));
    if (!scope_.on("req_ready_i")) return;
    scales_ = !scales_;
    if (scales_) return;
    index_++;
    if (!last) return;
    index_ = 0;
    bank_ = (bank_ + 1) % banks_;
    column_ += lines;
    if (!operand_a_ && column_ < nest_.columns()) return;
    column_ = 0;
    nest_.step();
  }

  bool operand_a_;
  Job job_;
  Nest nest_;
  uint64_t index_ = 0, bank_ = 0, banks_ = kBanks;
  uint64_t column_ = 0;  // first column of the current tile within a wide tile
  bool scales_ = false;
};

class LoadBiasCheck : public BlockCheck {
 public:
  explicit LoadBiasCheck(const Context& context)
      : BlockCheck(context, "mxe_load_bias", "u_datapath.u_load_bias") {}

  void clock() override {
    if (!scope_.on("req_o", FetchFields::kValid)) return;
    const bool last = scope_.on("row", TileRowFields::kLastRow);
    expect("bytes", "req_o", FetchFields::kBytes,
           scope_.get("row", TileRowFields::kCols) * (job().c.bf16 ? 2 : 4));
    expect("place", "req_o", FetchFields::kTag,
           tag_of(scope_.get("row", TileRowFields::kRow), scope_.get("turn_i"), kTagBias, bank_,
                  last));
    if (last && scope_.on("req_ready_i")) bank_ ^= 1;
  }
  void forget() override { bank_ = 0; }

 private:
  uint64_t bank_ = 0;
};

/// mxe_rows: address = base + row * stride + column * size, tile by tile.
class RowsCheck : public BlockCheck {
 public:
  RowsCheck(const Context& context, const std::string& instance)
      : BlockCheck(context, "mxe_rows", instance) {}

  void clock() override {
    expect("order", "valid_o", uint32_t{nest_.valid()});
    if (nest_.valid()) {
      const uint64_t row = one_row_ ? 0 : nest_.row() + row_;
      const bool last = one_row_ || row_ + 1 == nest_.rows();
      expect("address", "row_o", TileRowFields::kAddr,
             addr_ + row * stride_ + nest_.column() * size_);
      expect("order", "row_o", TileRowFields::kCols, nest_.columns());
      expect("order", "row_o", TileRowFields::kRow, row_);
      expect("order", "row_o", TileRowFields::kLastRow, uint64_t{last});
      expect("order", "row_o", TileRowFields::kLastTile, uint64_t{nest_.last_tile_of_stripe()});
      if (scope_.on("take_i")) {
        row_ = last ? 0 : row_ + 1;
        if (last) nest_.step();
      }
    }
    if (scope_.on("start_i")) start();
  }
  void forget() override { nest_ = {}; }

 private:
  void start() {
    nest_ = Nest(params(), scope_.get("matrix_i", MatrixFields::kBatch),
                 scope_.get("matrix_i", MatrixFields::kM), scope_.get("matrix_i", MatrixFields::kN),
                 1, {true, false, true, false});
    row_ = 0;
    // mxe_rows counts in units of two bytes. Odd addresses and strides are legal only for MX
    // results, which do not use these addresses.
    addr_ = scope_.get("matrix_i", MatrixFields::kAddr) & ~uint64_t{1};
    stride_ = scope_.get("matrix_i", MatrixFields::kStride) & ~uint64_t{1};
    size_ = scope_.on("matrix_i", MatrixFields::kTwoBytes) ? 2 : 4;
    one_row_ = scope_.on("matrix_i", MatrixFields::kOneRow);
  }

  Nest nest_;
  uint64_t row_ = 0, addr_ = 0, stride_ = 0, size_ = 4;
  bool one_row_ = false;
};

/// mxe_feed: the B words of a tile column by column, and the pass that uses them.
class FeedCheck : public BlockCheck {
 public:
  explicit FeedCheck(const Context& context)
      : BlockCheck(context, "mxe_feed", "u_datapath.u_feed") {}

  void clock() override {
    if (scope_.on("b_re_o")) read();
    if (scope_.on("start_i")) {
      const Job& job = this->job();
      const Nest::Levels levels = Nest::levels_of_b(params(), job);
      nest_ = Nest(params(), job.batch, job.m, job.n, job.k_words, levels);
      banks_ = levels.wide ? 2 * params().b_banks : params().b_banks;
      column_ = word_ = tile_ = 0;
      if (!scope_.on("chain_i")) bank_ = 0;
    }
  }
  void forget() override {
    nest_ = {};
    bank_ = 0;
  }

 private:
  void read() {
    if (!nest_.valid()) return expect("order", "b_re_o", 0u);
    expect("B word", "b_line_o", column_);
    expect("B word", "b_word_o", word_);
    expect("B word", "b_bank_o", (bank_ + tile_) % banks_);
    const Job& job = this->job();
    const uint64_t columns =
        std::min<uint64_t>(nest_.columns() - tile_ * params().num_pe, params().num_pe);
    const bool last_tile = tile_ * params().num_pe + columns == nest_.columns();
    const bool last_word = word_ + 1 == nest_.slab_words();
    const uint64_t count = nest_.last_k() && last_word ? job.tail_count : job.dual ? 64 : 32;
    expect_next("B word", "load_col_q", column_);
    expect_next("B word", "load_cols_q", columns);
    expect_next("elements within K", "count_q", count);
    column_ += feed_cols(params().num_pe);
    if (column_ < columns) return;
    expect_next("pass", "pass_rows_o", nest_.rows());
    expect_next("pass", "pass_cols_o", columns);
    expect_next("pass", "pass_tile_o", nest_.tile() + tile_);
    expect_next("pass", "pass_word_o", nest_.slab() + word_);
    expect_next("elements within K", "pass_count_o", count);
    expect_next("pass", "pass_first_o", uint32_t{nest_.first_k() && word_ == 0});
    expect_next("pass", "pass_last_o", uint32_t{nest_.last_k() && last_word});
    expect_next("pass", "pass_a_done_o", uint32_t{nest_.last_use() && last_word && last_tile});
    column_ = 0;
    tile_ = last_tile ? 0 : tile_ + 1;
    if (!last_tile) return;
    word_++;
    if (!last_word) return;
    word_ = 0;
    bank_ = (bank_ + (nest_.columns() > params().num_pe ? 2 : 1)) % banks_;
    nest_.step();
  }

  Nest nest_;
  uint64_t column_ = 0, word_ = 0, bank_ = 0, banks_ = 1;
  uint64_t tile_ = 0;
};

class SequencerCheck : public BlockCheck {
 public:
  explicit SequencerCheck(const Context& context)
      : BlockCheck(context, "mxe_seq", "u_datapath.u_seq") {}

  void clock() override {
    const auto full = [this](const char* banks, const char* bank) {
      return (scope_.get(banks) >> scope_.get(bank) & 1) != 0;
    };
    const bool bias = scope_.on("pass_first_i") && scope_.on("bias_en_i");
    const uint64_t tile = scope_.get("pass_tile_i");
    const auto apart = [&](const Earlier& e) { return e.tile != tile || clock_ - e.clock >= 7; };
    const bool ready = std::all_of(earlier_.begin(), earlier_.end(), apart);
    const bool start =
        scope_.on("pass_valid_i") && !scope_.on("busy_q") && ready &&
        full("a_full_i", "a_bank_q") &&
        (!bias || (full("c_full_i", "c_bank_q") && !full("c_taken_q", "c_bank_q"))) &&
        (!scope_.on("pass_last_i") || scope_.on("d_free_q"));
    clock_++;
    if (start) {
      earlier_.push_back({clock_ - 1, tile});
      if (earlier_.size() > 8) earlier_.pop_front();
    }
    const uint64_t taken = (scope_.get("c_taken_q") & scope_.get("c_full_i")) |
                           (start && bias ? uint64_t{1} << scope_.get("c_bank_q") : 0);
    expect_next("bias banks", "c_taken_q", taken);
    expect("start", "pass_ready_o", uint32_t{start});
    const uint64_t freed = scope_.get("d_free_q") + scope_.get("drain_release_i") -
                           uint64_t{start && scope_.on("pass_last_i")};
    expect_next("drain banks", "d_free_q", freed);
    if (start) {
      row_ = 0;
      rows_ = scope_.get("pass_rows_i");
      for (std::size_t i = 0; i < std::size(kFields); i++) fields_[i] = scope_.get(kFields[i].in);
    }
    const bool valid = row_ < rows_;
    expect("rows", "row_valid_o", uint32_t{valid});
    if (!valid) return;
    expect("rows", "row_o", row_);
    expect("rows", "last_row_o", uint32_t{row_ + 1 == rows_});
    for (std::size_t i = 0; i < std::size(kFields); i++) expect("rows", kFields[i].out, fields_[i]);
    row_++;
  }
  void forget() override {
    row_ = rows_ = 0;
    earlier_.clear();
  }

 private:
  struct Earlier {
    uint64_t clock, tile;
  };
  struct Field {
    const char *in, *out;
  };
  static constexpr Field kFields[] = {{"pass_tile_i", "tile_o"},
                                      {"pass_word_i", "a_word_o"},
                                      {"pass_first_i", "first_o"},
                                      {"pass_last_i", "last_o"},
                                      {"pass_count_i", "count_o"}};

  std::deque<Earlier> earlier_;
  uint64_t clock_ = 0;
  uint64_t row_ = 0, rows_ = 0;
  uint64_t fields_[std::size(kFields)] = {};
};

}  // namespace

void add_loaders(const Context& context, Checks& checks) {
  checks.push_back(std::make_unique<RowsCheck>(context, "u_datapath.u_load_bias.u_rows"));
  checks.push_back(std::make_unique<RowsCheck>(context, "u_datapath.u_drain.u_rows"));
  checks.push_back(std::make_unique<LoadBiasCheck>(context));
  checks.push_back(std::make_unique<LoadCheck>(context, "u_datapath.u_load_b", false));
  checks.push_back(std::make_unique<LoadCheck>(context, "u_datapath.u_load_a", true));
}

void add_passes(const Context& context, Checks& checks) {
  checks.push_back(std::make_unique<FeedCheck>(context));
  checks.push_back(std::make_unique<SequencerCheck>(context));
}

}  // namespace mxe::blame
