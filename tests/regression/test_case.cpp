// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "model/numerics/base/error.h"
#include "tb/regression/case_generator.h"
#include "tb/regression/case_runner.h"
#include "tb/regression/shrink.h"

namespace mxe::test {
namespace {

std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

regression::CoSimCase parse(const std::string& text) {
  return regression::case_from_json(regression::Json::parse(text));
}

TEST(CoSimCase, SurvivesAFile) {
  const std::string path = testing::TempDir() + "mxe_case_test.json";
  for (const char* config : {"small", "base"}) {
    for (uint64_t seed = 1; seed <= 20; seed++) {
      const regression::CoSimCase original = regression::random_case(config, seed, 30);
      regression::save_case(path, original);
      EXPECT_EQ(regression::to_json(regression::load_case(path)), regression::to_json(original))
          << config << " " << seed;
    }
  }
  std::remove(path.c_str());
}

TEST(CoSimCase, SaysOnlyWhatIsNotNormal) {
  regression::CoSimCase c;
  c.batches.resize(1);
  c.batches[0].jobs.resize(1);
  c.batches[0].jobs[0].n = 7;
  EXPECT_EQ(regression::to_json(c).dump(), R"({"batches":[{"jobs":[{"n":7}]}]})");
}

TEST(CoSimCase, AFileHasALineForEachJob) {
  const char* text = R"({
  "about": "a, b: \"c\"\n",
  "mem_bytes_per_cycle": 11.0,
  "batches": [
    {"jobs": [
      {}
    ]},
    {"pause_after": 3, "faults": [{"job": 0, "part": "A"}], "jobs": [
      {"m": 5, "layout": {"a_gap": 1}},
      {"n": 7, "spoils": []}
    ]}
  ]
}
)";
  EXPECT_EQ(regression::case_text(regression::Json::parse(text)), text);
  EXPECT_EQ(regression::case_text(regression::Json::parse(R"({"batches": []})")),
            "{\n  \"batches\": []\n}\n");
}

/// MXE_REWRITE_CASES=1 writes the files in the form of saved ones instead.
TEST(CoSimCase, DirectedCasesHaveTheFormOfSavedOnes) {
  int count = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(MXE_COSIM_TESTS)) {
    if (file.path().extension() != ".json") continue;
    std::stringstream stored;
    stored << std::ifstream(file.path()).rdbuf();
    const std::string text = regression::case_text(regression::Json::parse(stored.str()));
    if (std::getenv("MXE_REWRITE_CASES")) std::ofstream(file.path()) << text;
    EXPECT_TRUE(stored.str() == text)
        << file.path() << " has another form: MXE_REWRITE_CASES=1 build/test_case rewrites it";
    count++;
  }
  EXPECT_GT(count, 0);
}

