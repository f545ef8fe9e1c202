# SPDX-License-Identifier: Apache-2.0

# Compiles a target's files in groups of <files> (0: all), each as one: saves time if headers take longer than the code.
function(mxe_compile_together target files)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
endfunction()
