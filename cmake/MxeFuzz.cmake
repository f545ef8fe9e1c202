# SPDX-License-Identifier: Apache-2.0
# Runs readers of files and protocols under libFuzzer for a few seconds each. MXE_FUZZ is true if clang and its runtime
# (libclang-rt-dev) are installed; another compiler may build the rest.
find_program(MXE_CLANGXX NAMES clang++ clang++-14 clang++-15 clang++-16 clang++-17 clang++-18 clang++-19)
set(MXE_FUZZ_FLAGS -std=c++17 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
set(MXE_FUZZ FALSE)
if(MXE_CLANGXX)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/fuzz/probe.cpp
       "extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }\n")
  execute_process(COMMAND ${MXE_CLANGXX} ${MXE_FUZZ_FLAGS} probe.cpp -o probe
                  WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fuzz RESULT_VARIABLE probe OUTPUT_QUIET ERROR_QUIET)
  if(probe EQUAL 0)
    set(MXE_FUZZ TRUE)
  else()
    message(STATUS "${MXE_CLANGXX} has no fuzzer runtime: the readers of files are not fuzzed")
  endif()
else()
  message(STATUS "No clang++: the readers of files are not fuzzed")
endif()
find_program(MXE_CCACHE ccache)
if(NOT MXE_CCACHE)
  set(MXE_CCACHE "")
endif()

# mxe_instrumented(<variable> <source>): an instrumented object file, shared by the fuzzers of a folder.
function(mxe_instrumented variable source)
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
  string(REPLACE / . name ${name})
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
  set(${variable} ${object} PARENT_SCOPE)
  get_property(known GLOBAL PROPERTY MXE_INSTRUMENTED)
  if(object IN_LIST known)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY MXE_INSTRUMENTED ${object})
  add_custom_command(OUTPUT ${object} COMMAND ${MXE_CCACHE} ${MXE_CLANGXX} ${MXE_FUZZ_FLAGS} -I${PROJECT_SOURCE_DIR}
                                              ${MXE_FUZZ_INCLUDES} -MD -MF ${object}.d -c ${source} -o ${object}
                     DEPENDS ${source} DEPFILE ${object}.d COMMENT "Building ${name} for fuzzers" VERBATIM)
endfunction()

# Builds <name> from <name>.cpp and SOURCES (paths from the project's root) and adds a test with <label> that runs it
# for <seconds>. LIBRARIES: targets, which are not instrumented, or -l options.
function(mxe_add_fuzzer name seconds label)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  set(objects "")
  mxe_instrumented(object ${CMAKE_CURRENT_SOURCE_DIR}/${name}.cpp)
  list(APPEND objects ${object})
  foreach(source ${ARG_SOURCES})
    mxe_instrumented(object ${PROJECT_SOURCE_DIR}/${source})
    list(APPEND objects ${object})
  endforeach()
  set(libraries "")
  set(targets "")
  foreach(library ${ARG_LIBRARIES})
    if(TARGET ${library})
      list(APPEND libraries $<TARGET_FILE:${library}>)
      list(APPEND targets ${library})
    else()
      list(APPEND libraries ${library})
    endif()
  endforeach()
  add_custom_command(OUTPUT ${name} COMMAND ${MXE_CLANGXX} ${MXE_FUZZ_FLAGS} ${objects} ${libraries} -lfmt -o ${name}
                     DEPENDS ${objects} ${targets} COMMENT "Linking ${name}" VERBATIM)
  add_custom_target(${name}_build ALL DEPENDS ${name})
  string(REPLACE fuzz_ corpus_ corpus ${name})
  # libFuzzer writes new inputs to the build tree; the source tree's corpus is only read.
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${corpus})
  add_test(
    NAME ${name}
    COMMAND ${CMAKE_CURRENT_BINARY_DIR}/${name} -max_total_time=${seconds} -timeout=10 -max_len=4096 -rss_limit_mb=1024
            -verbosity=0 ${CMAKE_CURRENT_BINARY_DIR}/${corpus} ${CMAKE_CURRENT_SOURCE_DIR}/${corpus})
  set_tests_properties(${name} PROPERTIES LABELS "${label};fuzz")
endfunction()
