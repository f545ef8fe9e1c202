# SPDX-License-Identifier: Apache-2.0

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_STANDARD 17) # Debian's SystemC library is compiled for C++17 and refuses to link with another version.
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(MXE_BUILD_TESTS)
  enable_testing() # before the first add_subdirectory, because all folders may add tests
endif()
include(GNUInstallDirs) # installed programs find each other and their data by these paths
# As documented: build/mxe, build/mxe_bench.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

find_program(MXE_CCACHE ccache)
if(MXE_CCACHE)
  # With a base directory, ccache also finds results of other build trees.
  set(MXE_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${MXE_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${MXE_LAUNCHER})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${MXE_LAUNCHER})
endif()

find_package(PkgConfig REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)

include(MxeWarnings) # generated and third-party headers are SYSTEM, so they give no warnings

# The presets asan and coverage set these.
set(MXE_SANITIZE "" CACHE STRING "Sanitizers for all targets, as -fsanitize takes them")
option(MXE_COVERAGE "Count executed lines (gcov)" OFF)
if(MXE_SANITIZE)
  add_compile_options(-fsanitize=${MXE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${MXE_SANITIZE})
endif()
if(MXE_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
  find_program(MXE_GCOV gcov)
  add_custom_target(coverage-report COMMAND ${CMAKE_COMMAND} -D GCOV=${MXE_GCOV} -D ROOT=${PROJECT_SOURCE_DIR} -D
                                            BINARY=${PROJECT_BINARY_DIR} -P ${CMAKE_CURRENT_LIST_DIR}/coverage.cmake
                    VERBATIM)
endif()

include(${CMAKE_CURRENT_LIST_DIR}/MxeCompileTogether.cmake)

# For code whose compilation takes longer than its run: lowers optimisation below this directory.
macro(mxe_compile_quickly)
  add_compile_options($<$<CONFIG:Release>:-O1>)
endmacro()
