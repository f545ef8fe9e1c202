// SPDX-License-Identifier: Apache-2.0
// Error of a digit classifier's first layer by a tensor core's window. See docs/model.md.
#include "tensor_core.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <systemc>
#include <vector>

#include "model/numerics/files/npy.h"
#include "model/numerics/gemm/gemm.h"
#include "model/numerics/quantize/quantize.h"
#include "model/platform/device/device.h"

/// Signal to noise ratio in dB.
double sqnr(const std::vector<float>& exact, const std::vector<float>& values) {
  double signal = 0, noise = 0;
  for (std::size_t i = 0; i < exact.size(); i++) {
    signal += double{exact[i]} * exact[i];
    noise += std::pow(double{exact[i]} - values[i], 2);
  }
  return 10 * std::log10(signal / noise);
}

int sc_main(int, char** argv) {
  // Digits, and the first layer of their classifier: weights [inputs][outputs].
  const std::string folder = argv[1];
  const mxe::numerics::NpyArray images = mxe::numerics::read_npy(folder + "/test_images.npy");
  const mxe::numerics::NpyArray weights = mxe::numerics::read_npy(folder + "/weight1.npy");
  const std::size_t inputs = weights.shape[0], outputs = weights.shape[1], rows = 64;
  const std::vector<uint8_t> pixels = mxe::numerics::to_uint8(images, "images");
  const std::vector<float> w = mxe::numerics::to_float32(weights, "weights");
  std::vector<float> a(rows * inputs), b(outputs * inputs);
  for (std::size_t i = 0; i < a.size(); i++) a[i] = pixels[i] / 255.0f;
  for (std::size_t i = 0; i < b.size(); i++) b[i] = w[i % inputs * outputs + i / inputs];
  mxe::job::Job job;
  job.a = mxe::numerics::quantize_rows(a.data(), rows, inputs, mxe::numerics::FormatId::mxfp8_e4m3);
  job.b =
      mxe::numerics::quantize_rows(b.data(), outputs, inputs, mxe::numerics::FormatId::mxfp8_e4m3);

  mxe::device::EngineSetup setup;
  std::vector<mxe::device::Device> devices;
  devices.emplace_back(mxe::device::Target::model, setup);  // MXE's arithmetic
  for (const int window : {25, 13, 10}) {
    setup.arithmetic = [window](const mxe::Params& params) {
      return std::make_unique<TensorCore>(params, window);
    };
    devices.emplace_back(mxe::device::Target::model, setup);
  }
  const auto run = [&](mxe::device::Device& device) {
    return mxe::job::load_output(device.run(job).output, rows, outputs, job.output);
  };
  const std::vector<float> exact = job.sums({mxe::numerics::Accumulate::exact});
  std::printf("one rounding a block  %.1f dB\n", sqnr(exact, run(devices[0])));
  std::printf("window of 25 bits     %.1f dB\n", sqnr(exact, run(devices[1])));
  std::printf("window of 13 bits     %.1f dB\n", sqnr(exact, run(devices[2])));
  std::printf("window of 10 bits     %.1f dB\n", sqnr(exact, run(devices[3])));
  return run(devices[1]) == job.sums({mxe::numerics::Accumulate::nvidia_blackwell}) ? 0 : 1;
}
