// SPDX-License-Identifier: Apache-2.0
// The synthesised netlist of every module against its source: random inputs, all outputs compared
// on every clock.
//
//   test_netlist <modules.txt> [clocks [seed]]      every pair must agree
//   test_netlist <modules.txt> faults [clocks [seed]]   a fault in a netlist must be seen
#include <Vnetlist_top.h>
#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

double sc_time_stamp() { return 0; }

namespace {

constexpr int kFaults = 12;  // in each module, as netlist.py plants them
constexpr int kEpoch = 100;  // clocks from one reset to the next

struct Setup {
  std::vector<std::string> modules;
  int clocks = 4000;
  uint64_t seed = 1;
};

/// The pairs side by side under one stream of random inputs.
class Bench {
 public:
  Bench(std::size_t modules, uint64_t seed) : random_(seed), modules_(modules) {}

  /// The first clock at which each pair differed, or -1. A fault, if not 0, ends the run when its
  /// pair differs.
  std::vector<int> run(int clocks, int fault) {
    std::vector<int> differed(modules_, -1);
    top_.fault_i = fault;
    const auto seen = [&] {
      return fault != 0 && differed[static_cast<std::size_t>((fault - 1) / kFaults)] >= 0;
    };
    for (int clock = 0; clock < clocks && !seen(); clock++) {
      drive(clock);
      top_.clk_i = 0;
      top_.eval();
      for (std::size_t m = 0; m < modules_; m++) {
        if (differed[m] < 0 && differs(m)) differed[m] = clock;
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

  /// An epoch starts with a reset and has its own habits.
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

  bool differs(std::size_t module) const {
    const auto* words = reinterpret_cast<const uint32_t*>(&top_.differs_o);
    return (words[module / 32] >> module % 32 & 1) != 0;
  }

  std::mt19937_64 random_;
  std::size_t modules_;
  Vnetlist_top top_;
};

int compare(const Setup& setup) {
  const auto bench = std::make_unique<Bench>(setup.modules.size(), setup.seed);
  const auto differed = bench->run(setup.clocks, 0);
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

/// Every module must show one of its faults, tried one after the other, and no other module may.
/// The engine itself is wiring that random register writes hardly start: the co-simulation drives
/// that.
int find_faults(const Setup& setup) {
  int found = 0, missed_modules = 0;
  for (std::size_t m = 0; m < setup.modules.size(); m++) {
    int here = 0;
    for (int fault = 0; fault < kFaults && here == 0; fault++) {
      const auto bench = std::make_unique<Bench>(setup.modules.size(), setup.seed);
      const auto differed = bench->run(setup.clocks, 1 + static_cast<int>(m) * kFaults + fault);
      for (std::size_t other = 0; other < differed.size(); other++) {
        if (differed[other] < 0) continue;
        if (other != m)
          return fmt::print("a fault of {} shows in {}\n", setup.modules[m], setup.modules[other]),
                 1;
        here++;
      }
    }
    found += here;
    if (here == 0 && setup.modules[m].rfind("mxe_top ", 0) != 0) {
      fmt::print("{}: no fault seen\n", setup.modules[m]);
      missed_modules++;
    }
  }
  fmt::print("{} modules, {} clocks each, seed {}: {} showed a fault\n", setup.modules.size(),
             setup.clocks, setup.seed, found);
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