TEST(CoSimCase, RefusesWhatIsNoCase) {
  const auto error = [](const char* text) { return error_of([text] { parse(text); }); };
  const std::string nothing = "the case needs at least one batch in 'batches'";
  EXPECT_EQ(error("{}"), nothing);
  EXPECT_EQ(error(R"({"batches": []})"), nothing);
  EXPECT_EQ(error(R"({"batches": [{"jobs": [{}]}, {"endless_jobs": 1, "jobs": []}]})"),
            "the case, batches[1] needs at least one job in 'jobs'");
  EXPECT_EQ(error("[]"), "the case must be an object");
  EXPECT_EQ(error(R"({"rings": 2})"), "the case has no 'rings'");
  EXPECT_EQ(error(R"({"ring": 3})"), "the case needs a ring of a power of two up to 256 entries");
  EXPECT_EQ(error(R"({"ring": -1})"), "the case 'ring' must be an integer from 0 to 4294967295");
  EXPECT_EQ(error(R"({"poll": 1})"), "the case 'poll' must be true or false");
  EXPECT_NE(error(R"({"mem_latency": 0})"), "none");
  EXPECT_EQ(error(R"({"mem_base": "0xfffff000"})"), nothing);
  EXPECT_EQ(error(R"({"mem_base": "0xfffffffe00000000"})"), nothing);
  for (const char* base :
       {R"("4096")", "4096", R"("0x")", R"("0x1 ")", R"("0x10000000000000000")"}) {
    EXPECT_EQ(error((R"({"mem_base": )" + std::string(base) + "}").c_str()),
              R"(the case 'mem_base' must be a string like "0x80000000")");
  }
  for (const char* base : {"0x80", "0xfffffffe00001000"}) {
    EXPECT_EQ(error((R"({"mem_base": ")" + std::string(base) + "\"}").c_str()),
              "the case needs a mem_base that is a multiple of 0x1000 up to 0xfffffffe00000000");
  }
  EXPECT_NE(error(R"({"config": "medium"})"), "none");
  EXPECT_EQ(error(R"({"batches": 1})"), "the case 'batches' must be an array");
  const auto job_error = [&](const std::string& job) {
    return error((R"({"batches": [{"jobs": [{}, )" + job + "]}]}").c_str());
  };
  const std::string where = "the case, batches[0], jobs[1]";
  EXPECT_EQ(job_error("{}"), "none");
  EXPECT_EQ(job_error(R"({"m": 0})"), where + " needs m, n, k and batch of at least 1");
  EXPECT_EQ(job_error(R"({"batch": 0})"), where + " needs m, n, k and batch of at least 1");
  EXPECT_EQ(job_error(R"({"m": 64, "batch": 4096})").substr(0, where.size() + 42),
            where + " has batch * m, batch * n or k above 13107");
  EXPECT_EQ(job_error(R"({"values": "odd"})").substr(0, where.size() + 31),
            where + " 'values' must be one of: ones,");
  EXPECT_EQ(job_error(R"({"layout": {"d_offset": 2}})"), where + " has a misaligned C or D");
  EXPECT_EQ(job_error(R"({"layout": {"e_offset": 2}})"), where + ", layout has no 'e_offset'");
  EXPECT_EQ(job_error(R"({"spoils": [{}, {"field": "format_a", "value": 15}]})"), "none");
  EXPECT_EQ(job_error(R"({"spoils": [{"field": "format_a", "value": 6}]})"),
            where + ", spoils[0] breaks no rule with 'format_a' 6");
  EXPECT_EQ(job_error(R"({"bias_bf16": true, "spoils": [{"field": "c_addr", "value": 2}]})"),
            where + ", spoils[0] breaks no rule with 'c_addr' 2");
  EXPECT_EQ(error(R"({"batches": [{"jobs": [{}], "faults": [{"job": 1}]}]})"),
            "the case, batches[0] has a fault in a job that it does not have");
  EXPECT_EQ(error(R"({"batches": [{"jobs": [{}], "faults": [{"part": "E"}]}]})"),
            "the case, batches[0], faults[0] has an unknown part 'E'");
  EXPECT_EQ(error_of([] { regression::load_case("/nowhere.json"); }),
            "/nowhere.json: cannot open: No such file or directory");
}

TEST(RandomCase, TheSeedDecidesEverything) {
  EXPECT_EQ(regression::to_json(regression::random_case("small", 5, 50)),
            regression::to_json(regression::random_case("small", 5, 50)));
  EXPECT_NE(regression::to_json(regression::random_case("small", 5, 50)),
            regression::to_json(regression::random_case("small", 6, 50)));
}

