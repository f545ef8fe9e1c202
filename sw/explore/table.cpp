// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/explore/rest_times.h"

namespace mxe::explore {
namespace {

std::string pair_text(const Point& point) {
  return fmt::format("{} x {}", point.format_a.name(), point.format_b.name());
}

std::vector<std::string> without_formats(std::vector<std::string> names) {
  const auto is_format = [](const std::string& name) {
    return name == "format_a" || name == "format_b";
  };
  names.erase(std::remove_if(names.begin(), names.end(), is_format), names.end());
  return names;
}

const char* name_of(RestKind kind) { return kRestKindNames[static_cast<std::size_t>(kind)]; }

bool is_measured(const Outcome* one) { return one->accuracy.has_value(); }

// Example: "weights 3.99 GB, keys and values 35.7 MB in mxfp8_e4m3 (format_b=mxfp4_e2m1)".
std::string b_text(const Outcome& one) {
  const std::string format = one.point->format_b.name();
  if (one.weight_bytes + one.kv_bytes == 0) {
    return fmt::format(
        "B of all products: {} (format_b={}); the workload does not say which of it "
        "are weights",
        with_prefix(one.b_bytes, "B"), format);
  }
  std::string text = "weights " + with_prefix(one.weight_bytes, "B");
  if (one.kv_bytes != 0) {
    text +=
        fmt::format(", keys and values {} in {}", with_prefix(one.kv_bytes, "B"), one.kv_formats);
  }
  const double others = one.b_bytes - one.weight_bytes - one.kv_bytes;
  if (others > 0) text += fmt::format(", other B {}", with_prefix(others, "B"));
  return fmt::format("{} (format_b={})", text, format);
}

}  // namespace

std::string with_prefix(double value, const std::string& unit) {
  constexpr const char* kPrefixes[] = {"f", "p", "n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
  if (!(value > 0) || !std::isfinite(value)) return fmt::format("{:.3g} {}", value, unit);
  int step = static_cast<int>(std::floor(std::log10(value) / 3));
  if (value / std::pow(1000, step) >= 999.5) step++;  // 999.96 is 1.00 k, not 1000
  step = std::clamp(step, -5, 6);
  const double scaled = value / std::pow(1000, step);
  const int decimals = scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}{}", scaled, decimals, kPrefixes[step + 5], unit);
}

void print_columns(bool whole) {
  fmt::print(
      "\nColumns: {}; used, MACs done of those {};\nkGE, area in 1,000 gate equivalents with "
      "memories; bound by, the part that limits most of {} time.\n",
      whole ? "ms and tokens/s of products and rest, energy of the products"
            : "ms, energy and items/s of the matrix products alone",
      whole ? "possible in the products' time" : "that all multipliers could do in that time",
      whole ? "that" : "the");
}

void print_front(const FrontTable& table, std::size_t most) {
  std::vector<const Outcome*> front;
  std::copy_if(table.outcomes.begin(), table.outcomes.end(), std::back_inserter(front),
               [](const Outcome* one) { return one->on_front; });
  std::stable_sort(front.begin(), front.end(),
                   [](const Outcome* a, const Outcome* b) { return a->seconds < b->seconds; });
  const bool measured = std::any_of(front.begin(), front.end(), is_measured);
  const std::vector<std::string> names = without_formats(table.varying);
  fmt::print("\n{}: {} points on the fronts of area and time\n", table.title, front.size());
  fmt::print("{:>12} {:>6} {:>7} {:>9} {:>8}", "ms", "used", "kGE", "SRAM KiB", "energy");
  if (table.items != 0) fmt::print(" {:>10}/s", table.item_name);
  if (measured) fmt::print(" {:>8}", "SQNR dB");
  fmt::print("  {:<8}  {:<23}  point\n", "bound by", "A x B");
  for (std::size_t i = 0; i < front.size(); i++) {
    if (i == most) {
      fmt::print("  and {} more\n", front.size() - most);
      break;
    }
    const Outcome& one = *front[i];
    fmt::print("{:>12.4f} {:>4.0f} % {:>7.0f} {:>9.1f} {:>8}", 1e3 * one.seconds,
               100 * one.utilisation, one.area / 1e3, one.sram_kib, with_prefix(one.joules, "J"));
    if (table.items != 0) {
      fmt::print(" {:>{}.4g}", static_cast<double>(table.items) / one.seconds,
                 std::max<std::size_t>(12, table.item_name.size() + 2));
    }
    if (measured) {
      fmt::print(" {:>8}", one.accuracy ? fmt::format("{:.2f}", one.accuracy->sqnr_db) : "-");
    }
    fmt::print("  {:<8}  {:<23}  {}\n", one.bound_by, pair_text(*one.point),
               point_text(*one.point, names));
  }
}

void print_workload_notes(const FrontTable& table, const Workload& workload) {
  const std::size_t layers = workload.layers.size();
  std::vector<std::string> notes = workload.notes;
  for (const Outcome* one : table.outcomes) {
    std::string note = b_text(*one);
    if (std::find(notes.begin(), notes.end(), note) == notes.end())
      notes.push_back(std::move(note));
  }
  for (const std::string& note : notes) fmt::print("  {}\n", note);
  const auto measured = std::find_if(table.outcomes.begin(), table.outcomes.end(), is_measured);
  if (measured == table.outcomes.end()) {
    fmt::print("  SQNR not measured: --tensors FILE gives the layers their tensors\n");
  } else if ((*measured)->accuracy->layers < layers) {
    fmt::print("  SQNR of the {} of {} layers that have tensors\n", (*measured)->accuracy->layers,
               layers);
  }
}

void print_rest(const FrontTable& table) {
  const Outcome* fastest = nullptr;
  for (const Outcome* one : table.outcomes) {
    if (one->on_front && (!fastest || one->seconds < fastest->seconds)) fastest = one;
  }
  if (!fastest) return;
  const RestTimes times = rest_times(*fastest->workload, *fastest->point);
  const double products = fastest->seconds - times.seconds;
  const auto items = static_cast<double>(table.items);
  const auto rate = [&](double seconds) {
    return fmt::format("{:.4g} {}/s", items / seconds, table.item_name);
  };
  fmt::print(
      "  {} of the first row: products {:.4f} ms, then the rest {:.4f} ms, {:.1f} % of the "
      "time; products alone would be {}\n",
      rate(fastest->seconds), 1e3 * products, 1e3 * times.seconds,
      100 * times.seconds / fastest->seconds, rate(products));
  fmt::print("  {:<10} {:>12} {:>10} {:>10}  bound by\n", "rest", "operations", "bytes", "ms");
  for (const RestTimes::Kind& one : times.kinds) {
    fmt::print("  {:<10} {:>12} {:>10} {:>10.4f}  {}\n", name_of(one.kind),
               with_prefix(one.operations, ""), with_prefix(one.bytes, "B"), 1e3 * one.seconds,
               one.bound_by_lanes ? "lanes" : "bytes");
  }
  std::string saved;
  for (const RestTimes::Fused& one : times.fused) {
    saved += fmt::format("{}{} {:.4f}", saved.empty() ? "" : ", ", name_of(one.kind),
                         1e3 * one.saved_seconds);
  }
  fmt::print("  estimate: fused into the engine, ms less: {}; then {}\n", saved,
             rate(products + times.fused_seconds()));
}

void print_port_note(const std::vector<Point>& points) {
  std::size_t narrow = 0;
  const Point* example = nullptr;
  for (const Point& point : points) {
    // Both directions of the port serve a half-duplex memory.
    const double port =
        point.params.mem_bytes() * point.engines * (point.timing.half_duplex ? 2.0 : 1.0);
    if (point.timing.bytes_per_cycle <= port) continue;
    if (!example) example = &point;
    narrow++;
  }
  if (!example) return;
  fmt::print(
      "note: in {} of {} points the port is narrower than the memory: with "
      "mem_bytes_per_cycle={} it moves {} bytes per cycle (MEM_W={});\n"
      "  the constraint mem_bytes_per_cycle <= port_bytes_per_cycle leaves them out\n",
      narrow, points.size(), example->timing.bytes_per_cycle, example->params.mem_bytes(),
      example->params.mem_w);
}

}  // namespace mxe::explore
