// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/lower_bound.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/numerics/quantize/tensor.h"
#include "model/params/hardware.h"
#include "model/params/nest.h"

namespace mxe::explore {
namespace {

// A job of one multiplication takes this plus three memory latencies: descriptor and checks, one
// row of each operand, the pipeline, the result and the record.
constexpr uint64_t kShortestJob = 37;
constexpr uint64_t kShortestRead = 4, kShortestWrite = 1;

uint64_t divided_up(uint64_t value, uint64_t by) { return (value + by - 1) / by; }

/// The least latency of a memory: an open row of a DRAM answers faster than an idle one.
uint64_t least_latency(const Point& point) { return point.dram ? 1 : point.timing.latency; }

double row_bytes(numerics::FormatId format, const numerics::ScaleLayout& scales, std::size_t k) {
  return static_cast<double>(numerics::packed_row_bytes(format, k) + scales.columns(k));
}

double result_bytes(const job::JobShape& shape) {
  return static_cast<double>(shape.a_rows()) *
         static_cast<double>(shape.output.row_bytes(shape.n) + shape.output.scale_bytes(shape.n));
}

// Cycles to move the beats that exceed those of the shortest job.
uint64_t more_cycles(double read, double written, const Point& point) {
  const double beat = point.params.mem_bytes();
  return static_cast<uint64_t>(transfer(std::max(0.0, read - kShortestRead * beat),
                                        std::max(0.0, written - kShortestWrite * beat), point)
                                   .cycles());
}

uint64_t word_elements(const job::JobShape& shape, const Params& params) {
  return shape.peak_macs_per_cycle(params) / params.num_pe;
}
uint64_t words_of(const job::JobShape& shape, const Params& params) {
  return divided_up(shape.k, word_elements(shape, params));
}

// Each stripe decodes all words of all columns again: 5 columns, 2 per cycle: 3 cycles per word.
uint64_t feed_cycles(const job::JobShape& shape, const Params& params) {
  const uint64_t at_once = feed_cols(params.num_pe);
  const uint64_t whole = shape.n / params.num_pe, rest = shape.n % params.num_pe;
  const uint64_t of_a_word = whole * divided_up(params.num_pe, at_once) + divided_up(rest, at_once);
  return shape.batch * divided_up(shape.m, params.rows) * words_of(shape, params) * of_a_word;
}

/// True if two tiles alternate passes because tiles have few rows (`wide` in docs/terms.md).
bool takes_tiles_in_turn(const job::JobShape& shape, const Params& params) {
  const auto block_bytes = numerics::packed_row_bytes(shape.format_b, kBlockSize);
  const bool dual = shape.peak_macs_per_cycle(params) > params.num_pe * kBlockSize;
  const auto word_bytes = dual ? 2 * block_bytes : block_bytes;
  return LoopNest::is_wide(params, shape.m, static_cast<unsigned>(word_bytes));
}

}  // namespace

double memory_rate(const Point& point) {
  return point.timing.bytes_per_cycle == 0 ? point.params.mem_bytes()
                                           : point.timing.bytes_per_cycle;
}

Compulsory compulsory(const job::JobShape& shape, const Point& point) {
  Compulsory least;
  least.compute_cycles = shape.macs() / shape.peak_macs_per_cycle(point.params);
  least.feed_cycles = static_cast<double>(feed_cycles(shape, point.params));
  least.bytes_read =
      static_cast<double>(shape.a_rows()) * row_bytes(shape.format_a, shape.scales_a, shape.k) +
      b_bytes(shape);
  least.bytes_written = result_bytes(shape);
  return least;
}

double b_bytes(const job::JobShape& shape) {
  return static_cast<double>(shape.b_rows()) * row_bytes(shape.format_b, shape.scales_b, shape.k);
}

Transfer transfer(double bytes_read, double bytes_written, const Point& point, unsigned engines) {
  const double more = std::max(bytes_read, bytes_written);
  const double through_memory = point.timing.half_duplex ? bytes_read + bytes_written : more;
  return {more / (point.params.mem_bytes() * static_cast<double>(engines)),
          through_memory / memory_rate(point)};
}

double roofline_cycles(const job::JobShape& shape, const Point& point) {
  return roofline_cycles(shape, point, 1);
}

double roofline_cycles(const job::JobShape& shape, const Point& point, unsigned engines) {
  const Compulsory least = compulsory(shape, point);
  return std::max({least.compute_cycles / engines, least.feed_cycles / engines,
                   transfer(least.bytes_read, least.bytes_written, point, engines).cycles()}) +
         3.0 * static_cast<double>(least_latency(point));
}

uint64_t lower_bound_cycles(const job::JobShape& shape, const Point& point) {
  const Params& params = point.params;
  const uint64_t words = words_of(shape, params);
  const uint64_t tiles = divided_up(shape.n, params.num_pe);
  const uint64_t stripes = divided_up(shape.m, params.rows);
  const uint64_t chunks = divided_up(words, LoopNest::chunk_words(params, shape.m));

  // A pass takes one cycle per row of its tile or tile pair. Except at the start of a chunk, passes
  // take at least kMinPass cycles.
  const uint64_t in_turn = takes_tiles_in_turn(shape, params) ? 2 : 1;
  const auto tiles_of = [&](uint64_t number, uint64_t rows) {
    const uint64_t all_rows = number * rows;
    return (words - chunks) * std::max<uint64_t>(all_rows, kMinPass) + chunks * all_rows;
  };
  const auto stripe_of = [&](uint64_t rows) {
    return tiles / in_turn * tiles_of(in_turn, rows) + tiles % in_turn * tiles_of(1, rows);
  };
  const uint64_t full = stripes < 2 ? 0 : stripes - 2;
  uint64_t passes = full * stripe_of(params.rows);
  for (uint64_t left = shape.m - full * params.rows, rows = 0; left > 0; left -= rows) {
    rows = LoopNest::next_part(left, params.rows);
    passes += stripe_of(rows);
  }
  passes *= shape.batch;

  const uint64_t a_times = chunks == 1 ? 1 : divided_up(tiles, params.acc_tiles);
  const double a_bytes = static_cast<double>(shape.a_rows()) * static_cast<double>(a_times) *
                         row_bytes(shape.format_a, shape.scales_a, shape.k);
  const double b_bytes_read = b_bytes(shape) * static_cast<double>(stripes);
  const uint64_t moved = more_cycles(a_bytes + b_bytes_read, result_bytes(shape), point);
  const uint64_t fed = feed_cycles(shape, params);
  const uint64_t nearer =
      3 * least_latency(point) + kShortestJob + std::max({passes, fed, moved + 1}) - 1;
  return std::max(nearer, static_cast<uint64_t>(roofline_cycles(shape, point)));
}

const char* limit_name(Limit limit) {
  constexpr const char* kNames[kLimits] = {"array", "feeder", "port", "memory", "latency"};
  return kNames[static_cast<std::size_t>(limit)];
}

Limit limit_of(const job::JobShape& shape, const Point& point, double cycles, double bytes_read,
               double bytes_written) {
  const Params& params = point.params;
  const Transfer moved = transfer(bytes_read, bytes_written, point);
  const double rows = static_cast<double>(shape.a_rows()) *
                      static_cast<double>(divided_up(shape.n, params.num_pe)) *
                      static_cast<double>(words_of(shape, params));
  const std::pair<Limit, double> busy[] = {
      {Limit::array, rows},
      {Limit::feeder, static_cast<double>(feed_cycles(shape, params))},
      {moved.memory > moved.port ? Limit::memory : Limit::port, moved.cycles()}};
  const auto most = std::max_element(std::begin(busy), std::end(busy), [](auto& one, auto& other) {
    return one.second < other.second;
  });
  return 2 * most->second < cycles ? Limit::latency : most->first;
}

}  // namespace mxe::explore