TEST(RandomCase, CoversWhatMatters) {
  std::map<std::string, int> seen;
  std::set<unsigned> rings;
  for (uint64_t seed = 1; seed <= 100; seed++) {
    const regression::CoSimCase c = regression::random_case("small", seed, 40);
    EXPECT_EQ(c.jobs(), 40u);
    rings.insert(c.ring);
    seen["high memory"] += c.mem_base >> 32 != 0;
    seen["jitter"] += c.timing.jitter_seed != 0;
    seen["bandwidth"] += c.timing.bytes_per_cycle != 0;
    seen["latency 1"] += c.timing.latency == 1;
    seen["back-pressure"] += c.back_pressure != 0;
    seen["exact times"] += c.back_pressure == 0;
    seen["poll"] += c.poll;
    seen["structural"] += c.structural;
    seen["golden"] += !c.structural;
    for (const regression::BatchSpec& batch : c.batches) {
      seen["traffic"] += batch.traffic != 0;
      seen["empty jobs"] += batch.empty_jobs != 0;
      seen["counters"] += batch.counters_below != 0;
      seen["register writes"] += batch.register_writes != 0;
      seen["job ids"] += batch.first_job != 0;
      seen["ring overflow"] += batch.ring_overflow != 0;
      seen["disabled"] += batch.disabled_for != 0;
      seen["pause"] += batch.pause_after != 0;
      seen["masked"] += batch.masked;
      for (const cosim::BusFault& fault : batch.faults) seen["fault in " + fault.part]++;
      seen["reset"] += batch.reset_after != 0;
      seen["fault"] += !batch.faults.empty();
      for (const cosim::JobSpec& job : batch.jobs) {
        seen["illegal"] += !job.spoils.empty();
        seen["illegal twice"] += job.spoils.size() == 2;
        for (const cosim::Spoil& spoil : job.spoils) seen["illegal " + spoil.field]++;
        seen["fp32"] += job.output.kind == job::OutputFormat::Kind::fp32;
        seen["bf16"] += job.output.kind == job::OutputFormat::Kind::bf16;
        seen["mx"] += job.output.kind == job::OutputFormat::Kind::mx;
        seen["bf16 bias"] += job.bias != job::BiasKind::none && job.bias_bf16;
        seen["long K"] += job.k > 1000;
        seen["K of more than 16 bits"] += job.k > 65535;
        seen["long M"] += job.m > 256;
        seen["long N"] += job.n > 256;
        seen["strides above 2^24"] += job.m > 1 && job.layout.a_gap > 1u << 24;
      }
    }
  }
  EXPECT_EQ(rings, (std::set<unsigned>{1, 2, 4, 8, 16}));
  for (const auto& [what, count] : seen) EXPECT_GE(count, 10) << what;
}

TEST(MakeJob, ACutJobIsACornerOfTheWhole) {
  for (const cosim::Values values :
       {cosim::Values::codes, cosim::Values::specials, cosim::Values::extremes,
        cosim::Values::cancellation, cosim::Values::zeros, cosim::Values::boundaries,
        cosim::Values::ties, cosim::Values::tiny_ties, cosim::Values::special_lanes,
        cosim::Values::lone_bits, cosim::Values::sparse}) {
    cosim::JobSpec spec;
    spec.m = 9;
    spec.n = 70;
    spec.k = 100;
    spec.values = values;
    spec.bias = job::BiasKind::full;
    const job::Job whole = cosim::make_job(spec);
    spec.m = 5;
    spec.n = 33;
    spec.k = 40;
    const job::Job cut = cosim::make_job(spec);
    for (std::size_t row = 0; row < spec.m; row++) {
      for (std::size_t i = 0; i < spec.k; i++) {
        ASSERT_EQ(cut.a.codes[row * 40 + i], whole.a.codes[row * 100 + i])
            << cosim::to_string(values);
      }
      for (std::size_t i = 0; i < 2; i++) {
        ASSERT_EQ(cut.a.scales[row * 2 + i], whole.a.scales[row * 4 + i])
            << cosim::to_string(values);
      }
      for (std::size_t i = 0; i < spec.n; i++) {
        const float small = cut.bias[row * 33 + i], large = whole.bias[row * 70 + i];
        ASSERT_TRUE(small == large || (small != small && large != large))
            << cosim::to_string(values);
      }
    }
  }
}

