// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <optional>

#include "model/engine/memory/log2_ceil.h"
#include "tb/blame/block_check.h"

namespace mxe::blame {
namespace {

struct Burst {
  uint64_t addr, beats;
};

/// The bursts of a row of bytes: at most MAX_BURST beats, none across 4 KiB.
class Splitter {
 public:
  explicit Splitter(const Params& params)
      : mem_bytes_(params.mem_bytes()), most_(params.max_burst) {}

  void split(uint64_t addr, uint64_t bytes, std::deque<Burst>& bursts) const {
    split_beats(addr, (addr % mem_bytes_ + bytes + mem_bytes_ - 1) / mem_bytes_, bursts);
  }
  void split_beats(uint64_t addr, uint64_t beats, std::deque<Burst>& bursts) const {
    addr -= addr % mem_bytes_;
    while (beats > 0) {
      const uint64_t to_4k = (4096 - addr % 4096) / mem_bytes_;
      const uint64_t burst = std::min({beats, most_, to_4k});
      bursts.push_back({addr, burst});
      addr += burst * mem_bytes_;
      beats -= burst;
    }
  }
  uint64_t mem_bytes() const { return mem_bytes_; }

 private:
  uint64_t mem_bytes_, most_;
};

class BurstsCheck : public BlockCheck {
 public:
  BurstsCheck(const Context& context, const std::string& instance)
      : BlockCheck(context, "mxe_bursts", instance), splitter_(context.design.params()) {}

  void clock() override {
    if (scope_.on("valid_o")) {
      if (bursts_.empty()) return expect("bursts", "valid_o", 0u);
      expect("address", "addr_o", bursts_.front().addr);
      expect("length", "beats_o", bursts_.front().beats);
      if (scope_.on("take_i")) bursts_.pop_front();
      if (scope_.on("take_i") && scope_.on("drop_i")) bursts_.clear();
    }
    if (scope_.on("start_i"))
      splitter_.split_beats(scope_.get("addr_i"), scope_.get("beats_i"), bursts_);
  }
  void forget() override { bursts_.clear(); }

 private:
  Splitter splitter_;
  std::deque<Burst> bursts_;
};

class ReadPortCheck : public BlockCheck {
 public:
  explicit ReadPortCheck(const Context& context)
      : BlockCheck(context, "mxe_rd_port", "u_datapath.u_rd_port"),
        splitter_(context.design.params()) {}

  void clock() override {
    if (scope_.on("ar_o", AxiFields::kAddrValid)) {
      if (bursts_.empty()) return expect("bursts", "ar_o", AxiFields::kAddrValid, 0);
      expect("address", "ar_o", AxiFields::kAddr, bursts_.front().addr);
      expect("length", "ar_o", AxiFields::kLen, bursts_.front().beats - 1);
      if (scope_.on("ar_ready_i")) bursts_.pop_front();
    }
    const uint64_t ready = scope_.get("ready_o");
    if (ready == 0) return;
    expect("priority", "ready_o", first());
    const char* const request = kRequests[ready == 1 ? 0 : ready == 2 ? 1 : ready == 4 ? 2 : 3];
    const unsigned stored_width = scope_.find("stored").width();
    const unsigned tag_width =
        engine::log2_ceil(params().rows) + FetchFields::kTag.width - FetchFields::kIndexWidth;
    const unsigned off_width = engine::log2_ceil(params().mem_bytes());
    const unsigned len_width = stored_width - tag_width - off_width;
    const uint64_t addr = scope_.get(request, FetchFields::kAddr);
    const uint64_t bytes = scope_.get(request, FetchFields::kBytes);
    expect("fetch", "u_fetches.data_i",
           (addr % splitter_.mem_bytes()) << (len_width + tag_width) | bytes << tag_width |
               scope_.get(request, FetchFields::kTag));
    splitter_.split(addr, bytes, bursts_);
  }
  void forget() override { bursts_.clear(); }

 private:
  /// The highest-priority request: bias, B, A, descriptor. A needs a_allowed; a_first_i puts A
  /// before B.
  uint64_t first() const {
    constexpr uint64_t kDesc = 1, kBias = 2, kB = 4, kA = 8;
    const bool a_may = scope_.on("a_req_i", FetchFields::kValid) && scope_.on("a_allowed");
    if (scope_.on("bias_req_i", FetchFields::kValid)) return kBias;
    if (a_may && scope_.on("a_first_i")) return kA;
    if (scope_.on("b_req_i", FetchFields::kValid)) return kB;
    return a_may ? kA : kDesc;
  }

  static constexpr const char* kRequests[] = {"desc_req_i", "bias_req_i", "b_req_i", "a_req_i"};

  Splitter splitter_;
  std::deque<Burst> bursts_;
};

class UnpackCheck : public BlockCheck {
 public:
  explicit UnpackCheck(const Context& context)
      : BlockCheck(context, "mxe_unpack", "u_datapath.u_unpack") {}

