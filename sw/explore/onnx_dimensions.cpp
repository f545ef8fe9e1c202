// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/onnx_dimensions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "model/numerics/error.h"
#include "model/numerics/printable.h"

namespace mxe::explore {
namespace {

using mx::printable;

// What exporters call dimensions: batch_size, N, seq_len, past_sequence_length + 1, ...
enum class Meaning { batch, sequence, past, context, none };

Meaning meaning_of(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  if (has("total") || has("context") || (has("past") && has("+"))) return Meaning::context;
  if (has("past")) return Meaning::past;
  if (has("seq") || name == "tokens") return Meaning::sequence;
  if (has("batch") || name == "n" || name == "b") return Meaning::batch;
  return Meaning::none;
}

}  // namespace

uint64_t OnnxDimensions::size_of(const std::string& name, const std::string& input) {
  names_.insert(name);
  const auto given = run_.dimensions.find(name);
  if (given != run_.dimensions.end()) return given->second;
  const auto use = [&](const char* option, uint64_t size) {
    options_.insert(option);
    return size;
  };
  std::string option = fmt::format("--dim {}=N", printable(name));
  switch (meaning_of(name)) {
    case Meaning::batch:
      return use("--batch", run_.batch.value_or(1));
    case Meaning::sequence:
      if (run_.sequence) return use("--sequence", *run_.sequence);
      if (run_.context) return 1;
      option = "--sequence N or " + option;
      break;
    case Meaning::context:
      if (run_.context) return use("--context", *run_.context);
      option = "--context N or " + option;
      break;
    case Meaning::past: {
      const uint64_t tokens = run_.sequence.value_or(1);
      if (run_.context && *run_.context >= tokens) return use("--context", *run_.context - tokens);
      option = "--context N, at least --sequence, or " + option;
      break;
    }
    case Meaning::none:
      break;
  }
  throw mx::Error(fmt::format("dimension '{}' of the input '{}' is open: say {}", printable(name),
                              printable(input), option));
}

void OnnxDimensions::resolve(onnx::ValueInfoProto& input) {
  if (!input.type().has_tensor_type() || !input.type().tensor_type().has_shape()) return;
  auto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
  for (int axis = 0; axis < shape.dim_size(); axis++) {
    auto& dimension = *shape.mutable_dim(axis);
    if (dimension.has_dim_value() && dimension.dim_value() > 0) continue;
    const std::string name = dimension.has_dim_param() && !dimension.dim_param().empty()
                                 ? dimension.dim_param()
                                 : fmt::format("{}:{}", input.name(), axis);
    dimension.set_dim_value(static_cast<int64_t>(size_of(name, input.name())));
  }
}

void OnnxDimensions::require_all_used() const {
  const auto fail = [&](const std::string& option) {
    std::string names = names_.empty() ? "none" : "";
    for (const std::string& name : names_) {
      names += (names.empty() ? "" : ", ") + printable(name);
    }
    throw mx::Error(fmt::format("no dimension is open for {} (open: {})", option, names));
  };
  for (const auto& [name, size] : run_.dimensions) {
    if (names_.count(name) == 0) fail(fmt::format("--dim {}={}", printable(name), size));
  }
  if (run_.batch && options_.count("--batch") == 0) fail("--batch");
  if (run_.sequence && options_.count("--sequence") == 0) fail("--sequence");
  if (run_.context && options_.count("--context") == 0) fail("--context");
}

}  // namespace mxe::explore