/// Every NaN and infinity of E5M2 in every lane: of A (seed 0), of B (1), of both (2).
TEST(MakeJob, SpecialsInEveryLane) {
  cosim::JobSpec spec;
  spec.format_a = spec.format_b = numerics::FormatId::mxfp8_e5m2;
  spec.m = spec.n = 256;
  spec.k = 32;
  spec.values = cosim::Values::special_lanes;
  const auto positions = [](const numerics::MxTensor& tensor) {
    std::set<std::pair<std::size_t, uint8_t>> found;
    for (std::size_t i = 0; i < tensor.codes.size(); i++) {
      const bool special = !std::isfinite(numerics::decode(tensor.format, tensor.codes[i]));
      if (special) found.emplace(i % kBlockSize, tensor.codes[i]);
    }
    return found.size();
  };
  constexpr std::size_t kAll = 32 * 8;  // lanes, codes
  for (spec.seed = 0; spec.seed < 3; spec.seed++) {
    const cosim::CosimJob job = cosim::make_job(spec);
    EXPECT_EQ(positions(job.a), spec.seed == 1 ? 0 : kAll);
    EXPECT_EQ(positions(job.b), spec.seed == 0 ? 0 : kAll);
  }
}

/// Bias values of 1 to 2 have each bit of the fraction alone; one is 1.5 + 2^-23.
TEST(MakeJob, LoneBits) {
  cosim::JobSpec spec;
  spec.m = 480;
  spec.n = 32;
  spec.values = cosim::Values::lone_bits;
  spec.bias = job::BiasKind::full;
  std::set<float> largest;
  for (const float x : cosim::make_job(spec).bias) {
    int exponent = 0;
    const float significand = 2 * std::abs(std::frexp(x, &exponent));
    if (exponent == 1) largest.insert(significand);
  }
  for (int bit = 1; bit <= 23; bit++) EXPECT_EQ(largest.count(1 + std::ldexp(1.0f, -bit)), 1u);
  EXPECT_EQ(largest.count(1.5f + 0x1p-23f), 1u);
}

TEST(MakeJob, BoundariesAreMet) {
  uint64_t saturations = 0, infinite = 0, nan_scales = 0;
  for (uint64_t seed = 0; seed < 50; seed++) {
    cosim::JobSpec spec;
    spec.m = 8;
    spec.n = 64;
    spec.values = cosim::Values::boundaries;
    spec.seed = seed;
    spec.bias = job::BiasKind::full;
    spec.output = job::parse_output_format("mxfp8_e5m2");
    spec.output.requant.overflow = numerics::Overflow::special;
    const cosim::JobResult result = cosim::make_job(spec).expected(true);
    saturations += result.counts.saturations;
    for (const uint8_t code : result.stored.bytes) infinite += (code & 0x7F) == 0x7C;
    for (const uint8_t scale : result.stored.scales) nan_scales += scale == 0xFF;
  }
  EXPECT_GT(saturations, 100u);
  EXPECT_EQ(infinite, saturations);
  EXPECT_GT(nan_scales, 10u);
}

bool is_odd_multiple(double x, int exponent) {
  return std::abs(std::fmod(std::ldexp(x, -exponent), 2)) == 1;
}

TEST(MakeJob, TiesOfFp16AreMet) {
  cosim::JobSpec spec;
  spec.m = 200;
  spec.n = 64;
  spec.values = cosim::Values::boundaries;
  spec.bias = job::BiasKind::full;
  spec.output = job::parse_output_format("fp16");
  int normal = 0, subnormal = 0;
  for (const float x : cosim::make_job(spec).bias) {
    if (!std::isfinite(x)) continue;
    if (std::abs(x) < 0x1p-14f) {
      subnormal += is_odd_multiple(x, -25);
    } else if (std::abs(x) < 65504) {
      normal += is_odd_multiple(x, std::ilogb(x) - 11);
    }
  }
  EXPECT_GT(normal, 100);
  EXPECT_GT(subnormal, 100);
}

