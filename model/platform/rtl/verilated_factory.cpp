// SPDX-License-Identifier: Apache-2.0
// Compiled once per Verilated library. MXE_CLASS is its class; MXE_FST is 1 if it can write waves.
#define MXE_STRING_(x) #x
#define MXE_STRING(x) MXE_STRING_(x)
#define MXE_JOIN_(a, b) a##b
#define MXE_JOIN(a, b) MXE_JOIN_(a, b)
#define MXE_HEADER_(x) MXE_STRING(x.h)
#define MXE_SYMBOLS_(x) MXE_STRING(MXE_JOIN(x, __Syms.h))

#include MXE_HEADER_(MXE_CLASS)
#include MXE_SYMBOLS_(MXE_CLASS)
#if MXE_FST
#include <verilated_fst_c.h>
#endif

#include "model/platform/rtl/verilated_top.h"

namespace mxe::rtl {

#if MXE_FST
using Waves = VerilatedFstC;
#else
using Waves = void;
#endif

std::unique_ptr<RtlTop> MXE_JOIN(make_, MXE_CLASS)(const Params& params, const std::string& waves);

std::unique_ptr<RtlTop> MXE_JOIN(make_, MXE_CLASS)(const Params& params, const std::string& waves) {
  return std::make_unique<VerilatedTop<MXE_CLASS, Waves>>(params, waves);
}

}  // namespace mxe::rtl
