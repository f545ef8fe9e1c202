// SPDX-License-Identifier: Apache-2.0
// The loop nest of the RTL (mxe_walk) against model/params/nest.h: small shapes, random large ones.
#include <Vwalk_top.h>
#include <gtest/gtest.h>

#include <vector>

#include "model/engine/timing/common/walk.h"
#include "model/numerics/base/random.h"
#include "model/params/params.h"

double sc_time_stamp() { return 0; }

namespace mxe::test {
namespace {

struct Engine {
  unsigned rows, num_pe, acc_tiles, chunk, slab;
  bool inner;  // walks tiles and slabs
};
constexpr Engine kEngines[] = {{8, 2, 4, 4, 2, true},
                               {8, 1, 1, 2, 1, true},
                               {16, 2, 2, 4, 4, false},
                               {32, 8, 4, 32, 16, true}};

struct Shape {
  uint32_t batch, m, n, k_words;
  bool wide, long_slab, skip_group;
};

class WalkRtl {
 public:
  void start(std::size_t engine, const Shape& shape) {
    top_.rst_ni = 0;  // ends a walk that was not followed to its end
    tick();
    top_.rst_ni = 1;
    top_.sel_i = static_cast<uint8_t>(engine);
    top_.batch_i = static_cast<uint16_t>(shape.batch);
    top_.m_i = shape.m;
    top_.n_i = shape.n;
    top_.kw_i = shape.k_words;
    top_.wide_i = shape.wide;
    top_.long_i = shape.long_slab;
    top_.skip_group_i = shape.skip_group;
    top_.step_i = 0;
    top_.start_i = 1;
    tick();
    top_.start_i = 0;
    top_.step_i = 1;
  }
  const Vwalk_top& look() {
    top_.clk_i = 0;
    top_.eval();
    return top_;
  }
  void step() {
    top_.clk_i = 1;
    top_.eval();
  }

 private:
  void tick() {
    look();
    step();
  }
  Vwalk_top top_;
};

bool agree(const Vwalk_top& rtl, const engine::Walk& model) {
  const unsigned level = static_cast<unsigned>(model.next());
  const unsigned next = model.next() == engine::Walk::Next::end ? 0 : 1u << level;
  return rtl.valid_o && rtl.rows_o == model.rows() && rtl.cols_o == model.cols() &&
         rtl.tile_o == model.tile() && rtl.words_o == model.words() &&
         rtl.chunk_words_o == model.chunk_words() && rtl.first_k_o == model.first_k() &&
         rtl.last_k_o == model.last_k() && rtl.last_use_o == model.last_use() && rtl.next_o == next;
}

class RtlWalk : public testing::Test {
 protected:
  /// Compares the steps of a job, at most `most`; returns their number.
  uint64_t compare(std::size_t index, const Shape& shape, uint64_t most = ~uint64_t{0}) {
    const Engine& engine = kEngines[index];
    Params params;
    params.rows = engine.rows;
    params.num_pe = engine.num_pe;
    params.acc_tiles = engine.acc_tiles;
    params.a_slab_k = engine.chunk * kBlockSize;
    params.b_buf_k = engine.slab * kBlockSize;
    const engine::Walk::Levels levels{true, engine.inner, engine.inner, shape.wide,
                                      shape.long_slab};
    engine::Walk model(params, levels, shape.batch, shape.m, shape.n, shape.k_words,
                       shape.skip_group);
    rtl_.start(index, shape);
    uint64_t steps = 0;
    bool equal = true;
    for (; equal && model.valid() && steps < most; model.step(), rtl_.step(), steps++) {
      equal = agree(rtl_.look(), model);
    }
    if (equal && !model.valid()) equal = !rtl_.look().valid_o;
    EXPECT_TRUE(equal) << "engine " << index << ", step " << steps << " of " << shape.batch
                       << " products of " << shape.m << " x " << shape.n << " x " << shape.k_words
                       << " words, wide " << shape.wide << ", long " << shape.long_slab;
    return steps;
  }

 private:
  WalkRtl rtl_;
};

TEST_F(RtlWalk, HasTheModelsStepsForAllSmallShapes) {
  for (std::size_t engine = 0; engine < 3; engine++) {
    for (uint32_t m = 1; m <= 2 * kEngines[engine].rows + 1; m++) {
      for (uint32_t n = 1; n <= 20; n++) {
        for (uint32_t k_words = 1; k_words <= 14; k_words++) {
          for (unsigned kind = 0; kind < 4; kind++) {
            const bool wide = kind % 2 != 0 && kEngines[engine].acc_tiles > 1;
            const bool skips = engine == 2 && kind % 2 != 0;
            compare(engine, {1 + kind / 2, m, n, k_words, wide && !skips, kind / 2 != 0, skips});
            if (HasFailure()) return;
          }
        }
      }
    }
  }
}

TEST_F(RtlWalk, HasTheModelsStepsForLargeShapes) {
  constexpr uint64_t kSeed = 1;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  for (int i = 0; i < 200; i++) {
    const auto size = [&](uint32_t large) {
      return static_cast<uint32_t>(random.uniform(1, random.one_in(2) ? large : 100));
    };
    const Shape shape{size(0xFFFF),
                      size(0xFFFF'FFFF),
                      size(0xFFFF'FFFF),
                      size(0x7FF'FFFF),
                      random.one_in(2),
                      random.one_in(2),
                      false};
    compare(3, shape, 3000);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace mxe::test