TEST(MakeJob, TinyTiesAreMet) {
  cosim::JobSpec spec;
  spec.m = spec.n = 48;
  spec.k = 32;
  spec.values = cosim::Values::tiny_ties;
  spec.bias = job::BiasKind::full;
  const cosim::CosimJob job = cosim::make_job(spec);
  const auto number = [](const numerics::MxTensor& tensor, std::size_t row, std::size_t i) {
    return std::ldexp(
        static_cast<double>(numerics::decode(tensor.format, tensor.codes[row * 32 + i])),
        tensor.scales[row] - 127);
  };
  int ties = 0, beside = 0;
  for (std::size_t row = 0; row < spec.m; row++) {
    for (std::size_t column = 0; column < spec.n; column++) {
      double sum = job.bias[row * spec.n + column];
      for (std::size_t i = 0; i < 32; i++) sum += number(job.a, row, i) * number(job.b, column, i);
      if (std::abs(sum) >= 0x1p-126) continue;
      const double half = std::trunc(std::ldexp(sum, 150));
      const bool is_tie = half == std::ldexp(sum, 150);
      if (is_odd_multiple(half, 0)) (is_tie ? ties : beside)++;
    }
  }
  EXPECT_GT(ties, 50);
  EXPECT_GT(beside, 50);
}

regression::CaseResult run_as(const std::function<void()>& act, unsigned limit_seconds = 60) {
  const regression::CasePool pool(
      [&](const regression::CoSimCase&) {
        act();
        regression::CaseResult result;
        result.jobs = 3;
        return result;
      },
      1, limit_seconds);
  return pool.run(regression::CoSimCase{});
}

TEST(CasePool, BringsTheResultBack) {
  const regression::CaseResult result = run_as([] {});
  EXPECT_TRUE(result.agreed());
  EXPECT_EQ(result.jobs, 3u);
}

TEST(CasePool, ReportsHowAProcessEnds) {
  EXPECT_EQ(run_as([] { throw Error("it hangs in cycle 17"); }).bucket(),
            "simulation: it hangs in cycle #");
  EXPECT_EQ(run_as([] { std::abort(); }).bucket(), "simulation: the process ended: Aborted");
  EXPECT_EQ(run_as([] { std::_Exit(3); }).bucket(),
            "simulation: the process ended: no reason given");
  EXPECT_EQ(run_as([] { std::this_thread::sleep_for(std::chrono::seconds(30)); }, 0).bucket(),
            "simulation: took too long and was ended");
  EXPECT_EQ(run_as([] {
              std::fputs("[12] %Error: mxe_fifo.sv:40: Assertion failed in mxe_top.u_x: 5 left\n",
                         stderr);
              throw Error("an assertion");
            }).bucket(),
            "simulation: mxe_fifo.sv:40#: Assertion failed in mxe_top.u_x: # left");
}

TEST(CasePool, LimitsProcessorTime) {
  EXPECT_TRUE(run_as([] { std::this_thread::sleep_for(std::chrono::seconds(2)); }, 1).agreed());
  const auto work = [] {
    for (volatile bool more = true; more;) {
    }
  };
  const auto processor_seconds = [] {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    return used.ru_utime.tv_sec;
  };
  const auto before = processor_seconds();
  EXPECT_EQ(run_as(work, 1).bucket(), "simulation: took too long and was ended");
  EXPECT_LT(processor_seconds() - before, 5) << "only the limit by the clock ended it";
}

TEST(CasePool, RunsEveryCase) {
  const regression::CasePool pool(
      [](const regression::CoSimCase& c) {
        regression::CaseResult result;
        result.jobs = c.ring;
        return result;
      },
      3);
  std::map<std::size_t, std::size_t> found;
  pool.run(
      10,
      [](std::size_t i) {
        regression::CoSimCase c;
        c.ring = static_cast<unsigned>(100 + i);
        return c;
      },
      [&](std::size_t i, const regression::CaseResult& result) { found[i] = result.jobs; });
  ASSERT_EQ(found.size(), 10u);
  for (const auto& [i, jobs] : found) EXPECT_EQ(jobs, 100 + i);
}

