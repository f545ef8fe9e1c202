// SPDX-License-Identifier: Apache-2.0
#include "tb/regression/cosim_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <type_traits>
#include <utility>

#include "model/numerics/base/error.h"
#include "model/numerics/files/files.h"
#include "model/numerics/files/shallow_json.h"
#include "model/platform/dram/presets.h"
#include "mxe_regs.h"

namespace mxe::regression {
namespace {

constexpr std::size_t kLargestSize = 1 << 17, kLargestWork = 1 << 22;
constexpr unsigned kLargestGap = 4'000'000'000;
constexpr unsigned kLargestRing = 256;  // largest QUEUE_DEPTH

template <typename E>
struct Choice {
  std::vector<E> values;
  std::function<std::string(E)> name;
};

const Choice<numerics::FormatId>& choice(numerics::FormatId) {
  static const Choice<numerics::FormatId> kChoice = {
      {numerics::kAllFormats.begin(), numerics::kAllFormats.end()},
      [](numerics::FormatId format) { return numerics::element_format(format).name; }};
  return kChoice;
}

const Choice<numerics::ScaleRule>& choice(numerics::ScaleRule) {
  static const Choice<numerics::ScaleRule> kChoice = {
      {numerics::kAllScaleRules.begin(), numerics::kAllScaleRules.end()},
      numerics::scale_rule_name};
  return kChoice;
}

const Choice<numerics::Overflow>& choice(numerics::Overflow) {
  static const Choice<numerics::Overflow> kChoice = {
      {numerics::Overflow::saturate, numerics::Overflow::special}, [](numerics::Overflow overflow) {
        return overflow == numerics::Overflow::special ? "special" : "saturate";
      }};
  return kChoice;
}

const Choice<job::BiasKind>& choice(job::BiasKind) {
  static constexpr std::array<const char*, 3> kNames = {"none", "row", "full"};
  static const Choice<job::BiasKind> kChoice = {
      {job::BiasKind::none, job::BiasKind::row, job::BiasKind::full},
      [](job::BiasKind bias) { return kNames[static_cast<std::size_t>(bias)]; }};
  return kChoice;
}

const Choice<cosim::Values>& choice(cosim::Values) {
  static const Choice<cosim::Values> kChoice = {
      {cosim::kAllValues.begin(), cosim::kAllValues.end()},
      [](cosim::Values values) { return cosim::to_string(values); }};
  return kChoice;
}

const Choice<job::OutputFormat::Kind>& choice(job::OutputFormat::Kind) {
  static const Choice<job::OutputFormat::Kind> kChoice = {job::output_kinds(), job::kind_name};
  return kChoice;
}

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};

// ---------------------------------------------------------------- writing

template <typename T>
Json to_member(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return choice(value).name(value);
  } else if constexpr (std::is_same_v<T, BusAddress>) {
    return fmt::format("{:#x}", value.address);
  } else {
    return value;
  }
}

/// The fields of an object that differ from their defaults.
template <typename T>
Json write(const T& object) {
  const T normal;
  Json json = Json::object();
  cosim::for_each_field<T>([&](const auto& field) {
    const auto& value = field.of(object);
    using V = std::decay_t<decltype(value)>;
    Json written;
    if constexpr (std::is_same_v<V, job::JobLayout>) {
      written = write(value);
    } else if constexpr (IsVector<V>::value) {
      for (const auto& element : value) written.push_back(write(element));
    } else if (value != field.of(normal)) {
      written = to_member(value);
    }
    if (!written.empty()) json[field.name] = std::move(written);
  });
  return json;
}

Json to_json(const BatchSpec& batch) {
  Json json = write(batch);
  json["jobs"] = Json::array();
  for (const cosim::JobSpec& job : batch.jobs) json["jobs"].push_back(write(job));
  return json;
}

// ---------------------------------------------------------------- reading

void for_each(Reader& reader, const char* name,
              const std::function<void(const Json&, const std::string&)>& read) {
  const Json* array = reader.find(name);
  if (!array) return;
  if (!array->is_array()) reader.fail(fmt::format("'{}' must be an array", name));
  for (std::size_t i = 0; i < array->size(); i++) {
    read((*array)[i], fmt::format("{}, {}[{}]", reader.where(), name, i));
  }
}

/// Checks that the types of the fields do not make.
template <typename T>
void validate(const Reader&, const T&) {}

void validate(const Reader& reader, const cosim::BusFault& fault) {
  static const std::set<std::string> kParts = {"A", "scales of A", "B",          "scales of B", "C",
                                               "D", "scales of D", "descriptor", "record"};
  if (kParts.count(fault.part) == 0)
    reader.fail(fmt::format("has an unknown part '{}'", fault.part));
}

