// SPDX-License-Identifier: Apache-2.0
#include "model/job/job.h"

#include <gtest/gtest.h>

#include "model/numerics/base/error.h"

namespace mxe::job {
namespace {

JobShape wide_shape(std::size_t n, OutputFormat output, BiasKind bias) {
  JobShape shape;
  shape.m = 2;
  shape.n = n;
  shape.k = 32;
  shape.output = output;
  shape.bias = bias;
  return shape;
}

// Strides have 32 bits. A row of C may be longer than one of D: 2^30 numbers are 2^32 bytes of C as
// FP32, but 2^29 bytes of D as MXFP4.
TEST(JobParts, StridesBeyond32BitsAreRefused) {
  OutputFormat small;
  small.kind = OutputFormat::Kind::mx;
  small.requant.format = numerics::FormatId::mxfp4_e2m1;
  const std::size_t n = std::size_t{1} << 30;
  EXPECT_EQ(JobParts(wide_shape(n, small, BiasKind::none), {}).d.stride, n / 2);
  EXPECT_EQ(JobParts(wide_shape(n - 32, small, BiasKind::full), {}).c.stride, 4 * (n - 32));
  EXPECT_THROW(JobParts(wide_shape(n, small, BiasKind::full), {}), Error);
  EXPECT_EQ(JobParts(wide_shape(n, small, BiasKind::row), {}).c.stride, 0U);
  EXPECT_THROW(JobParts(wide_shape(n, {}, BiasKind::none), {}), Error);
}

}  // namespace
}  // namespace mxe::job
