// SPDX-License-Identifier: Apache-2.0
// The job as a program of this machine: my_job model|rtl. SystemC's main() calls sc_main().
extern "C" {
#include "job.h"
}
#include <cstdio>
#include <exception>

#include "model/platform/device/engines.h"
#include "model/platform/driver_port.h"
#include "model/platform/platform.h"

static void print(const job_memory& memory) {
  for (const auto& row : memory.d) {
    for (int n = 0; n < N; n++) std::printf("%u%s", row[n], n + 1 < N ? " " : "\n");
  }
}

/// Runs on the host of the platform, which accesses the engine's registers, memory and interrupt.
static int program(mxe::platform::Host& host) {
  const uint64_t address = host.allocate(sizeof(job_memory), MXE_DESC_SIZE);
  auto* memory = reinterpret_cast<job_memory*>(host.memory().data(address, sizeof(job_memory)));
  const mxe_port port = mxe::harness::make_driver_port(host);
  const int code = run_job(&port, memory, address);
  if (code == MXE_OK) {
    print(*memory);
  } else {
    std::fprintf(stderr, "%s\n", mxe_strerror(code));
  }
  return code;
}

int sc_main(int argc, char** argv) try {
  if (argc != 2) return std::fprintf(stderr, "my_job model|rtl\n"), 2;
  mxe::device::EngineSetup setup;
  setup.params = mxe::Params::named("base");
  const mxe::device::Target target = mxe::device::parse_engine(argv[1]);
  mxe::platform::Platform platform("platform", mxe::platform::Memory::Config{},
                                   [&] { return make_engine(target, setup); });
  int code = 0;
  platform.run([&](mxe::platform::Host& host) { code = program(host); });
  return code == MXE_OK ? 0 : 1;
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}