void validate(const Reader& reader, const cosim::JobSpec& job) {
  const unsigned c_size = job.bias_bf16 ? 2 : 4, d_size = job.output.alignment();
  for (std::size_t i = 0; i < job.spoils.size(); i++) {
    const cosim::Spoil& spoil = job.spoils[i];
    if (cosim::broken_rule(spoil, c_size, d_size) != MXE_STATUS_OK) continue;
    throw Error(fmt::format("{}, spoils[{}] breaks no rule with '{}' {}", reader.where(), i,
                            spoil.field, spoil.value));
  }
  const auto e2m1 = numerics::FormatId::mxfp4_e2m1;
  if (job.nvfp4 && (job.format_a != e2m1 || job.format_b != e2m1)) {
    reader.fail("has 'nvfp4', which needs 'format_a' and 'format_b' mxfp4_e2m1");
  }
  for (const unsigned block : {job.block_a, job.block_b}) {
    if (block != 32 && block != 64 && block != 128) {
      reader.fail(fmt::format("has blocks of {} (allowed: 32, 64, 128)", block));
    }
  }
  if (job.nvfp4 && (job.block_a != 32 || job.block_b != 32)) {
    reader.fail("has 'nvfp4', which excludes 'block_a' and 'block_b'");
  }
  if (std::min({job.m, job.n, job.k, job.batch}) == 0) {
    reader.fail("needs m, n, k and batch of at least 1");
  }
  if (std::max({job.m, job.n, job.k}) > kLargestSize ||
      job.batch > kLargestSize / std::max(job.m, job.n) ||
      job.batch * job.m * job.n * ((job.k + kBlockSize - 1) / kBlockSize) > kLargestWork) {
    reader.fail(fmt::format("has batch * m, batch * n or k above {}, or more than {} blocks",
                            kLargestSize, kLargestWork));
  }
  const job::JobLayout& l = job.layout;
  if ((l.c_offset | l.c_gap) % c_size != 0 || (l.d_offset | l.d_gap) % d_size != 0) {
    reader.fail("has a misaligned C or D");
  }
  if (std::max({l.a_gap, l.b_gap, l.a_scale_gap, l.b_scale_gap, l.c_gap, l.d_gap, l.d_scale_gap}) >
      kLargestGap) {
    reader.fail(fmt::format("has a gap above {}", kLargestGap));
  }
}

template <typename T>
void read_fields(Reader& reader, T& object);

template <typename T>
T read(const Json& json, const std::string& where) {
  T object;
  Reader reader(json, where);
  read_fields(reader, object);
  reader.finish();
  validate(reader, object);
  return object;
}

template <typename T>
void read_field(Reader& reader, const char* name, T& value) {
  if constexpr (std::is_same_v<T, job::JobLayout>) {
    const Json* found = reader.find(name);
    if (found) value = read<T>(*found, fmt::format("{}, {}", reader.where(), name));
  } else if constexpr (IsVector<T>::value) {
    for_each(reader, name, [&](const Json& json, const std::string& where) {
      value.push_back(read<typename T::value_type>(json, where));
    });
  } else if constexpr (std::is_enum_v<T>) {
    reader.choice(name, value, choice(value).values, choice(value).name);
  } else if constexpr (std::is_same_v<T, BusAddress>) {
    reader.address(name, value.address);
  } else {
    reader.member(name, value);
  }
}

template <typename T>
void read_fields(Reader& reader, T& object) {
  cosim::for_each_field<T>(
      [&](const auto& field) { read_field(reader, field.name, field.of(object)); });
}

/// Upper bound of the bytes from the first to the last of a job.
uint64_t memory_of(const cosim::JobSpec& job) {
  const job::JobLayout& l = job.layout;
  const uint64_t m = job.batch * job.m, n = job.batch * job.n, k = job.k;
  const uint64_t parts = (m + n) * 2 * k + 8 * m * (job.n + 32) + 4096;
  const auto rows = [](uint64_t count, auto... gaps) { return count * (uint64_t{gaps} + ...); };
  return parts +
         rows(1, l.a_offset, l.b_offset, l.a_scale_offset, l.b_scale_offset, l.c_offset, l.d_offset,
              l.d_scale_offset) +
         rows(m, l.a_gap, l.a_scale_gap, l.c_gap, l.d_gap, l.d_scale_gap) +
         rows(n, l.b_gap, l.b_scale_gap);
}

BatchSpec read_batch(const Json& json, const std::string& where) {
  BatchSpec batch;
  Reader reader(json, where);
  read_fields(reader, batch);
  read_field(reader, "jobs", batch.jobs);
  reader.finish();
  for (const cosim::BusFault& fault : batch.faults) {
    if (fault.job >= batch.jobs.size()) reader.fail("has a fault in a job that it does not have");
  }
  if (batch.jobs.empty()) reader.fail("needs at least one job in 'jobs'");
  if (!ends(batch)) {
    reader.fail("has a job with claimed sizes and no fault in its operands or results");
  }
  uint64_t bytes = 0;
  for (const cosim::JobSpec& job : batch.jobs) bytes += memory_of(job);
  if (bytes > cosim::kCoSimMemoryBytes) reader.fail("has jobs that do not fit into the memory");
  return batch;
}

