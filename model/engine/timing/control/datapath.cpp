// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/control/datapath.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "model/numerics/gemm/accumulate.h"
#include "model/numerics/gemm/gemm.h"
#include "model/numerics/quantize/tensor.h"

namespace mxe::engine {
namespace {

uint32_t ceil_div(uint32_t a, uint32_t b) { return a / b + (a % b != 0); }

/// Bytes of one operand word in memory (word_bytes in mxe_pkg): one block, or two at the dual rate.
unsigned word_bytes(numerics::FormatId format, bool dual) {
  return static_cast<unsigned>(
      numerics::packed_row_bytes(format, dual ? 2 * kBlockSize : kBlockSize));
}

/// A or B, without addresses.
OperandView view(const Descriptor& job, const Params& params, numerics::FormatId format,
                 uint32_t block) {
  const bool dual = is_dual(job, params);
  OperandView v;
  v.row_bytes = static_cast<uint32_t>(numerics::packed_row_bytes(format, job.k));
  v.row_blocks = ceil_div(job.k, scale_block(job));
  v.word_bytes = word_bytes(format, dual);
  v.word_blocks = word_scales(job, params);
  v.coarse = coarse_blocks(block);
  v.words_at_a_time = std::max(kPlainWordBytes / v.word_bytes, 1u);
  return v;
}

OperandView view_of_a(const Descriptor& job, const Params& params) {
  OperandView v = view(job, params, job.a(), job.block_a);
  v.address = job.a_addr;
  v.stride = job.a_stride;
  v.scale_address = job.a_scale_addr;
  v.scale_stride = job.a_scale_stride;
  return v;
}

ArithmeticJob arithmetic_job(const Descriptor& job, bool dual) {
  ArithmeticJob arithmetic;
  arithmetic.format_a = job.a();
  arithmetic.format_b = job.b();
  arithmetic.k = job.k;
  arithmetic.dual = dual;
  arithmetic.nvfp4 = is_nvfp4(job);
  if (job.has_mx_out()) arithmetic.requant = requant_options(job);
  return arithmetic;
}

std::unique_ptr<OperandLoader> make_loader(const LoaderFactory& factory, const Params& params,
                                           Load::Operand operand) {
  return factory ? factory(params) : std::make_unique<Load>(params, operand);
}

/// Cuts a fetch into words and hands each to `put`.
template <class Put>
void unpack(const Fetch& fetch, const uint8_t* data, const Put& put) {
  for (unsigned index = 0; index * fetch.word_bytes < fetch.bytes; index++) {
    put(index, Unpack::word(data, fetch.bytes, fetch.word_bytes, index));
  }
}

}  // namespace

Datapath::Datapath(const EngineConfig& config, MemoryPort& memory, Counters& counters)
    : params_(config.params),
      counters_(counters),
      mode_(config.mode),
      memory_(memory),
      trace_(config.tracer),
      watcher_(config.watcher),
      load_a_(make_loader(config.load_a, params_, Load::Operand::a)),
      load_b_(make_loader(config.load_b, params_, Load::Operand::b)),
      load_bias_(params_),
      desc_(params_, trace_),
      clients_{&load_bias_, load_b_.get(), load_a_.get(), &desc_},
      rd_port_(params_, config.ports, memory, trace_),
      wr_port_(params_, config.ports, memory, trace_),
      record_(wr_port_, trace_),
      arithmetic_(config.arithmetic ? config.arithmetic(params_) : make_golden_arithmetic(params_)),
      a_buf_(load_a_->banks(), params_.rows, params_.a_slab_k / kBlockSize,
             most_word_scales(params_)),
      b_buf_(2 * load_b_->banks(), params_.num_pe, params_.b_buf_k / kBlockSize,
             most_word_scales(params_)),
      c_buf_(params_),
      feed_(params_, b_buf_.fills),
      seq_(params_, a_buf_.fills, c_buf_.fills, counters),
      array_(params_, *arithmetic_),
      drain_(params_, wr_port_, *arithmetic_, c_buf_, trace_) {
  arithmetic_->watch(watcher_);
}

/// B as its loader and the feeder see it.
OperandView Datapath::view_of_b(const Descriptor& job) const {
  OperandView b = view(job, params_, job.b(), job.block_b);
  b.address = job.b_addr;
  b.stride = job.b_stride;
  b.scale_address = job.b_scale_addr;
  b.scale_stride = job.b_scale_stride;
  b.wide = LoopNest::is_wide(params_, job.m, b.word_bytes);
  b.long_slab = LoopNest::has_long_slabs(b.word_bytes);
  return b;
}

/// True if all results of a job are computed when it starts.
bool Datapath::computes_whole(const Descriptor& job) const {
  return functional() && !trace_ && arithmetic_->is_reference() &&
         WholeJob::can_compute(job, memory_);
}

void Datapath::start_loaders(uint64_t cycle, const Descriptor& job, bool chained) {
  loads_flow_ = functional() && !computes_whole(job);
  const bool dual = is_dual(job, params_);
  const uint32_t k_words = ceil_div(job.k, dual ? 2 * kBlockSize : kBlockSize);
  load_a_->start(cycle, view_of_a(job, params_), job.batch, job.m, job.n, k_words, chained);
  load_b_->start(cycle, view_of_b(job), job.batch, job.m, job.n, k_words, chained);
  clients_[static_cast<std::size_t>(ReadSource::bias)] = job.bias ? &load_bias_ : nullptr;
  if (job.bias) {
    load_bias_.start(cycle, job.c_addr, job.c_stride, job.batch, job.m, job.n, job.bias_bf16);
  }
}

uint64_t Datapath::loads_done_cycle() const {
  const uint64_t bias = slots_.run.descriptor.bias ? load_bias_.done_cycle() : 0;
  return std::max({load_a_->done_cycle(), load_b_->done_cycle(), bias});
}

uint64_t Datapath::early_load_cycle() const {
  const uint64_t done = loads_done_cycle();
  if (done == kNever || slots_.ahead.loaded) return kNever;
  const Descriptor& job = slots_.ahead.descriptor;
  const Descriptor& run = slots_.run.descriptor;
  const bool alike =
      job.format_a == run.format_a && job.format_b == run.format_b &&
      is_nvfp4(job) == is_nvfp4(run) && job.block_a == run.block_a && job.block_b == run.block_b &&
      job.alpha == run.alpha && job.bias == run.bias && job.bias_bf16 == run.bias_bf16 &&
      (job.c_stride == 0) == (run.c_stride == 0) && view_of_b(job).wide == view_of_b(run).wide &&
      LoopNest::chunk_shift(params_.rows, job.m) == LoopNest::chunk_shift(params_.rows, run.m);
  return alike ? done : kNever;
}

void Datapath::load_early(uint64_t cycle) {
  slots_.ahead.loaded = true;
  start_loaders(cycle, slots_.ahead.descriptor, true);
  look_again();
}

void Datapath::show_slots(uint64_t cycle) {
  if (!watcher_) return;
  shown_cycle_ = std::max(shown_cycle_, cycle);
  const std::array<const Slot*, kPipelineSlots> slots{&slots_.run, &slots_.wait, &slots_.ahead};
  for (std::size_t i = 0; i < kPipelineSlots; i++) {
    const uint8_t before = shown_slots_[i];
    const uint8_t value = slots[i]->value(shown_cycle_);
    if (value == before) continue;
    shown_slots_[i] = value;
    const bool fails = value >> 4 != before >> 4 && value >> 4 != 0;
    watcher_->slot(fails ? slots[i]->error.cycle + 1 : shown_cycle_, static_cast<PipelineSlot>(i),
                   value);
  }
}

void Datapath::start(uint64_t cycle) {
  const Descriptor& job = slots_.run.descriptor;
  const bool dual = is_dual(job, params_);
  const unsigned word_elements = dual ? 2 * kBlockSize : kBlockSize;
  const uint32_t k_words = ceil_div(job.k, word_elements);
  const unsigned tail_count = (job.k - 1) % word_elements + 1;
  numbers_out_ = job.numbers_out();
  mx_out_ = job.has_mx_out();
  whole_ = computes_whole(job) ? &whole_job_ : nullptr;
  if (whole_) whole_job_.compute(job, memory_, params_.fp4_dual != 0);
  if (functional()) arithmetic_->start(arithmetic_job(job, dual));
  const unsigned scales = word_scales(job, params_);
  a_buf_.configure(job.a(), dual, scales, coarse_blocks(job.block_a),
                   LoopNest::chunk_shift(params_.rows, job.m));
  b_buf_.configure(job.b(), dual, scales, coarse_blocks(job.block_b), 0);
  array_.start(is_nvfp4(job));
  c_buf_.configure(job.c_stride == 0, job.bias_bf16);
  const OperandView b = view_of_b(job);
  if (!slots_.run.loaded) {
    b_buf_.fills.restart(b.wide ? 2 * load_b_->banks() : load_b_->banks());
    start_loaders(cycle, job, false);
  }
  feed_.start(cycle, {true, true, true, b.wide, b.long_slab}, job.batch, job.m, job.n, k_words,
              tail_count, word_elements, slots_.run.loaded);
  seq_.start(cycle + 1, job.starts_at_bias(), dual);
  drain_.start(job, has_two_chains(job, params_), whole_ ? whole_->pitch() : params_.num_pe,
               seq_.c_number());
  one_chunk_ = k_words <= LoopNest::chunk_words(params_, job.m);
  repetition_.clear();
  look_again();
}

void Datapath::read_requests() {
  for (std::size_t i = 0; i < clients_.size(); i++) {
    requests_[i] = clients_[i] ? clients_[i]->request_cycle() : kNever;
  }
}

Datapath::NextEvent Datapath::find_next_event() {
  if (requests_changed_) {
    read_requests();
    next_accept_ = rd_port_.next_accept(requests_, a_first());
    requests_changed_ = false;
  }
  NextEvent next;
  job_over_ = true;
  for (const Source source : kSources) {
    const uint64_t cycle = next_event_of(source);
    if (cycle < next.cycle) next = {cycle, source};
    const bool computes = source != Source::issue && source != Source::fetch;
    if (computes && cycle != kNever) job_over_ = false;
  }
  job_over_ &= slots_.run.fetches == 0;
  // Early reads belong to the next job. The last source, the descriptor fetcher, belongs to no job.
  for (std::size_t i = 0; i + 1 < kReadSources; i++)
    job_over_ &= slots_.ahead.loaded || requests_[i] == kNever;
  return next;
}

bool Datapath::concerns_others() const {
  const bool loaded = load_a_->done_cycle() != kNever && load_b_->done_cycle() != kNever;
  const bool answers_others = has_issued_ && (record_.busy() || slots_.wait.valid);
  return job_over_ || slots_.ahead.loaded || loaded || desc_.is_reading() || answers_others ||
         slots_.run.error.cycle != kNever || write_error() != kNever;
}

void Datapath::step(uint64_t limit, uint64_t last) {
  last_ = last;
  show_slots(next_.cycle);
  if (watcher_) watcher_->advance(next_.cycle);
  has_issued_ = next_.source == Source::issue;
  switch (next_.source) {
    case Source::issue:
      issue();
      break;
    case Source::fetch:
      accept_fetch(next_.cycle);
      break;
    case Source::feed:
      read_b_words(next_.cycle, limit);
      break;
    case Source::seq:
      start_pass();
      break;
    case Source::drain:
      take_drained(drain_.step());
      break;
  }
  next_ = find_next_event();
}

uint64_t Datapath::next_event_of(Source source) const {
  switch (source) {
    case Source::issue:
      return issue_cycle();
    case Source::fetch:
      return next_accept_;
    case Source::feed:
      return feed_.next_read();
    case Source::seq:
      return seq_.next_start(feed_.offered());
    case Source::drain:
      return drain_.next_event();
  }
  return kNever;
}

void Datapath::accept_fetch(uint64_t cycle) {
  requests_changed_ = true;
  simulated_fetches_++;
  const ReadSource source = rd_port_.grant(cycle, requests_, a_first());
  ReadClient& client = *clients_[static_cast<std::size_t>(source)];
  const Fetch fetch = client.fetch();
  if (source == ReadSource::a && fetch.last) chunks_ahead_++;
  if (source == ReadSource::b && fetch.last && fetch.new_chunk) chunks_ahead_--;
  trace_.slice(client.track(), fetch_name(fetch.kind), client.request_cycle(), cycle + 1,
               {{"address", fetch.address}, {"bytes", fetch.bytes}});
  client.accept(cycle);
  const bool of_job = &client != &desc_;
  // An error of an early read aborts no job.
  const bool aborts_job = of_job && !slots_.ahead.loaded;
  Slot& loading = slots_.loading();
  if (of_job) loading.fetches++;
  rd_port_.accept(cycle, fetch, loading.index, !of_job || loads_flow_);
  if (memory_.takes_any_order(fetch.address, fetch.bytes)) issue_at_once(aborts_job);
}

/// Issues all bursts of a row fetch, whose responses are then known.
void Datapath::issue_at_once(bool aborts_job) {
  const RdPort::Flight* flight = nullptr;
  while (rd_port_.is_issuing()) {
    const uint64_t issued = rd_port_.issue_cycle();
    rd_port_.issue();
    flight = rd_port_.take_response();
    const uint64_t last = aborts_job ? std::min(last_, flight->arrival.error) : last_;
    if (issued > last) rd_port_.stop();
  }
  take_arrival(*flight);
}

/// In the same cycle, reads go first, as at the pins of the RTL (AxiMemory).
void Datapath::issue() {
  if (wr_port_.issue_cycle() < rd_port_.issue_cycle()) {
    wr_port_.issue();
  } else {
    rd_port_.issue();
    requests_changed_ |= !rd_port_.is_issuing();  // the port accepts again
  }
  take_responses();
}

void Datapath::step_ending() {
  if (drain_.resume_cycle() < issue_cycle()) {
    take_drained(drain_.resume());
  } else {
    issue();
  }
}

void Datapath::take_responses() {
  while (const RdPort::Flight* flight = rd_port_.take_response()) take_arrival(*flight);
  wr_port_.take_answers();
}

/// Bursts of a row fetch have responses: passes on their errors, and at its end its words.
void Datapath::take_arrival(const RdPort::Flight& flight) {
  const Fetch& fetch = flight.fetch;
  const RdPort::Arrival& arrival = flight.arrival;
  const bool is_complete = flight.is_complete();
  if (is_complete) {
    requests_changed_ = true;  // the port may accept again
    const uint64_t bytes = flight.beats * params_.mem_bytes();
    counters_.add(Counter::bytes_read, arrival.last_word - 1, arrival.last_word, bytes);
  }
  if (fetch.kind == FetchKind::descriptor) {
    desc_.arrive(arrival);
  } else if (Slot* slot = slots_.fetching(flight.job)) {
    slot->fail(arrival.error, {arrival.error_address, operand_of(fetch.kind), false});
    if (is_complete) {
      slot->fetches--;
      deliver(fetch, arrival);
    }
  }
  if (is_complete) rd_port_.finish();
}

void Datapath::deliver(const Fetch& fetch, const RdPort::Arrival& arrival) {
  const bool is_a = fetch.kind == FetchKind::a_elements || fetch.kind == FetchKind::a_scales;
  const bool is_bias = fetch.kind == FetchKind::bias;
  BankFills& fills = is_bias ? c_buf_.fills : (is_a ? a_buf_.fills : b_buf_.fills);
  if (fetch.last) fills.fill(arrival.last_word);
  if (!arrival.data) return;
  OpBuf& buffer = is_a ? a_buf_ : b_buf_;
  switch (fetch.kind) {
    case FetchKind::a_elements:
    case FetchKind::b_elements:
      unpack(fetch, arrival.data, [&](unsigned index, const blocks::Word& word) {
        buffer.put_elements(fetch.bank, fetch.line, index, word);
      });
      break;
    case FetchKind::a_scales:
    case FetchKind::b_scales:
      unpack(fetch, arrival.data, [&](unsigned index, const blocks::Word& word) {
        buffer.put_scales(fetch.bank, fetch.line, index, word, fetch.passed_blocks);
      });
      break;
    case FetchKind::bias:
      c_buf_.put(fetch.bank, fetch.line, arrival.data, fetch.bytes);
      break;
    case FetchKind::descriptor:
      break;
  }
}

void Datapath::read_b_words(uint64_t cycle, uint64_t limit) {
  const uint64_t release = feed_.read();
  if (data_flows()) array_.load_b(*feed_.offered(), b_buf_);
  if (release == kNever) return;
  requests_changed_ = true;
  load_b_->release(release);
  if (!feed_.stepped()) return;
  if (const auto loop = stepped_loop()) skip_repetitions(cycle, *loop, limit);
}

/// The loop in which the feeder has just begun a new iteration.
std::optional<Loop> Datapath::stepped_loop() const {
  switch (*feed_.stepped()) {
    case Walk::Next::tile:
      return one_chunk_ ? std::optional(Loop::tile) : std::nullopt;
    case Walk::Next::chunk:
      return Loop::chunk;
    case Walk::Next::group:
      return one_chunk_ ? Loop::tile : Loop::group;
    case Walk::Next::stripe:
      return Loop::stripe;
    case Walk::Next::slab:
    case Walk::Next::batch:
    case Walk::Next::end:
      break;
  }
  return std::nullopt;
}

void Datapath::skip_repetitions(uint64_t now, Loop loop, uint64_t limit) {
  if (!may_skip()) return;
  counters_.settle(now);
  const uint64_t floor = std::min(now, seq_.free_cycle());
  StateVisitor record = StateVisitor::recorder(loop, now, floor, std::move(repetition_.spare()));
  visit(record);
  const auto skip = repetition_.find(record, now, limit, counters_.counted());
  if (!skip) return;
  StateVisitor mover =
      StateVisitor::mover(loop, skip->periods * skip->cycles, skip->periods * skip->iterations);
  const Rows rows = drain_.rows();
  visit(mover);
  counters_.repeat(skip->before, skip->periods, skip->periods * skip->cycles);
  skipped_cycles_ += skip->periods * skip->cycles;
  if (whole_) write_skipped_rows(rows, now);
}

bool Datapath::may_skip() const {
  // Repetitions are not skipped while data flow through the blocks, nor if write_skipped_rows() had
  // to store MX results: it stores row by row, but an MX block spans several tiles.
  if (data_flows() || (whole_ && mx_out_) || issue_cycle() != kNever) return false;
  if (slots_.has_early_reads() || slots_.run.error.cycle != kNever || write_error() != kNever) {
    return false;
  }
  const DirectChannels memory = memory_.channels();
  return memory.read && memory.read->is_regular() && memory.write->is_regular();
}

/// Writes the rows that the drain has skipped, from `rows` on. Their NaN results are
/// counted in the cycle before `cycle`.
void Datapath::write_skipped_rows(Rows rows, uint64_t cycle) {
  uint8_t* target = whole_->target(memory_);
  if (target) wr_port_.store_carried(target, whole_->d_address());
  uint64_t nan_results = 0;
  for (; !rows.same_place(drain_.rows()); rows.step()) {
    const uint32_t* values = whole_->results(rows.matrix_row(), rows.column());
    const unsigned cols = rows.cols();
    const uint8_t* data = job::stored_numbers(*numbers_out_, values, cols, narrow_);
    const std::size_t bytes = std::size_t{cols} * numbers_out_->bytes;
    if (target) std::memcpy(target + (rows.address() - whole_->d_address()), data, bytes);
    nan_results += arithmetic_->count_nans(values, cols);
  }
  counters_.add(Counter::nan_results, cycle - 1, cycle, nan_results);
}

void Datapath::visit(StateVisitor& visitor) {
  feed_.visit(visitor);
  desc_.visit(visitor);
  load_a_->visit(visitor);
  load_b_->visit(visitor);
  load_bias_.visit(visitor);
  visitor.value(static_cast<uint64_t>(chunks_ahead_));
  rd_port_.visit(visitor);
  wr_port_.visit(visitor);
  a_buf_.fills.visit(visitor, seq_.a_number());
  b_buf_.fills.visit(visitor, feed_.bank_number());
  c_buf_.fills.visit(visitor, seq_.c_number());
  seq_.visit(visitor);
  drain_.visit(visitor);
  counters_.visit(visitor);
  const DirectChannels memory = memory_.channels();
  for (MemoryChannel* channel : {memory.read, memory.write}) {
    visitor.fixed_point(channel->busy_until(), BeatTimes::kFraction);
  }
  if (MemoryBus* bus = memory.read->bus()) {
    visitor.value(bus->count());
    bus->for_each_time([&](uint64_t& time) { visitor.fixed_point(time, BeatTimes::kFraction); });
  }
  // These differences change when another initiator uses the memory, and nothing is skipped then.
  visitor.value(memory.read->requests() - rd_port_.bursts());
  visitor.value(memory.write->requests() - wr_port_.bursts());
}

void Datapath::start_pass() {
  simulated_passes_++;
  const Pass pass = *feed_.offered();
  const Seq::Started started = seq_.start_pass(pass);
  trace_.slice(Track::array, "pass", started.cycle, started.last_row + 1,
               {{"row", pass.row}, {"column", pass.column}, {"columns", pass.cols}});
  feed_.start_pass(started.cycle);
  if (data_flows()) array_.run(pass, started, a_buf_, c_buf_);
  if (pass.a_done || started.uses_bias) requests_changed_ = true;
  if (pass.a_done) load_a_->release(started.last_row);
  if (started.uses_bias) load_bias_.release(started.last_row + array_.bias_read_stage());
  if (pass.last) {
    const uint64_t cycle = started.cycle + array_.result_stage();
    if (data_flows()) {
      const TileResults results = array_.results(started.drain_bank);
      drain_.put_tile(cycle, results.even, drain_.dual() ? results.odd : nullptr, false);
    } else {
      drain_.put_tile(cycle, whole_ ? whole_->results(pass.row, pass.column) : nullptr, nullptr,
                      true);
    }
  }
}

void Datapath::take_drained(const Drain::Drained& drained) {
  if (drained.release != kNever) seq_.release_drain(drained.release);
  if (drained.bias_release != kNever) {
    load_bias_.release(drained.bias_release);
    seq_.skip_bias();
    requests_changed_ = true;
  }
  count_written(drained.written, drained.bytes);
  for (const Requant::Counted& nans : drain_.nan_results()) {
    counters_.add(Counter::nan_results, nans.cycle, nans.cycle + 1, nans.count);
  }
  drain_.nan_results().clear();
  for (const Requant::Counted& saturated : drain_.saturated()) {
    counters_.add(Counter::saturations, saturated.cycle, saturated.cycle + 1, saturated.count);
  }
  drain_.saturated().clear();
}

uint64_t Datapath::drained_cycle(uint64_t cycle) const {
  return std::max({rd_port_.drained_cycle(cycle), wr_port_.idle_cycle(), drain_.row_done_cycle()});
}

void Datapath::abort_job(uint64_t cycle) {
  if (feed_.done()) {
    seq_.finish(cycle);
  } else {
    seq_.abort_job(cycle, feed_.awaited());
  }
  wr_port_.halt(cycle + 2);
}

void Datapath::clear(uint64_t cycle) {
  load_a_->clear();
  load_b_->clear();
  load_bias_.clear();
  a_buf_.fills.clear();
  b_buf_.fills.clear();
  c_buf_.fills.clear();
  feed_.clear();
  seq_.clear();
  drain_.clear();
  rd_port_.clear(cycle);
  chunks_ahead_ = 0;
  wr_port_.begin_job();
  counters_.cut(cycle + 1);
  look_again();
}

}  // namespace mxe::engine
