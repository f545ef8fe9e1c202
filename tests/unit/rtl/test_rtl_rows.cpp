// SPDX-License-Identifier: Apache-2.0
// Addresses of rows of C and D beyond 4 GiB, which take too long in the whole engine.
#include <Vrows_top.h>
#include <gtest/gtest.h>

#include "model/engine/timing/common/rows.h"
#include "model/params/params.h"

double sc_time_stamp() { return 0; }

namespace mxe::test {
namespace {

constexpr uint64_t kBase = 0x1'0000'0000;

/// The parameters of mxe_rows in rows_top.sv: the widest tiles that are allowed.
Params widest_tiles() {
  Params params = Params::named("small");
  for (const char* assignment : {"NUM_PE=64", "ROWS=64", "ACC_TILES=16"}) params.set(assignment);
  return params;
}

struct Walk {
  uint32_t rows, columns, stride;
  unsigned number_bytes;
  uint16_t products = 1;
};

class RowsRtl {
 public:
  explicit RowsRtl(const Walk& walk) {
    top_.batch_i = walk.products;
    top_.m_i = walk.rows;
    top_.n_i = walk.columns;
    top_.addr_i = kBase;
    top_.stride_i = walk.stride;
    top_.two_bytes_i = walk.number_bytes == 2;
    tick();
    top_.rst_ni = 1;
    top_.start_i = 1;
    tick();
    top_.start_i = 0;
    top_.step_i = 1;
  }
  const Vrows_top& look() {
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
  Vrows_top top_;
};

uint64_t differences(const Walk& walk) {
  RowsRtl rtl(walk);
  uint64_t count = 0;
  engine::Rows model(widest_tiles(), kBase, walk.stride, walk.products, walk.rows, walk.columns,
                     walk.number_bytes, false);
  for (; model.valid(); model.step(), rtl.step()) {
    const Vrows_top& seen = rtl.look();
    const bool equal = seen.valid_o && seen.addr_o == model.address() &&
                       seen.cols_o == model.cols() && seen.row_o == model.row();
    if (!equal && count++ == 0) {
      ADD_FAILURE() << "column " << model.column() << ": " << std::hex << seen.addr_o
                    << " in the RTL, " << model.address() << " in the model";
    }
  }
  EXPECT_FALSE(rtl.look().valid_o);
  return count;
}

TEST(RowsRtl, ColumnsOfFourBytesBeyond4GiB) { EXPECT_EQ(differences({1, 0x4000'0080, 0, 4}), 0U); }

TEST(RowsRtl, ColumnsOfTwoBytesBeyond4GiB) { EXPECT_EQ(differences({1, 0x8000'0100, 0, 2}), 0U); }

TEST(RowsRtl, RowsOfTilesInOrder) {
  EXPECT_EQ(differences({130, 2100, 0xFFFF'FFFC, 4}), 0U);
  EXPECT_EQ(differences({130, 2100, 0xFFFF'FFFE, 2}), 0U);
  EXPECT_EQ(differences({1, 1, 8192, 2}), 0U);
  EXPECT_EQ(differences({70, 130, 520, 4, 3}), 0U);
  EXPECT_EQ(differences({1, 1, 8, 4, 65535}), 0U);
}

}  // namespace
}  // namespace mxe::test
