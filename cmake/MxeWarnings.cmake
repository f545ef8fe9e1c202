# SPDX-License-Identifier: Apache-2.0
# Compiler options of the project's own code: warnings are errors; no contraction of floating-point operations.
include_guard()
add_library(mxe_warnings INTERFACE)
target_compile_options(mxe_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror
                                              -ffp-contract=off)
