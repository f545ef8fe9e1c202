// SPDX-License-Identifier: Apache-2.0
// The functions of mxe_dpi.h with the arrays of SystemVerilog, as mxe_dpi_pkg.sv imports them.

// The simulator defines these functions. Programs without a simulator load the library, too.
#pragma weak svGetArrElemPtr1
#pragma weak svLow
#pragma weak svSize
#include <svdpi.h>

#include <vector>

#include "tb/dpi/mxe_dpi.h"

namespace mxe::dpi {
namespace {

/// A copy of an array with one dimension. A simulator may store the elements in any way.
template <typename T>
class Elements {
 public:
  explicit Elements(svOpenArrayHandle array)
      : array_(array), values_(static_cast<std::size_t>(svSize(array, 1))) {
    for (std::size_t i = 0; i < size(); i++) values_[i] = element(i);
  }

  const T* data() const { return values_.data(); }
  T* data() { return values_.data(); }
  std::size_t size() const { return values_.size(); }
  /// Copies the values back.
  void store() {
    for (std::size_t i = 0; i < size(); i++) element(i) = values_[i];
  }

 private:
  T& element(std::size_t i) {
    return *static_cast<T*>(svGetArrElemPtr1(array_, svLow(array_, 1) + static_cast<int>(i)));
  }

  svOpenArrayHandle array_;
  std::vector<T> values_;
};

using Bytes = Elements<uint8_t>;
using Words = Elements<uint32_t>;

template <typename... Arrays>
const char* stored(const char* error, Arrays&... arrays) {
  (arrays.store(), ...);
  return error;
}

}  // namespace
}  // namespace mxe::dpi

using namespace mxe::dpi;

extern "C" {

const char* mxe_dpi_sv_quantize(const char* text, svOpenArrayHandle x, svOpenArrayHandle codes,
                                svOpenArrayHandle scales, uint32_t* tensor_scale) {
  const Words numbers(x);
  Bytes c(codes), s(scales);
  return stored(mxe_dpi_quantize(text, numbers.data(), numbers.size(), c.data(), c.size(), s.data(),
                                 s.size(), tensor_scale),
                c, s);
}

const char* mxe_dpi_sv_decode(const char* text, svOpenArrayHandle codes, svOpenArrayHandle scales,
                              svOpenArrayHandle values) {
  const Bytes c(codes), s(scales);
  Words v(values);
  return stored(mxe_dpi_decode(text, c.data(), c.size(), s.data(), s.size(), v.data(), v.size()),
                v);
}

const char* mxe_dpi_sv_pack(const char* text, svOpenArrayHandle codes, svOpenArrayHandle packed) {
  const Bytes c(codes);
  Bytes p(packed);
  return stored(mxe_dpi_pack(text, c.data(), c.size(), p.data(), p.size()), p);
}

const char* mxe_dpi_sv_unpack(const char* text, svOpenArrayHandle packed, svOpenArrayHandle codes) {
  const Bytes p(packed);
  Bytes c(codes);
  return stored(mxe_dpi_unpack(text, p.data(), p.size(), c.data(), c.size()), c);
}

const char* mxe_dpi_sv_step(const char* job, svOpenArrayHandle a, svOpenArrayHandle a_scales,
                            svOpenArrayHandle b, svOpenArrayHandle b_scales, uint32_t* acc,
                            svBitVecVal* sum, int* exponent, int* special) {
  const Bytes x(a), xs(a_scales), y(b), ys(b_scales);
  return mxe_dpi_step(job, x.data(), x.size(), xs.data(), xs.size(), y.data(), y.size(), ys.data(),
                      ys.size(), acc, sum, exponent, special);
}

const char* mxe_dpi_sv_gemm(const char* job, svOpenArrayHandle a, svOpenArrayHandle a_scales,
                            svOpenArrayHandle b, svOpenArrayHandle b_scales, svOpenArrayHandle c,
                            svOpenArrayHandle d, svOpenArrayHandle d_scales) {
  const Bytes x(a), xs(a_scales), y(b), ys(b_scales);
  const Words bias(c);
  Bytes out(d), scales(d_scales);
  return stored(mxe_dpi_gemm(job, x.data(), x.size(), xs.data(), xs.size(), y.data(), y.size(),
                             ys.data(), ys.size(), bias.data(), bias.size(), out.data(), out.size(),
                             scales.data(), scales.size()),
                out, scales);
}

const char* mxe_dpi_sv_epilogue(const char* job, svOpenArrayHandle sums, svOpenArrayHandle c,
                                svOpenArrayHandle d, svOpenArrayHandle d_scales) {
  const Words values(sums), bias(c);
  Bytes out(d), scales(d_scales);
  return stored(mxe_dpi_epilogue(job, values.data(), values.size(), bias.data(), bias.size(),
                                 out.data(), out.size(), scales.data(), scales.size()),
                out, scales);
}

const char* mxe_dpi_sv_requantize(const char* text, svOpenArrayHandle x, svOpenArrayHandle codes,
                                  svOpenArrayHandle scales, uint64_t* overflows) {
  const Words numbers(x);
  Bytes c(codes), s(scales);
  return stored(mxe_dpi_requantize(text, numbers.data(), numbers.size(), c.data(), c.size(),
                                   s.data(), s.size(), overflows),
                c, s);
}

const char* mxe_dpi_sv_descriptor(const char* job, uint32_t id, svOpenArrayHandle bytes) {
  Bytes b(bytes);
  return stored(mxe_dpi_descriptor(job, id, b.data(), b.size()), b);
}

const char* mxe_dpi_sv_image(const char* job, uint32_t id, svOpenArrayHandle a,
                             svOpenArrayHandle a_scales, svOpenArrayHandle b,
                             svOpenArrayHandle b_scales, svOpenArrayHandle c,
                             svOpenArrayHandle bytes) {
  const Bytes x(a), xs(a_scales), y(b), ys(b_scales);
  const Words bias(c);
  Bytes image(bytes);
  return stored(
      mxe_dpi_image(job, id, x.data(), x.size(), xs.data(), xs.size(), y.data(), y.size(),
                    ys.data(), ys.size(), bias.data(), bias.size(), image.data(), image.size()),
      image);
}

const char* mxe_dpi_sv_compare(const char* job, svOpenArrayHandle got, svOpenArrayHandle got_scales,
                               svOpenArrayHandle want, svOpenArrayHandle want_scales) {
  const Bytes x(got), xs(got_scales), y(want), ys(want_scales);
  return mxe_dpi_compare(job, x.data(), x.size(), xs.data(), xs.size(), y.data(), y.size(),
                         ys.data(), ys.size());
}

}  // extern "C"