  void clock() override {
    if (scope_.on("word_o", WordFields::kValid)) word();
    if (scope_.on("m_rvalid_i") && scope_.on("m_rready_o")) beat();
  }
  void forget() override {
    fetches_.clear();
    beats_ = 0;
  }

 private:
  struct Fetch {
    uint64_t bytes = 0, tag = 0, done = 0, words = 0;  // done: bytes delivered in words
    std::vector<uint8_t> data;
  };

  uint64_t word_bytes(uint64_t tag) const {
    const uint64_t kind = tag >> 5 & 7;
    const bool of_six_bits = (kind == 1 && job().a.fmt.is6) || (kind == 3 && job().b.fmt.is6);
    if (kind == 2)
      return std::min(32u,
                      most_word_scales(params()) * params().a_slab_k / kBlockSize);  // scales of A
    return of_six_bits ? 24 : 32;
  }
  void word() {
    if (fetches_.empty()) return expect("word", "word_o", WordFields::kValid, 0);
    Fetch& fetch = fetches_.front();
    const uint64_t bytes = std::min(word_bytes(fetch.tag), fetch.bytes - fetch.done);
    if (fetch.done + bytes > fetch.data.size()) {
      return expect("word", "word_o", WordFields::kValid, 0);
    }
    Wide data(256);
    for (unsigned i = 0; i < bytes; i++) data.put(8 * i, 8, uint32_t{fetch.data[fetch.done + i]});
    fetch.done += bytes;
    const bool last = fetch.done == fetch.bytes;
    expect("word", "word_data", data);
    expect("word", "word_o", WordFields::kTag, fetch.tag);
    expect("word", "word_o", WordFields::kIndex, fetch.words);
    expect("word", "word_o", WordFields::kLast, uint64_t{last});
    fetch.words++;
    if (last) fetches_.pop_front();
  }
  void beat() {
    const Wide data = scope_.wide("m_rdata_i");
    const unsigned mem_bytes = data.width() / 8;
    unsigned first = 0;
    if (beats_ == 0) {
      first = static_cast<unsigned>(scope_.get("fetch_i", PendingFields::kOffset));
      Fetch fetch;
      fetch.bytes = scope_.get("fetch_i", PendingFields::kBytes);
      fetch.tag = scope_.get("fetch_i", PendingFields::kTag);
      beats_ = (first + fetch.bytes + mem_bytes - 1) / mem_bytes;
      fetches_.push_back(std::move(fetch));
    }
    Fetch& fetch = fetches_.back();
    for (unsigned i = first; i < mem_bytes && fetch.data.size() < fetch.bytes; i++) {
      fetch.data.push_back(static_cast<uint8_t>(data.get32(8 * i, 8)));
    }
    beats_--;
    expect("beats", "fetch_ready_o", Wide(1, uint32_t{beats_ == 0}));
  }

  std::deque<Fetch> fetches_;
  uint64_t beats_ = 0;  // beats of the last fetch not yet received
};

/// mxe_wr_port: bursts, beats and strobes of the accepted rows and data.
class WritePortCheck : public BlockCheck {
 public:
  explicit WritePortCheck(const Context& context)
      : BlockCheck(context, "mxe_wr_port", "u_datapath.u_wr_port"),
        splitter_(context.design.params()) {}

  void clock() override {
    address();
    beat();
    take_data();
    take_row();
  }
  void forget() override {
    bursts_.clear();
    rows_.clear();
    beats_.clear();
    left_ = false;
  }

 private:
  struct Row {
    uint64_t addr, bytes, taken, segment;
    std::size_t beats_begun;
    bool shares;  // its first beat is also the last one of the previous row
  };
  struct Beat {
    std::vector<uint8_t> data;
    uint64_t strobes = 0, wanted = 0;
    bool last = false;
  };

