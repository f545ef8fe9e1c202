# SPDX-License-Identifier: Apache-2.0

# Compiles <files> files at a time as one (0: all). Saves time where headers take longer to compile than the code.
function(mxe_compile_together target files)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
endfunction()
