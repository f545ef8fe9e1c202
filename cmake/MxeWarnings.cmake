# SPDX-License-Identifier: Apache-2.0
# How our own code is compiled: warnings are errors, and the arithmetic is never contracted.
include_guard()
add_library(mxe_warnings INTERFACE)
target_compile_options(mxe_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                              -Wsign-conversion -Werror -ffp-contract=off)
