// SPDX-License-Identifier: Apache-2.0
#include "tb/regression/own_engine.h"

#include "model/platform/rtl/plugin_loader.h"

namespace mxe::regression {
namespace {

template <typename Take>
void for_each_name(Reader& reader, const char* member, const Take& take) {
  const Json* names = reader.find(member);
  if (!names) return;
  if (!names->is_array()) reader.fail(fmt::format("'{}' must be an array of names", member));
  for (const Json& name : *names) {
    if (!name.is_string()) reader.fail(fmt::format("'{}' must be an array of names", member));
    try {
      take(name.get<std::string>());
    } catch (const Error& error) {
      reader.fail(fmt::format("'{}': {}", member, error.what()));
    }
  }
}

Params read_parameters(Reader& reader) {
  Params params;
  const Json* values = reader.find("parameters");
  if (!values || !values->is_object()) reader.fail("needs 'parameters', an object");
  try {
    const auto config = values->find("config");
    if (config != values->end()) {
      if (!config->is_string()) throw Error("'config' must be a name");
      params = Params::named(config->get<std::string>());
    }
    for (const ParameterInfo& info : parameter_table) {
      if (config != values->end()) break;
      if (!values->contains(info.name)) throw Error(fmt::format("{} is missing", info.name));
    }
    for (const auto& [name, value] : values->items()) {
      if (name != "config") params.set(name + "=" + value.dump());
    }
    params.validate();
  } catch (const Error& error) {
    reader.fail(fmt::format("'parameters': {}", error.what()));
  }
  return params;
}

void read_formats(Reader& reader, const char* member, std::vector<numerics::FormatId>& formats) {
  if (reader.find(member)) formats.clear();
  for_each_name(reader, member, [&](const std::string& name) {
    for (const numerics::FormatId format : numerics::kAllFormats) {
      if (name != numerics::element_format(format).name) continue;
      formats.push_back(format);
      return;
    }
    throw Error(fmt::format("there is no format '{}'", name));
  });
  if (formats.empty()) reader.fail(fmt::format("'{}' is empty", member));
}

}  // namespace

cosim::EngineFeatures features_from_json(const Json& json, const std::string& where) {
  Reader reader(json, where);
  cosim::EngineFeatures features(read_parameters(reader));
  reader.member("name", features.name);
  if (!reader.find("name")) reader.fail("needs a 'name'");
  read_formats(reader, "formats_a", features.formats_a);
  read_formats(reader, "formats_b", features.formats_b);
  if (reader.find("results")) features.results.clear();
  for_each_name(reader, "results", [&](const std::string& name) {
    features.results.push_back(job::parse_output_format(name));
  });
  if (features.results.empty()) reader.fail("'results' is empty");
  if (reader.find("bias")) features.bias_fp32 = features.bias_bf16 = false;
  for_each_name(reader, "bias", [&](const std::string& name) {
    if (name != "fp32" && name != "bf16") throw Error("a bias is fp32 or bf16, not " + name);
    (name == "fp32" ? features.bias_fp32 : features.bias_bf16) = true;
  });
  reader.member("batches", features.batches);
  reader.member("long_blocks", features.long_blocks);
  reader.member("counters", features.counters);
  reader.member("faults", features.faults);
  for_each_name(reader, "waves",
                [&](const std::string& signal) { features.waves.push_back(signal); });
  reader.member("timeout_cycles", features.timeout_cycles);
  reader.member("largest_job", features.largest_job);
  reader.finish();
  return features;
}

RtlUnderTest load_engine(const std::string& library) {
  const rtl::EnginePlugin& plugin = rtl::load_engine_plugin(library);
  const std::string where = fmt::format("the description of '{}'", library);
  const Json description = Json::parse(plugin.description, nullptr, false);
  if (description.is_discarded()) throw Error(where + " is not valid JSON");
  RtlUnderTest rtl;
  rtl.make_top = plugin.make;
  rtl.own = features_from_json(description, where);
  rtl.cycle_tolerance = -1;
  rtl.library = library;
  rtl.top = plugin.top;
  return rtl;
}

}  // namespace mxe::regression
