// SPDX-License-Identifier: Apache-2.0
// Firmware gives the host's results, at the same times on model and RTL and for every quantum.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "model/job/job.h"
#include "model/numerics/quantize/quantize.h"
#include "sw/digits/network.h"
#include "tests/firmware/firmware_run.h"

namespace mxe::test {
namespace {

class Firmware : public CliTest, public testing::WithParamInterface<int> {
 protected:
  /// Runs the program on all engines with three quanta each, which must not change its bytes,
  /// exit code, times or numbers of accesses; returns the output.
  std::string run_everywhere(const std::string& name,
                             const std::vector<std::string>& arguments = {}) {
    std::vector<std::string> words{"run", firmware(name, GetParam()), "--summary"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const ProgramRun first = mxe(words);
    EXPECT_EQ(first.exit_code, 0) << first.err;
    EXPECT_NE(first.err.find("mxe run: exit code 0 after "), std::string::npos) << first.err;
    for (const std::string& engine : engines()) {
      for (const char* quantum : {"1", "137", "100000000"}) {
        std::vector<std::string> others = words;
        others.insert(others.end(), {"--on", engine, "--quantum", quantum});
        const ProgramRun other = mxe(others);
        SCOPED_TRACE(engine + ", quantum " + quantum);
        EXPECT_EQ(other.exit_code, 0);
        EXPECT_EQ(other.out, first.out);
        EXPECT_EQ(other.err, first.err);
      }
    }
    return first.out;
  }
};

/// The operands of sw/firmware/bare_metal.c.
job::Job bare_metal_job() {
  constexpr std::size_t kRows = 8, kK = 32;
  job::Job job;
  for (numerics::MxTensor* operand : {&job.a, &job.b}) {
    operand->format = numerics::FormatId::mxfp8_e4m3;
    operand->rows = kRows;
    operand->k = kK;
  }
  uint32_t state = 1;
  const auto code = [&state] {
    state = state * 1664525 + 1013904223;
    const uint32_t random = state >> 16;
    return static_cast<uint8_t>((random & 0x87) | (5 + (random >> 8 & 3)) << 3);
  };
  for (std::size_t row = 0; row < kRows; row++) {
    for (std::size_t k = 0; k < kK; k++) {
      job.a.codes.push_back(code());
      job.b.codes.push_back(code());
    }
    job.a.scales.push_back(static_cast<uint8_t>(127 + row % 3));
    job.b.scales.push_back(static_cast<uint8_t>(127 - row % 2));
  }
  return job;
}

TEST_P(Firmware, BareMetalMultiplies) {
  const std::vector<uint8_t> expected = bare_metal_job().golden({}).bytes;
  std::string text;
  for (std::size_t i = 0; i < expected.size(); i += 4) {
    uint32_t word = 0;
    std::memcpy(&word, &expected[i], sizeof word);
    text += fmt::format("{:08x}{}", word, i / 4 % 8 == 7 ? "\n" : " ");
  }
  EXPECT_EQ(run_everywhere("bare_metal"), text);
}

std::string expected_digits() {
  const digits::Digits digits = digits::load_digits(MXE_DIGITS_DIR);
  std::vector<float> x = digits.images;
  for (const digits::DenseLayer& layer : digits.layers) {
    if (&layer != &digits.layers.front()) digits::relu(x);
    constexpr auto kFormat = numerics::FormatId::mxfp8_e4m3;
    job::Job job;
    job.a = numerics::quantize_rows(x.data(), digits.count, layer.inputs, kFormat);
    job.b = numerics::quantize_rows(layer.weights.data(), layer.outputs, layer.inputs, kFormat);
    job.bias = layer.bias;
    job.bias_one_row = true;
    const std::vector<uint8_t> bytes = job.golden({}).bytes;
    x.resize(bytes.size() / sizeof(float));
    std::memcpy(x.data(), bytes.data(), bytes.size());
  }
  uint32_t checksum = 2166136261;
  std::vector<uint8_t> bytes(x.size() * sizeof(float));
  std::memcpy(bytes.data(), x.data(), bytes.size());
  for (const uint8_t byte : bytes) checksum = (checksum ^ byte) * 16777619;
  return fmt::format("digits: {} of {} recognised, logits {:08x}\n",
                     digits::count_correct(x, digits.labels), digits.count, checksum);
}

TEST_P(Firmware, DigitsAreThoseOfTheHost) {
  EXPECT_EQ(run_everywhere("digits"), expected_digits());
}

TEST_P(Firmware, AnInterruptStopsAComputationAtTheSamePlaceEverywhere) {
  const std::string out = run_everywhere("guest", {"interrupt"});
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 6) << out;
}

TEST_P(Firmware, TimeIsTheSameEverywhere) { run_everywhere("guest", {"time"}); }

TEST_P(Firmware, ATimeoutAmongAccessesIsTheSameEverywhere) {
  for (const char* limit : {"19", "20", "21"}) {
    const std::vector<std::string> words{
        "run", firmware("guest", GetParam()), "--summary", "--timeout-us", limit, "registers"};
    const ProgramRun first = mxe(words);
    EXPECT_EQ(first.exit_code, 3) << first.err;
    for (const std::string& engine : engines()) {
      for (const char* quantum : {"1", "100000000"}) {
        std::vector<std::string> others = words;
        others.insert(others.end() - 1, {"--on", engine, "--quantum", quantum});
        EXPECT_EQ(mxe(others).err, first.err) << engine << ", quantum " << quantum;
      }
    }
  }
}

// Address space is limited, because the operands of the largest job would take 150 GB.
TEST_P(Firmware, JobsLargerThanTheMemoryEndWithTheirFirstError) {
  run_program("/bin/sh");
  std::vector<std::string> outputs;
  for (const std::string& engine : engines()) {
    const ProgramRun run =
        mxe({"-c", "ulimit -v 4000000; exec \"$0\" \"$@\"", built_program(), "run",
             firmware("guest", GetParam()), "--on", engine, "--timeout-us", "100000", "huge"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    outputs.push_back(run.out);
  }
  EXPECT_EQ(std::count(outputs[0].begin(), outputs[0].end(), '\n'), 3 * (5 + 4 + 5 + 6));
  EXPECT_EQ(outputs.back(), outputs[0]);
}

TEST_P(Firmware, ProgramsMayChangeTheirCode) {
  EXPECT_EQ(mxe({"run", firmware("guest", GetParam()), "code"}).exit_code, 0);
}

TEST_P(Firmware, TimeHas64Bits) {
  EXPECT_EQ(mxe({"run", firmware("guest", GetParam()), "long"}).exit_code, 0);
}

TEST_P(Firmware, ExitCodeAndArguments) {
  const std::string guest = firmware("guest", GetParam());
  const ProgramRun run = mxe({"run", guest, "--", "arguments", "--set", "a=1", "b=2", ""});
  EXPECT_EQ(run.exit_code, 46) << run.err;
  EXPECT_EQ(run.out, fmt::format("guest{}.elf\narguments\n--set\na=1\nb=2\n\n", GetParam()));
  EXPECT_EQ(run.err, "");
}

TEST_P(Firmware, UartIsStandardInputAndOutput) {
  std::string text;
  for (int byte = 0; byte < 256; byte++) text += static_cast<char>(byte);
  write_text("input", text);
  feed(path("input"));
  const ProgramRun run = mxe({"run", firmware("guest", GetParam()), "echo"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, text);
}

TEST_P(Firmware, OptionsOfTheEngineChangeTheTime) {
  const std::string elf = firmware("guest", GetParam());
  const ProgramRun usual = mxe({"run", elf, "interrupt"});
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--mem-latency", "200"},
                                                  {"--config", "small"},
                                                  {"--set", "NUM_PE=4"}}) {
    std::vector<std::string> words{"run", elf, "interrupt"};
    words.insert(words.end(), options.begin(), options.end());
    const ProgramRun other = mxe(words);
    EXPECT_EQ(other.exit_code, 0) << other.err;
    EXPECT_NE(other.out, usual.out) << options[0];
  }
}

TEST_P(Firmware, AClosedPipeEndsAProgramThatPrints) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  close(ends[0]);
  print_to(ends[1]);
  const ProgramRun run = mxe({"run", firmware("guest", GetParam()), "print_on"});
  close(ends[1]);
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err, "mxe run: standard output: cannot write\n");
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  print_to(full);
  const ProgramRun short_run = mxe({"run", firmware("guest", GetParam()), "arguments"});
  close(full);
  EXPECT_EQ(short_run.exit_code, 2);
  EXPECT_EQ(short_run.err.rfind("mxe run: standard output: cannot write", 0), 0u) << short_run.err;
}

TEST_P(Firmware, TraceShowsTheEngine) {
  const ProgramRun run =
      mxe({"run", firmware("bare_metal", GetParam()), "--trace", path("trace.json")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(read_text("trace.json").find("\"run\""), std::string::npos);
}

#ifdef MXE_WITH_RTL
/// The time in an FST file's header: type 0, then 64-bit words in big-endian order.
uint64_t last_picosecond(const std::string& fst) {
  if (fst.size() < 25 || fst[0] != 0) return 0;
  uint64_t end = 0;
  for (std::size_t i = 17; i < 25; i++) end = end << 8 | static_cast<uint8_t>(fst[i]);
  return end;
}

TEST_P(Firmware, WavesShowTheRtlInSimulatedTime) {
  std::vector<std::string> words{
      "run",      firmware("guest", GetParam()), "interrupt", "--on", "rtl", "--config", "small",
      "--summary"};
  const ProgramRun plain = mxe(words);
  words.insert(words.end(), {"--waves", path("w.fst")});
  const ProgramRun recorded = mxe(words);
  EXPECT_EQ(recorded.exit_code, 0) << recorded.err;
  EXPECT_EQ(recorded.out, plain.out);
  EXPECT_EQ(recorded.err, plain.err);
  // The last bus transfer is shortly before the end; before it, the clock is mostly stopped.
  const uint64_t run = std::stoull(plain.err.substr(plain.err.find("after ") + 6));
  const uint64_t waves = last_picosecond(read_text("w.fst")) / 1000;
  EXPECT_GT(waves, run - 1000);
  EXPECT_LT(waves, run + 10);
}

TEST_P(Firmware, WavesThatCannotBeWritten) {
  expect_error({"run", firmware("guest", GetParam()), "--on", "rtl", "--config", "small", "--waves",
                "/nowhere/w.fst"},
               "cannot write the waveform file '/nowhere/w.fst'");
}
#endif

INSTANTIATE_TEST_SUITE_P(Bits, Firmware, testing::Values(32, 64));

}  // namespace
}  // namespace mxe::test