  void address() {
    if (!scope_.on("aw_valid_q")) return;
    if (bursts_.empty()) return expect("bursts", "aw_valid_q", Wide(1, 0u));
    expect("address", "aw_addr_q", Wide(64, bursts_.front().addr));
    expect("length", "aw_len_q", Wide(8, bursts_.front().beats - 1));
    if (scope_.on("axi_i", AxiFields::kAwReady)) bursts_.pop_front();
  }
  void beat() {
    if (!scope_.on("w_valid_q")) return;
    const Wide found = scope_.wide("w_data_q");
    const unsigned mem_bytes = found.width() / 8;
    if (beats_.empty()) return expect("beats", "w_valid_q", Wide(1, 0u));
    const Beat& beat = beats_.front();
    expect("strobes", "w_strb_q", Wide(mem_bytes, beat.wanted));
    if (beat.strobes != beat.wanted) return expect("beats", "w_valid_q", Wide(1, 0u));
    Wide data(found.width());
    for (unsigned i = 0; i < mem_bytes; i++) {
      if ((beat.strobes >> i & 1) != 0) data.put(8 * i, 8, uint32_t{beat.data[i]});
    }
    expect("data", "w_data_q", data);
    expect("beats", "w_last_q", Wide(1, uint32_t{beat.last}));
    if (scope_.on("axi_i", AxiFields::kWReady)) beats_.pop_front();
  }
  void take_data() {
    if (!scope_.on("write_i", WriteFields::kDataValid) || !scope_.on("data_ready_o")) return;
    if (rows_.empty()) return expect("data", "data_ready_o", Wide(1, 0u));
    Row& row = rows_.front();
    const Wide data = scope_.wide("write_i").part(0, 8 * segment_bytes());
    const uint64_t count = std::min(row.segment, row.bytes - row.taken);
    for (uint64_t i = 0; i < count; i++, row.taken++) {
      const uint64_t place = row.addr % splitter_.mem_bytes() + row.taken;
      Beat& beat = beat_of(row, place / splitter_.mem_bytes());
      const uint64_t at = place % splitter_.mem_bytes();
      beat.data[at] = static_cast<uint8_t>(data.get32(static_cast<unsigned>(8 * i), 8));
      beat.strobes |= uint64_t{1} << at;
    }
    if (row.taken == row.bytes) rows_.pop_front();
  }
  unsigned segment_bytes() const { return scope_.find("seg_strb").width(); }
  /// Beat `number` of the first row, found from the end of the queue: beats leave at its front.
  Beat& beat_of(const Row& row, uint64_t number) {
    std::size_t beat_count = row.shares ? 1 : 0;
    for (const Row& each : rows_) beat_count += each.beats_begun;
    return beats_[beats_.size() - beat_count + number];
  }
  /// Adds the row's bursts. If it joins the next row, its incomplete last beat belongs to the next
  /// row.
  void take_row() {
    if (!scope_.on("write_i", WriteFields::kValid) || !scope_.on("row_ready_o")) return;
    const uint64_t segment = segment_bytes();
    const uint64_t mem_bytes = splitter_.mem_bytes();
    Row row{scope_.get("write_i", WriteFields::kAddr),
            scope_.get("write_i", WriteFields::kBytes),
            0,
            scope_.on("write_i", WriteFields::kHalf) ? segment / 2 : segment,
            0,
            false};
    // If the row that was to complete the last beat does not follow, the beat is not written.
    const bool follows = scope_.on("write_i", WriteFields::kFollows);
    if (left_ && !follows && !beats_.empty()) beats_.pop_back();
    row.shares = left_ && follows;
    const uint64_t offset = row.addr % mem_bytes;
    left_ = scope_.on("write_i", WriteFields::kJoins) && (offset + row.bytes) % mem_bytes != 0;
    const uint64_t own = left_ ? (offset + row.bytes) / mem_bytes * mem_bytes : offset + row.bytes;
    if (own != 0) add_bursts(row, row.addr - offset, own);
    if (left_ && (own != 0 || !row.shares)) add_beat(row, row.addr - offset + own);
    if (left_ && own == 0 && row.shares) want(beats_.back(), row, row.addr - offset);
    rows_.push_back(row);
  }
  void add_bursts(Row& row, uint64_t addr, uint64_t bytes) {
    std::deque<Burst> bursts;
    splitter_.split(addr, bytes, bursts);
    for (const Burst& burst : bursts) {
      for (uint64_t i = 0; i < burst.beats; i++) {
        const uint64_t at = burst.addr + i * splitter_.mem_bytes();
        if (at == addr && row.shares) {
          want(beats_.back(), row, at);
        } else {
          add_beat(row, at);
        }
        beats_.back().last = i + 1 == burst.beats;
      }
      bursts_.push_back(burst);
    }
  }
  void add_beat(Row& row, uint64_t addr) {
    Beat& beat = beats_.emplace_back();
    beat.data.resize(splitter_.mem_bytes());
    want(beat, row, addr);
    row.beats_begun++;
  }
  void want(Beat& beat, const Row& row, uint64_t addr) {
    for (uint64_t at = 0; at < splitter_.mem_bytes(); at++) {
      // Addresses may wrap, so compare distances from the row's first byte.
      if (addr + at - row.addr < row.bytes) beat.wanted |= uint64_t{1} << at;
    }
  }

  Splitter splitter_;
  std::deque<Burst> bursts_;
  std::deque<Row> rows_;
  std::deque<Beat> beats_;
  bool left_ = false;  // the last beat belongs to a row that joins the next one
};

}  // namespace

void add_read_port(const Context& context, Checks& checks) {
  checks.push_back(std::make_unique<BurstsCheck>(context, "u_datapath.u_rd_port.u_split"));
  checks.push_back(std::make_unique<ReadPortCheck>(context));
  checks.push_back(std::make_unique<UnpackCheck>(context));
}

void add_write_port(const Context& context, Checks& checks) {
  checks.push_back(std::make_unique<BurstsCheck>(context, "u_datapath.u_wr_port.u_split"));
  checks.push_back(std::make_unique<WritePortCheck>(context));
}

}  // namespace mxe::blame
