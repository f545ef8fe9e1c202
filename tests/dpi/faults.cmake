# SPDX-License-Identifier: Apache-2.0
# Wrong lines of the reference, which each bench must find. ACTIVE is true if this fault is selected.
# cmake-format: off
mxe_fault(1 truncated_sums accumulate.cpp "if (rest > half ||" "if ((rest > half && !ACTIVE) ||")
mxe_fault(2 no_bias gemm.cpp "return fast_sums(a, prepared, bias, options)@SEMICOLON@"
          "return fast_sums(a, prepared, ACTIVE ? nullptr : bias, options)@SEMICOLON@")
mxe_fault(3 elements_times_two requantize.cpp "pow2(kScaleBias - scale)" "pow2(kScaleBias - scale + (ACTIVE ? 1 : 0))")
# cmake-format: on
