// SPDX-License-Identifier: Apache-2.0
// The netlist of every module against its source: random inputs, outputs compared in every cycle.
//
//   test_netlist <modules.txt> [clocks [seed]]      every pair must agree
//   test_netlist <modules.txt> faults [clocks [seed]]   faults in a netlist must be seen
#include <Vnetlist_top.h>
#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

double sc_time_stamp() { return 0; }

namespace {

constexpr int kFaults = 12;  // per module, as in netlist.py
constexpr int kEpoch = 100;  // cycles between resets

struct Setup {
  std::vector<std::string> modules;
  int clocks = 4000;
  uint64_t seed = 1;
};

/// Gives all pairs the same random inputs.
class Bench {
 public:
  Bench(std::size_t modules, uint64_t seed) : random_(seed), modules_(modules) {}

  /// Returns the first cycle in which each pair differed, or -1. `fault` (0: none) is active in the
  /// netlists of the modules that `is_faulty` names.
  template <typename IsFaulty>
  std::vector<int> run(int clocks, int fault, IsFaulty is_faulty) {
    std::vector<int> differed(modules_, -1);
    top_.fault_i = fault;
    for (std::size_t m = 0; m < modules_; m++) set_bit(top_.faulty_i, m, is_faulty(m));
    for (int clock = 0; clock < clocks; clock++) {
      drive(clock);
      top_.clk_i = 0;
      top_.eval();
      for (std::size_t m = 0; m < modules_; m++) {
        if (differed[m] < 0 && bit(top_.differs_o, m)) differed[m] = clock;
      }
      top_.clk_i = 1;
      top_.eval();
    }
    return differed;
  }

 private:
  template <typename Vector>
  void fill(Vector& vector, int seldom) {
    for (std::size_t i = 0; i < sizeof vector / sizeof(uint32_t); i++) {
      auto word = static_cast<uint32_t>(random_());
      for (int n = 0; n < seldom; n++) word &= static_cast<uint32_t>(random_());
      (&vector[0])[i] = word;
    }
  }

  /// Each epoch of kEpoch cycles starts with a reset and draws its statistics of the inputs.
  void drive(int clock) {
    const int within = clock % kEpoch;
    top_.rst_ni = within >= 2;
    if (within == 0) {
      top_.seldom_i = random_() & 1;
      top_.small_i = random_() & 1;
    }
    fill(top_.fast_i, 0);
    fill(top_.rare_i, 4);
    if (within % 64 == 0) fill(top_.slow_i, 0);
  }

  // Verilator: a port of up to 64 bits is an integer, a wider one an array of words.
  template <typename Port>
  static bool bit(const Port& port, std::size_t i) {
    return (reinterpret_cast<const uint32_t*>(&port)[i / 32] >> i % 32 & 1) != 0;
  }
  template <typename Port>
  static void set_bit(Port& port, std::size_t i, bool value) {
    uint32_t& word = reinterpret_cast<uint32_t*>(&port)[i / 32];
    word = (word & ~(uint32_t{1} << i % 32)) | uint32_t{value} << i % 32;
  }

  std::mt19937_64 random_;
  std::size_t modules_;
  Vnetlist_top top_;
};

int compare(const Setup& setup) {
  const auto bench = std::make_unique<Bench>(setup.modules.size(), setup.seed);
  const auto differed = bench->run(setup.clocks, 0, [](std::size_t) { return false; });
  int bad = 0;
  for (std::size_t m = 0; m < differed.size(); m++) {
    if (differed[m] < 0) continue;
    fmt::print("{}: the netlist differs from the source at clock {}\n", setup.modules[m],
               differed[m]);
    bad++;
  }
  fmt::print("{} modules, {} clocks, seed {}: {} differ\n", setup.modules.size(), setup.clocks,
             setup.seed, bad);
  return bad == 0 ? 0 : 1;
}

/// Modules without gates have no faults. The engine itself is left out: random register writes
/// rarely start it; the co-simulation does.
bool has_no_faults(const std::string& module) {
  const std::string wires = " (wires)";
  return module.rfind("mxe_top ", 0) == 0 ||
         (module.size() > wires.size() &&
          module.compare(module.size() - wires.size(), wires.size(), wires) == 0);
}

/// Every module must show a fault, unless has_no_faults(). In each round, every second module is
/// faulty; the others must not differ.
int find_faults(const Setup& setup) {
  std::vector<int> seen(setup.modules.size(), 0);
  for (int round = 0; round < 2 * kFaults; round++) {
    const auto is_faulty = [&](std::size_t m) {
      return m % 2 == static_cast<std::size_t>(round % 2);
    };
    const auto bench = std::make_unique<Bench>(setup.modules.size(), setup.seed);
    const auto differed = bench->run(setup.clocks, 1 + round / 2, is_faulty);
    for (std::size_t m = 0; m < differed.size(); m++) {
      if (differed[m] < 0) continue;
      if (!is_faulty(m)) return fmt::print("{} differs without a fault\n", setup.modules[m]), 1;
      seen[m]++;
    }
  }
  int missed_modules = 0;
  for (std::size_t m = 0; m < seen.size(); m++) {
    if (seen[m] > 0 || has_no_faults(setup.modules[m])) continue;
    fmt::print("{}: no fault seen\n", setup.modules[m]);
    missed_modules++;
  }
  fmt::print("{} modules, {} faults each, {} clocks, seed {}: {} seen\n", setup.modules.size(),
             kFaults, setup.clocks, setup.seed, std::accumulate(seen.begin(), seen.end(), 0));
  return missed_modules == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty()) {
    fmt::print(stderr, "usage: test_netlist <modules.txt> [faults] [clocks [seed]]\n");
    return 2;
  }
  Setup setup;
  std::ifstream file(arguments.front());
  for (std::string line; std::getline(file, line);) setup.modules.push_back(line);
  arguments.erase(arguments.begin());
  const bool faults = !arguments.empty() && arguments.front() == "faults";
  if (faults) arguments.erase(arguments.begin());
  if (!arguments.empty()) setup.clocks = std::stoi(arguments[0]);
  if (arguments.size() > 1) setup.seed = std::stoull(arguments[1]);
  return faults ? find_faults(setup) : compare(setup);
}
