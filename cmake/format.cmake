# SPDX-License-Identifier: Apache-2.0
# Formats all C and C++ sources below ROOT (MODE=fix) or fails if one is not formatted (MODE=check).
# Generated headers say themselves that they are not to be formatted.
set(patterns "")
foreach(directory model sw tb tests)
  foreach(extension h c cpp)
    list(APPEND patterns ${ROOT}/${directory}/*.${extension})
  endforeach()
endforeach()
file(GLOB_RECURSE sources ${patterns})

if(MODE STREQUAL "fix")
  set(options -i)
else()
  set(options --dry-run -Werror)
endif()
execute_process(COMMAND ${CLANG_FORMAT} --style=file ${options} ${sources} RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "not formatted: run cmake --build build --target format")
endif()
