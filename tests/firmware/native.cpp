// SPDX-License-Identifier: Apache-2.0
// The firmware's sources on the platform's host, whose instructions take no simulated time.
//
//     mxe_native registers|digits|nothing|accesses model|rtl DATA
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>

extern "C" {
#include "digits.h"
}
#include "model/numerics/files/files.h"
#include "model/platform/device/engines.h"
#include "model/platform/driver_port.h"
#include "model/platform/platform.h"
#include "mxe_regs.h"

namespace {

constexpr int kAccesses = 100000;  // as in guest.c

std::vector<uint32_t> load(const std::string& folder, const std::string& name) {
  const std::vector<uint8_t> file = mxe::numerics::read_file(folder + "/" + name + ".npy");
  std::vector<uint32_t> data((file.size() - 128 + 3) / 4);
  std::memcpy(data.data(), file.data() + 128, file.size() - 128);
  return data;
}

void run_registers(mxe::platform::Host& host) {
  for (int i = 0; i < kAccesses; i++) {
    uint32_t value = 0;
    host.try_read(MXE_REG_STATUS, value);
  }
}

/// Processor time per access in nanoseconds, of the fastest round.
double nanoseconds(const std::function<void()>& access) {
  constexpr int kRounds = 5;
  double least = 1e9;
  for (int round = 0; round < kRounds; round++) {
    const std::clock_t begin = std::clock();
    for (int i = 0; i < kAccesses; i++) access();
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    least = std::min(least, seconds * 1e9 / kAccesses);
  }
  return least;
}

/// Compares three ways to read a register of the model.
void compare_accesses(mxe::platform::Host& host) {
  uint32_t value = 0;
  tlm::tlm_generic_payload payload;
  payload.set_read();
  payload.set_address(MXE_REG_STATUS);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(sizeof value);
  payload.set_streaming_width(sizeof value);
  const double debug = nanoseconds([&] { host.regs->transport_dbg(payload); });
  sc_core::sc_time delay;
  const double transport = nanoseconds([&] { host.regs->b_transport(payload, delay); });
  sc_core::wait(delay);
  const double waited = nanoseconds([&] { host.try_read(MXE_REG_STATUS, value); });
  fmt::print(
      "b_transport takes {:.1f} times as long as transport_dbg ({:.0f} ns), {:.1f} times with a "
      "wait after it\n",
      transport / debug, debug, waited / debug);
}

void run_digits(mxe::platform::Host& host, const std::string& folder) {
  const auto images = load(folder, "test_images"), labels = load(folder, "test_labels");
  digits_data data{};
  data.images = reinterpret_cast<const uint8_t*>(images.data());
  data.labels = reinterpret_cast<const uint8_t*>(labels.data());
  std::vector<uint32_t> weights[DIGITS_LAYERS], biases[DIGITS_LAYERS];
  for (int i = 0; i < DIGITS_LAYERS; i++) {
    weights[i] = load(folder, fmt::format("weight{}", i + 1));
    biases[i] = load(folder, fmt::format("bias{}", i + 1));
    data.weights[i] = weights[i].data();
    data.biases[i] = biases[i].data();
  }
  const uint64_t address = host.allocate(sizeof(digits_memory), MXE_DESC_SIZE);
  auto* memory =
      reinterpret_cast<digits_memory*>(host.memory().data(address, sizeof(digits_memory)));
  const mxe_port port = mxe::harness::make_driver_port(host);
  digits_result result{};
  if (digits_run(&port, &data, memory, address, &result) != MXE_OK) return;
  fmt::print("digits: {} of {} recognised, logits {:08x}\n", result.correct,
             static_cast<int>(DIGITS_IMAGES), result.checksum);
}

}  // namespace

extern "C" int sc_main(int argc, char** argv);  // NOLINT: not in all headers of SystemC
extern "C" int sc_main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string what = argv[1], folder = argv[3];
  mxe::device::EngineSetup setup;
  setup.params = mxe::Params::named("base");
  mxe::platform::Platform platform("platform", mxe::platform::Memory::Config{}, [&] {
    return make_engine(mxe::device::parse_engine(argv[2]), setup);
  });
  platform.run([&](mxe::platform::Host& host) {
    if (what == "registers") run_registers(host);
    if (what == "accesses") compare_accesses(host);
    if (what == "digits") run_digits(host, folder);
  });
  return 0;
}