void require_dram(Reader& reader, const CoSimCase& c) {
  const CoSimCase normal;
  if (c.memory.empty()) {
    if (c.clock_mhz != normal.clock_mhz) reader.fail("has 'clock_mhz' without 'memory'");
    return;
  }
  for (const char* other : {"mem_latency", "mem_bytes_per_cycle", "mem_jitter"}) {
    if (reader.find(other)) reader.fail(fmt::format("has '{}', which 'memory' replaces", other));
  }
  c.dram();
}

/// JSON on one line, with a space after each comma and colon.
std::string one_line(const Json& json) {
  std::string line;
  for (const char c : json.dump(0)) {  // strings have no line breaks: these are escaped
    if (c != '\n') {
      line += c;
    } else if (line.back() == ',') {
      line += ' ';
    }
  }
  return line;
}

/// A JSON array with one line per element.
template <class Text>
std::string rows(const Json& array, const std::string& indent, Text text) {
  if (array.empty()) return "[]";
  std::string lines;
  for (const Json& element : array) {
    lines += fmt::format("{}\n{}  {}", lines.empty() ? "[" : ",", indent, text(element));
  }
  return lines + "\n" + indent + "]";
}

std::string batch_text(const Json& batch) {
  std::string text;
  for (const auto& [name, value] : batch.items()) {
    text += fmt::format("{}{}: {}", text.empty() ? "{" : ", ", Json(name).dump(),
                        name == "jobs" ? rows(value, "    ", one_line) : one_line(value));
  }
  return text + "}";
}

}  // namespace

bool ends(const BatchSpec& batch) {
  for (std::size_t i = 0; i < batch.jobs.size(); i++) {
    const bool meets_fault = std::any_of(
        batch.faults.begin(), batch.faults.end(),
        [i](const cosim::BusFault& fault) { return fault.job == i && !fault.is_in_ring(); });
    if (batch.jobs[i].claims.any() && !meets_fault) return false;
  }
  return true;
}

std::size_t CoSimCase::jobs() const {
  std::size_t count = 0;
  for (const BatchSpec& batch : batches) count += batch.jobs.size();
  return count;
}

std::optional<dram::Setup> CoSimCase::dram() const {
  if (memory.empty()) return std::nullopt;
  const auto& names = dram::preset_names();
  if (std::count(names.begin(), names.end(), memory.substr(0, memory.find(':'))) == 0) {
    throw Error(fmt::format("unknown memory '{}'; allowed for co-simulation: {}", memory,
                            fmt::join(names, ", ")));
  }
  const dram::Setup setup{dram::load_config(memory), clock_mhz};
  setup.validate();
  return setup;
}

void CoSimCase::use_dram(const std::string& text, double clock) {
  memory = text;
  clock_mhz = clock;
  timing = {};
}

Json to_json(const CoSimCase& cosim_case) {
  Json json = write(cosim_case);
  json["batches"] = Json::array();
  for (const BatchSpec& batch : cosim_case.batches) json["batches"].push_back(to_json(batch));
  return json;
}

CoSimCase case_from_json(const Json& json) {
  CoSimCase result;
  Reader reader(json, "the case");
  read_fields(reader, result);
  reader.find("about");  // a comment in the case file
  for_each(reader, "batches", [&](const Json& batch, const std::string& place) {
    result.batches.push_back(read_batch(batch, place));
  });
  reader.finish();
  result.timing.validate();
  require_dram(reader, result);
  Params::named(result.config);
  const unsigned ring = result.ring;
  if (ring == 0 || (ring & (ring - 1)) != 0 || ring > kLargestRing) {
    reader.fail(fmt::format("needs a ring of a power of two up to {} entries", kLargestRing));
  }
  if (result.mem_base % cosim::kMemoryBaseUnit != 0 ||
      result.mem_base > cosim::kLargestMemoryBase) {
    reader.fail(fmt::format("needs a mem_base that is a multiple of {:#x} up to {:#x}",
                            cosim::kMemoryBaseUnit, cosim::kLargestMemoryBase));
  }
  if (result.ports.reads == 0 || result.ports.writes == 0) {
    reader.fail("needs at least one outstanding read and write");
  }
  if (result.batches.empty()) reader.fail("needs at least one batch in 'batches'");
  return result;
}

std::string case_text(const Json& json) {
  std::string text;
  for (const auto& [name, value] : json.items()) {
    text += fmt::format("{}\n  {}: {}", text.empty() ? "{" : ",", Json(name).dump(),
                        name == "batches" ? rows(value, "  ", batch_text) : one_line(value));
  }
  return text + "\n}\n";
}

CoSimCase load_case(const std::string& path) {
  const Json json = numerics::parse_json_file<Json>(numerics::read_text(path), path);
  try {
    return case_from_json(json);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path, error.what()));
  }
}

void save_case(const std::string& path, const CoSimCase& cosim_case) {
  numerics::write_file(path, case_text(to_json(cosim_case)));
}

}  // namespace mxe::regression
