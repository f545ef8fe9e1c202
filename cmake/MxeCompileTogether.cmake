# SPDX-License-Identifier: Apache-2.0

# mxe_compile_together(<target> <files>): compiles <files> files at a time, 0 for all, as one. Saves time where headers
# and templates take longer than the code. Also used by the Python package, a separate project.
function(mxe_compile_together target files)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
endfunction()
