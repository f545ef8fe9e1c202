// SPDX-License-Identifier: Apache-2.0
// Quantizes .npy files for the conformance scripts. Reads one job per line from standard input:
//
//   PRESET FORMAT IN.npy OUT_PREFIX [scale=eXmY] [amax=VALUE]
//
// Writes OUT_PREFIX_codes.npy (uint8; wide formats float32), _scales.npy and _deq.npy (float32),
// and _scale_codes.npy (uint8) if they exist. Prints the line when its job is done.
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

#include "model/numerics/block/presets.h"
#include "model/numerics/files/npy.h"
#include "model/numerics/quantize/quantize.h"

namespace mxe::numerics {
namespace {

void run(const std::string& line) {
  std::istringstream words(line);
  std::string preset, format, input, prefix, word;
  words >> preset >> format >> input >> prefix;
  Quantizer quantizer = make_quantizer(format, preset);
  while (words >> word) {
    const std::string value = word.substr(word.find('=') + 1);
    if (word.rfind("scale=", 0) == 0) {
      quantizer.options.scale_format = parse_scale_format(value);
    } else if (word.rfind("amax=", 0) == 0) {
      quantizer.options.tensor_amax = std::strtof(value.c_str(), nullptr);
    } else {
      throw Error("unknown option '" + word + "'");
    }
  }
  const NpyArray array = read_npy(input);
  const std::vector<float> x = to_float32(array, input);
  const QuantizedArray q = quantize(x.data(), array.shape, quantizer.format, quantizer.options);
  if (q.wide_codes.empty()) {
    write_npy(prefix + "_codes.npy", q.codes.data(), q.shape);
  } else {
    const std::vector<float> codes(q.wide_codes.begin(), q.wide_codes.end());
    write_npy(prefix + "_codes.npy", codes.data(), q.shape);
  }
  write_npy(prefix + "_scales.npy", q.scales.data(), q.scale_shape);
  write_npy(prefix + "_deq.npy", q.dequantized.data(), q.shape);
  if (!q.scale_codes.empty()) {
    write_npy(prefix + "_scale_codes.npy", q.scale_codes.data(), q.scale_shape);
  }
}

}  // namespace
}  // namespace mxe::numerics

int main() {
  using namespace mxe::numerics;
  for (std::string line; std::getline(std::cin, line);) {
    try {
      run(line);
    } catch (const mxe::Error& error) {
      std::cerr << line << ": " << error.what() << "\n";
      return 2;
    }
    std::cout << line << std::endl;
  }
}
