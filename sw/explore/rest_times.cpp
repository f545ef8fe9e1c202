// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/rest_times.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/job/output.h"
#include "model/numerics/quantize/tensor.h"
#include "sw/explore/evaluate.h"

namespace mxe::explore {
namespace {

struct Amount {
  double operations = 0, bytes = 0;
  double stored_bytes = 0;  ///< of `bytes`: elements and scales
};

using Amounts = std::array<Amount, kRestKinds>;

double number_bytes(const Point& point) { return point.output.numbers()->bytes; }

Amount quantized(const QuantizedRows& rows, const Workload& workload, const Point& point) {
  const Layer& layer = workload.layers[rows.layer];
  const OperandFormat format = rows.is_b ? format_b(layer, point) : format_a(layer, point);
  const numerics::ScaleLayout scales = format.scaled().scales;
  const std::size_t block = scales.block;
  const std::size_t count = rows.end - rows.begin / block * block;
  const auto elements = static_cast<double>(count);
  const auto blocks = static_cast<double>((count + block - 1) / block);
  const double of_element =
      Operations::kQuantizedElement + (format.nvfp4 ? Operations::kTensorMaximum : 0);
  const double of_block = format.nvfp4 ? Operations::kNvfp4Block : Operations::kMxBlock;
  const double passes = format.nvfp4 ? 2 : 1;
  Amount amount;
  amount.operations = rows.rows * (of_element * elements + of_block * blocks);
  amount.stored_bytes =
      rows.rows * static_cast<double>(numerics::packed_row_bytes(format.element, count) +
                                      scales.columns(count));
  amount.bytes = amount.stored_bytes + rows.rows * passes * elements * number_bytes(point);
  return amount;
}

Amounts amounts_of(const Workload& workload, const Point& point) {
  Amounts amounts;
  for (std::size_t i = 0; i < kRestKinds; i++) {
    const RestWork& work = workload.rest.work[i];
    amounts[i] = {work.operations, work.numbers * number_bytes(point), 0};
  }
  for (const QuantizedRows& rows : workload.rest.quantized) {
    const Amount more = quantized(rows, workload, point);
    Amount& sum = amounts[static_cast<std::size_t>(rows.kind)];
    sum.operations += more.operations;
    sum.bytes += more.bytes;
    sum.stored_bytes += more.stored_bytes;
  }
  return amounts;
}

// Bytes that still move if the engine does the work. A residual is read with the results. An
// activation needs none: gate and up are in the engine. A is loaded as numbers instead of elements.
double bytes_if_fused(RestKind kind, const Amount& amount) {
  if (kind == RestKind::residual) return amount.bytes / 3;
  if (kind == RestKind::quantize) return std::max(0.0, amount.bytes - 2 * amount.stored_bytes);
  return 0;
}

}  // namespace

double RestTimes::fused_seconds() const {
  double left = seconds;
  for (const Fused& one : fused) left -= one.saved_seconds;
  return left;
}

RestTimes rest_times(const Workload& workload, const Point& point) {
  const VectorUnit& unit = *point.vector;
  const double hertz = unit.clock_mhz * 1e6;
  const Amounts amounts = amounts_of(workload, point);
  RestTimes times;
  for (std::size_t i = 0; i < kRestKinds; i++) {
    const auto kind = static_cast<RestKind>(i);
    const Amount& amount = amounts[i];
    if (amount.bytes == 0) continue;
    const double in_lanes = amount.operations / unit.lanes / hertz;
    const double moving = amount.bytes / unit.bytes_per_cycle / hertz;
    const double seconds = std::max(in_lanes, moving);
    times.kinds.push_back({kind, amount.operations, amount.bytes, seconds, in_lanes > moving});
    times.seconds += seconds;
    if (kind != RestKind::residual && kind != RestKind::activation && kind != RestKind::quantize) {
      continue;
    }
    const double remaining = bytes_if_fused(kind, amount) / unit.bytes_per_cycle / hertz;
    times.fused.push_back({kind, std::max(0.0, seconds - remaining)});
  }
  return times;
}

double rest_seconds(const Workload& workload, const Point& point) {
  return point.vector ? rest_times(workload, point).seconds : 0;
}

std::string rest_text(const Workload& workload) {
  std::string text;
  for (const RestWork& work : workload.rest.work) {
    text += fmt::format("\n{} {}", work.operations, work.numbers);
  }
  for (const QuantizedRows& rows : workload.rest.quantized) {
    text += fmt::format("\n{} {} {} {} {} {}", static_cast<int>(rows.kind), rows.layer, rows.is_b,
                        rows.rows, rows.begin, rows.end);
  }
  return text;
}

Record rest_record(const RestTimes& times, const Workload& workload, double seconds) {
  Record kinds = Record::object(), saved = Record::object();
  for (const RestTimes::Kind& one : times.kinds) {
    kinds[kRestKindNames[static_cast<std::size_t>(one.kind)]] = {
        {"operations", one.operations},
        {"bytes", one.bytes},
        {"seconds", one.seconds},
        {"bound_by", one.bound_by_lanes ? "lanes" : "bytes"}};
  }
  for (const RestTimes::Fused& one : times.fused) {
    saved[kRestKindNames[static_cast<std::size_t>(one.kind)]] = one.saved_seconds;
  }
  const double products = seconds - times.seconds;
  return {{"products_seconds", products},
          {"rest",
           {{"seconds", times.seconds},
            {"share", times.seconds / seconds},
            {"kinds", std::move(kinds)},
            {"fused_estimate",
             {{"saved_seconds", std::move(saved)},
              {"items_per_second",
               static_cast<double>(workload.items) / (products + times.fused_seconds())}}}}}};
}

}  // namespace mxe::explore
