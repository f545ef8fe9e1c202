// SPDX-License-Identifier: Apache-2.0
#include "tb/regression/cosim_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "model/numerics/base/error.h"
#include "model/numerics/files/files.h"
#include "model/numerics/files/shallow_json.h"
#include "mxe_regs.h"

namespace mxe::regression {
namespace {

constexpr std::size_t kLargestSize = 1 << 17, kLargestWork = 1 << 22;
constexpr unsigned kLargestGap = 4'000'000'000;
constexpr unsigned kLargestRing = 256;  // largest QUEUE_DEPTH

const std::vector<numerics::FormatId> kFormats(numerics::kAllFormats.begin(),
                                               numerics::kAllFormats.end());
const std::vector<numerics::ScaleRule> kRules(numerics::kAllScaleRules.begin(),
                                              numerics::kAllScaleRules.end());
const std::vector<numerics::Overflow> kOverflows = {numerics::Overflow::saturate,
                                                    numerics::Overflow::special};
const std::vector<job::BiasKind> kBiases = {job::BiasKind::none, job::BiasKind::row,
                                            job::BiasKind::full};
const std::vector<cosim::Values> kValues = {
    cosim::Values::ones,       cosim::Values::quantized, cosim::Values::codes,
    cosim::Values::specials,   cosim::Values::extremes,  cosim::Values::cancellation,
    cosim::Values::tiny,       cosim::Values::huge,      cosim::Values::zeros,
    cosim::Values::boundaries, cosim::Values::ties,      cosim::Values::special_lanes,
    cosim::Values::tiny_ties,  cosim::Values::lone_bits, cosim::Values::sparse,
    cosim::Values::nan_scales};

std::string format_name(numerics::FormatId format) { return numerics::element_format(format).name; }
std::string overflow_name(numerics::Overflow overflow) {
  return overflow == numerics::Overflow::special ? "special" : "saturate";
}
std::string bias_name(job::BiasKind bias) {
  static constexpr std::array<const char*, 3> kNames = {"none", "row", "full"};
  return kNames[static_cast<std::size_t>(bias)];
}
template <class Archive, class Layout>
void describe_layout(Archive& archive, Layout& l) {
  const job::JobLayout normal;
  archive.member("a_offset", l.a_offset, normal.a_offset);
  archive.member("b_offset", l.b_offset, normal.b_offset);
  archive.member("a_scale_offset", l.a_scale_offset, normal.a_scale_offset);
  archive.member("b_scale_offset", l.b_scale_offset, normal.b_scale_offset);
  archive.member("c_offset", l.c_offset, normal.c_offset);
  archive.member("d_offset", l.d_offset, normal.d_offset);
  archive.member("d_scale_offset", l.d_scale_offset, normal.d_scale_offset);
  archive.member("a_gap", l.a_gap, normal.a_gap);
  archive.member("b_gap", l.b_gap, normal.b_gap);
  archive.member("a_scale_gap", l.a_scale_gap, normal.a_scale_gap);
  archive.member("b_scale_gap", l.b_scale_gap, normal.b_scale_gap);
  archive.member("c_gap", l.c_gap, normal.c_gap);
  archive.member("d_gap", l.d_gap, normal.d_gap);
  archive.member("d_scale_gap", l.d_scale_gap, normal.d_scale_gap);
  archive.member("a_one_row", l.a_one_row, normal.a_one_row);
  archive.member("b_one_row", l.b_one_row, normal.b_one_row);
}

template <class Archive, class Job>
void describe_job(Archive& archive, Job& job) {
  const cosim::JobSpec normal;
  archive.member("m", job.m, normal.m);
  archive.member("n", job.n, normal.n);
  archive.member("k", job.k, normal.k);
  archive.member("batch", job.batch, normal.batch);
  archive.choice("format_a", job.format_a, normal.format_a, kFormats, format_name);
  archive.choice("format_b", job.format_b, normal.format_b, kFormats, format_name);
  archive.choice("values", job.values, normal.values, kValues,
                 [](cosim::Values values) { return std::string(cosim::to_string(values)); });
  archive.member("seed", job.seed, normal.seed);
  archive.choice("bias", job.bias, normal.bias, kBiases, bias_name);
  archive.member("bias_bf16", job.bias_bf16, normal.bias_bf16);
  archive.member("claim_m", job.claims.m, normal.claims.m);
  archive.member("claim_n", job.claims.n, normal.claims.n);
  archive.member("claim_k", job.claims.k, normal.claims.k);
  archive.member("in_turn", job.in_turn, normal.in_turn);
  archive.choice("results", job.output.kind, normal.output.kind, job::output_kinds(),
                 job::kind_name);
  archive.choice("out_format", job.output.requant.format, normal.output.requant.format, kFormats,
                 format_name);
  archive.choice("out_rule", job.output.requant.rule, normal.output.requant.rule, kRules,
                 numerics::scale_rule_name);
  archive.choice("out_overflow", job.output.requant.overflow, normal.output.requant.overflow,
                 kOverflows, overflow_name);
}

template <class Archive, class Fault>
void describe_fault(Archive& archive, Fault& fault) {
  const cosim::BusFault normal;
  archive.member("job", fault.job, normal.job);
  archive.member("part", fault.part, normal.part);
  archive.member("row", fault.row, normal.row);
  archive.member("byte", fault.byte, normal.byte);
}

template <class Archive, class Batch>
void describe_batch(Archive& archive, Batch& batch) {
  const BatchSpec normal;
  archive.member("endless_jobs", batch.endless_jobs, normal.endless_jobs);
  archive.member("empty_jobs", batch.empty_jobs, normal.empty_jobs);
  archive.member("first_job", batch.first_job, normal.first_job);
  archive.member("counters_below", batch.counters_below, normal.counters_below);
  archive.member("counters_anywhere", batch.counters_anywhere, normal.counters_anywhere);
  archive.member("register_writes", batch.register_writes, normal.register_writes);
  archive.member("ring_overflow", batch.ring_overflow, normal.ring_overflow);
  archive.member("one_doorbell", batch.one_doorbell, normal.one_doorbell);
  archive.member("doorbells", batch.doorbells, normal.doorbells);
  archive.member("disabled_for", batch.disabled_for, normal.disabled_for);
  archive.member("pause_after", batch.pause_after, normal.pause_after);
  archive.member("masked", batch.masked, normal.masked);
  archive.member("traffic", batch.traffic, normal.traffic);
  archive.member("reset_after", batch.reset_after, normal.reset_after);
}

template <class Archive, class Case>
void describe_case(Archive& archive, Case& c) {
  const CoSimCase normal;
  archive.member("config", c.config, normal.config);
  archive.address("mem_base", c.mem_base, normal.mem_base);
  archive.member("mem_latency", c.timing.latency, normal.timing.latency);
  archive.member("mem_bytes_per_cycle", c.timing.bytes_per_cycle, normal.timing.bytes_per_cycle);
  archive.member("mem_jitter", c.timing.jitter_seed, normal.timing.jitter_seed);
  archive.member("outstanding_reads", c.ports.reads, normal.ports.reads);
  archive.member("outstanding_writes", c.ports.writes, normal.ports.writes);
  archive.member("back_pressure", c.back_pressure, normal.back_pressure);
  archive.member("ring", c.ring, normal.ring);
  archive.member("poll", c.poll, normal.poll);
  archive.member("structural", c.structural, normal.structural);
}

template <class Archive, class AnySpoil>
void describe_spoil(Archive& archive, AnySpoil& spoil) {
  const cosim::Spoil normal;
  archive.member("field", spoil.field, normal.field);
  archive.member("value", spoil.value, normal.value);
}

Json to_json(const cosim::JobSpec& job) {
  Writer writer;
  describe_job(writer, job);
  Writer layout;
  describe_layout(layout, job.layout);
  if (!layout.json().empty()) writer.json()["layout"] = layout.take();
  for (const cosim::Spoil& spoil : job.spoils) {
    Writer members;
    describe_spoil(members, spoil);
    writer.json()["spoils"].push_back(members.take());
  }
  return writer.take();
}

Json to_json(const BatchSpec& batch) {
  Writer writer;
  describe_batch(writer, batch);
  for (const cosim::BusFault& fault : batch.faults) {
    Writer members;
    describe_fault(members, fault);
    writer.json()["faults"].push_back(members.take());
  }
  writer.json()["jobs"] = Json::array();
  for (const cosim::JobSpec& job : batch.jobs) writer.json()["jobs"].push_back(to_json(job));
  return writer.take();
}

/// Calls `read` for each element of the array `name`, if present.
void for_each(Reader& reader, const char* name,
              const std::function<void(const Json&, const std::string&)>& read) {
  const Json* array = reader.find(name);
  if (!array) return;
  if (!array->is_array()) reader.fail(fmt::format("'{}' must be an array", name));
  for (std::size_t i = 0; i < array->size(); i++) {
    read((*array)[i], fmt::format("{}, {}[{}]", reader.where(), name, i));
  }
}

cosim::Spoil read_spoil(const Json& json, const std::string& where, const cosim::JobSpec& job) {
  cosim::Spoil spoil;
  Reader reader(json, where);
  describe_spoil(reader, spoil);
  reader.finish();
  if (cosim::broken_rule(spoil, job.bias_bf16 ? 2 : 4, job.output.alignment()) == MXE_STATUS_OK) {
    reader.fail(fmt::format("breaks no rule with '{}' {}", spoil.field, spoil.value));
  }
  return spoil;
}

cosim::JobSpec read_job(const Json& json, const std::string& where) {
  cosim::JobSpec job;
  Reader reader(json, where);
  describe_job(reader, job);
  if (const Json* layout = reader.find("layout")) {
    Reader members(*layout, where + ", layout");
    describe_layout(members, job.layout);
    members.finish();
  }
  for_each(reader, "spoils", [&](const Json& spoil, const std::string& place) {
    job.spoils.push_back(read_spoil(spoil, place, job));
  });
  reader.finish();
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
  if ((l.c_offset | l.c_gap) % (job.bias_bf16 ? 2 : 4) != 0 ||
      (l.d_offset | l.d_gap) % job.output.alignment() != 0) {
    reader.fail("has a misaligned C or D");
  }
  if (std::max({l.a_gap, l.b_gap, l.a_scale_gap, l.b_scale_gap, l.c_gap, l.d_gap, l.d_scale_gap}) >
      kLargestGap) {
    reader.fail(fmt::format("has a gap above {}", kLargestGap));
  }
  return job;
}

cosim::BusFault read_fault(const Json& json, const std::string& where) {
  static const std::set<std::string> kParts = {"A", "scales of A", "B",          "scales of B", "C",
                                               "D", "scales of D", "descriptor", "record"};
  cosim::BusFault fault;
  Reader reader(json, where);
  describe_fault(reader, fault);
  reader.finish();
  if (kParts.count(fault.part) == 0)
    reader.fail(fmt::format("has an unknown part '{}'", fault.part));
  return fault;
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
  describe_batch(reader, batch);
  for_each(reader, "jobs", [&](const Json& job, const std::string& place) {
    batch.jobs.push_back(read_job(job, place));
  });
  for_each(reader, "faults", [&](const Json& fault, const std::string& place) {
    batch.faults.push_back(read_fault(fault, place));
    if (batch.faults.back().job >= batch.jobs.size())
      reader.fail("has a fault in a job that it does not have");
  });
  reader.finish();
  if (batch.jobs.empty()) reader.fail("needs at least one job in 'jobs'");
  if (!ends(batch)) {
    reader.fail("has a job with claimed sizes and no fault in its operands or results");
  }
  uint64_t bytes = 0;
  for (const cosim::JobSpec& job : batch.jobs) bytes += memory_of(job);
  if (bytes > cosim::kCoSimMemoryBytes) reader.fail("has jobs that do not fit into the memory");
  return batch;
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

/// A JSON array with a line for each element.
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

Json to_json(const CoSimCase& cosim_case) {
  Writer writer;
  describe_case(writer, cosim_case);
  writer.json()["batches"] = Json::array();
  for (const BatchSpec& batch : cosim_case.batches) {
    writer.json()["batches"].push_back(to_json(batch));
  }
  return writer.take();
}

CoSimCase case_from_json(const Json& json) {
  CoSimCase result;
  Reader reader(json, "the case");
  describe_case(reader, result);
  reader.find("about");  // a comment in the case file
  for_each(reader, "batches", [&](const Json& batch, const std::string& place) {
    result.batches.push_back(read_batch(batch, place));
  });
  reader.finish();
  result.timing.validate();
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
