// SPDX-License-Identifier: Apache-2.0

#include "model/numerics/quantize/explain.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sw/arrays/arrays.h"
#include "sw/mxe/array_options.h"
#include "sw/mxe/command.h"
#include "sw/mxe/quantizer_choice.h"

namespace mxe::cli {
namespace {

struct ExplainOptions {
  std::vector<float> values;
  std::string from;
  std::vector<std::string> tensor;
  std::optional<std::size_t> at;
  QuantizerChoice quantizer;
  bool json = false;
};

struct Question {
  arrays::Array<float> input;
  std::vector<std::size_t> elements;
};

Question question_of(const ExplainOptions& options) {
  if (options.values.empty() == options.from.empty()) {
    throw Error("numbers, or --from FILE with --at I, are needed");
  }
  if (options.from.empty()) {
    if (options.at) throw Error("--at is for --from");
    Question question{{{options.values.size()}, options.values}, {}};
    for (std::size_t i = 0; i < options.values.size(); i++) question.elements.push_back(i);
    return question;
  }
  if (!options.at) throw Error("--from needs --at I, the element counted from 0");
  return {arrays::read_floats(options.from, options.tensor), {*options.at}};
}

std::string scale_steps(const numerics::ElementExplanation& element,
                        const numerics::QuantizerOptions& options) {
  const std::string code =
      element.scale_code ? fmt::format("code {}", *element.scale_code) : std::string("no code");
  if (!std::isfinite(element.scale)) return fmt::format("{}, {}", element.scale, code);
  if (!options.scale_format.is_power_of_two()) {
    return fmt::format("{:.9g} in {}, {}", element.scale, options.scale_format.name(), code);
  }
  const int exponent = std::ilogb(element.scale);
  std::string text = fmt::format("2^{} ({:.9g}), {}", exponent, element.scale, code);
  if (element.rule_exponent && *element.rule_exponent != exponent) {
    text += fmt::format("; rule {} alone says 2^{}", numerics::scale_rule_name(options.scale_rule),
                        *element.rule_exponent);
  } else if (element.rule_exponent) {
    text += fmt::format(", by rule {}", numerics::scale_rule_name(options.scale_rule));
  }
  return text;
}

std::string between(const numerics::ElementExplanation& element) {
  if (element.fate == numerics::Fate::special) return "";
  if (element.fate == numerics::Fate::clipped) {
    return fmt::format(", beyond the largest value {:.9g}", element.above);
  }
  if (element.fate == numerics::Fate::exact) return "";
  return fmt::format(", between {:.9g} and {:.9g}{}", element.below, element.above,
                     element.tie ? " (a tie)" : "");
}

void print_steps(const numerics::ElementExplanation& element,
                 const numerics::QuantizedArray& array) {
  fmt::print("{:.9g} is quantized as {:.9g}\n", element.input, element.value);
  fmt::print("  block     {}, largest magnitude {:.9g}\n", element.block, element.amax);
  fmt::print("  scale     {}\n", scale_steps(element, array.options));
  if (array.options.uses_tensor_scale) {
    fmt::print("  tensor    scale {:.9g}\n", element.tensor_scale);
  }
  fmt::print("  quotient  {:.9g}{}\n", element.quotient, between(element));
  fmt::print("  code      0x{:0{}X}, {:.9g}: {}\n", element.code, (array.format.bits + 3) / 4,
             element.code_value, numerics::fate_name(element.fate));
}

Json to_json(const numerics::ElementExplanation& element) {
  Json json{{"input", element.input},
            {"value", element.value},
            {"block", element.block},
            {"amax", element.amax},
            {"scale", element.scale},
            {"scale_code", nullptr},
            {"tensor_scale", element.tensor_scale},
            {"quotient", element.quotient},
            {"below", element.below},
            {"above", element.above},
            {"tie", element.tie},
            {"code", element.code},
            {"code_value", element.code_value},
            {"fate", numerics::fate_name(element.fate)}};
  if (element.scale_code) json["scale_code"] = *element.scale_code;
  return json;
}

int run(const ExplainOptions& options) {
  const numerics::Quantizer quantizer = options.quantizer.resolve();
  const Question question = question_of(options);
  const float* x = question.input.values.data();
  const numerics::QuantizedArray array =
      numerics::quantize(x, question.input.shape, quantizer.format, quantizer.options);
  Json elements = Json::array();
  for (const std::size_t at : question.elements) {
    const numerics::ElementExplanation element = numerics::explain(x, array, at);
    if (options.json) {
      elements.push_back(to_json(element));
    } else {
      print_steps(element, array);
    }
  }
  if (options.json) {
    print_json({{"format", options.quantizer.format},
                {"preset", options.quantizer.preset},
                {"elements", elements}});
  }
  return kAgreed;
}

}  // namespace

Command add_explain(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "explain",
      "Explain the quantization of numbers step by step: scale, quotient, code, rounding");
  const auto options = std::make_shared<ExplainOptions>();
  command->add_option("VALUE", options->values, "Consecutive numbers of an array")
      ->type_name("NUMBER")
      ->check([](const std::string& text) {
        float value = 0;
        if (CLI::detail::lexical_cast(text, value)) return std::string();
        return fmt::format(
            "'{}' is not possible (allowed: numbers, nan and inf; --format NAME is the format)",
            text);
      });
  command->add_option("--from", options->from,
                      "Explain an element of this array of floats (.npy, .npz, .safetensors or -, "
                      "standard input) instead");
  add_tensor_option(*command, options->tensor);
  command->add_option("--at", options->at,
                      "With --from: index of the element, from 0 in row-major order");
  options->quantizer.add_to(*command);
  command->add_flag("--json", options->json, "Print one JSON object");
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
