# SPDX-License-Identifier: Apache-2.0
# Also for the Python package, which is a project of its own.

# mxe_compile_together(<target> <files>): that many files at a time, 0 for all, where headers and
# templates take longer than the code.
function(mxe_compile_together target files)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
endfunction()