/// Shrinks random cases with an invented fault: a case fails if `is_faulty` holds for a job.
regression::CoSimCase shrink_with(
    const std::function<bool(const regression::CoSimCase&, const cosim::JobSpec&)>& is_faulty,
    uint64_t seed) {
  const auto run = [&](const regression::CoSimCase& c) {
    regression::CaseResult result;
    for (std::size_t b = 0; b < c.batches.size(); b++) {
      for (const cosim::JobSpec& job : c.batches[b].jobs) {
        if (!is_faulty(c, job)) continue;
        result.mismatches = {{"rtl", 0, "D[1][2] is wrong", ""}};
        result.failed_batch = b;
        return result;
      }
    }
    return result;
  };
  regression::CoSimCase start = regression::random_case("small", seed, 200);
  const regression::CaseResult failed = run(start);
  EXPECT_FALSE(failed.agreed()) << "no job of seed " << seed << " has the fault";
  regression::ShrinkLimits limits;
  limits.runs = 5000;
  return regression::shrink(start, failed, run, limits);
}

TEST(Shrink, FindsTheOneJob) {
  for (uint64_t seed = 1; seed <= 10; seed++) {
    const regression::CoSimCase minimal = shrink_with(
        [](const regression::CoSimCase&, const cosim::JobSpec& job) {
          return job.n >= 7 && job.k > 32 && job.format_b == numerics::FormatId::mxint8;
        },
        seed);
    EXPECT_EQ(
        regression::to_json(minimal).dump(),
        R"({"mem_latency":1,"ring":1,"batches":[{"jobs":[{"n":7,"k":33,"format_b":"mxint8"}]}]})")
        << seed;
  }
}

TEST(Shrink, KeepsWhatItTakes) {
  const auto is_faulty = [](const regression::CoSimCase& c, const cosim::JobSpec& job) {
    return c.back_pressure != 0 && job.output.kind == job::OutputFormat::Kind::bf16 &&
           job.layout.d_gap != 0 && job.values == cosim::Values::tiny;
  };
  const auto has_one = [&](uint64_t seed) {
    const regression::CoSimCase c = regression::random_case("small", seed, 200);
    return std::any_of(c.batches.begin(), c.batches.end(), [&](const regression::BatchSpec& batch) {
      return std::any_of(batch.jobs.begin(), batch.jobs.end(),
                         [&](const cosim::JobSpec& job) { return is_faulty(c, job); });
    });
  };
  uint64_t seed = 1;
  while (!has_one(seed)) seed++;
  const regression::CoSimCase minimal = shrink_with(is_faulty, seed);
  EXPECT_NE(minimal.back_pressure, 0u);
  ASSERT_EQ(minimal.jobs(), 1u);
  const cosim::JobSpec& job = minimal.batches[0].jobs[0];
  EXPECT_EQ(job.values, cosim::Values::tiny);
  EXPECT_NE(job.layout.d_gap, 0u);
  EXPECT_EQ(job.layout.a_gap, 0u);
  EXPECT_EQ(job.m * job.n * job.k, 1u);
}

TEST(Shrink, AnotherFailureIsNotTheSame) {
  // Smaller shapes fail with another message.
  regression::CoSimCase start;
  start.batches.resize(1);
  start.batches[0].jobs.resize(1);
  start.batches[0].jobs[0].m = 20;
  const auto run = [](const regression::CoSimCase& c) {
    regression::CaseResult result;
    result.mismatches = {{"rtl", 0, c.batches[0].jobs[0].m < 10 ? "other" : "this", ""}};
    return result;
  };
  EXPECT_EQ(regression::shrink(start, run(start), run).batches[0].jobs[0].m, 10u);
}

}  // namespace
}  // namespace mxe::test
