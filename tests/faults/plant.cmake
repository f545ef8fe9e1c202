# SPDX-License-Identifier: Apache-2.0
# Plants faults into a copy of RTL, C or C++ sources. One copy has all faults of the folder's faults.cmake; a number
# selects one at run time.
#
#   mxe_plant_faults(<directory> <variable for the list of sources> [PACKAGE <name>]
#                    [SOURCES <file>...])
#
# Writes the faults to <directory>/faults.json. PACKAGE: the SystemVerilog package that declares the function which
# returns the number (C and C++ declare it in each file). Default: MXE_RTL_SOURCES and mxe_pkg. Programs and libraries
# with faults link mxe_planted_fault.
#
# The copies are made at build time, so that a changed line with a fault stops only the targets with faults:
#
#   cmake -D DIRECTORY=<directory> -D FAULTS=<faults.cmake> -D PACKAGE=<name> -D "SOURCES=<file>|<file>..." -P plant.cmake
include_guard(GLOBAL)

if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
else()
  # The number is the value of the environment variable MXE_FAULT.
  add_library(mxe_planted_fault OBJECT ${CMAKE_CURRENT_LIST_DIR}/planted_fault.cpp)
  set_target_properties(mxe_planted_fault PROPERTIES POSITION_INDEPENDENT_CODE ON)
endif()

# Number, name, file, correct text (which occurs once), faulty text (ACTIVE is true if this fault is selected), and
# optionally `CASE <name>`, the directed case that must find it. `;` is written @SEMICOLON@.
function(mxe_fault number name file correct faulty)
  cmake_parse_arguments(PARSE_ARGV 5 ARG "" "CASE" "")
  if(number IN_LIST MXE_FAULTS)
    message(FATAL_ERROR "there are two faults ${number}")
  endif()
  set(MXE_FAULTS "${MXE_FAULTS};${number}" PARENT_SCOPE)
  set(MXE_FAULT_${number}_NAME "${name}" PARENT_SCOPE)
  set(MXE_FAULT_${number}_FILE "${file}" PARENT_SCOPE)
  set(MXE_FAULT_${number}_CORRECT "${correct}" PARENT_SCOPE)
  set(MXE_FAULT_${number}_FAULTY "${faulty}" PARENT_SCOPE)
  set(MXE_FAULT_${number}_CASE "${ARG_CASE}" PARENT_SCOPE)
endfunction()

function(mxe_list_faults file)
  set(list "[]")
  set(index 0)
  foreach(number IN LISTS MXE_FAULTS)
    if(number STREQUAL "")
      continue()
    endif()
    get_filename_component(module ${MXE_FAULT_${number}_FILE} NAME_WE)
    string(REPLACE "@SEMICOLON@" " " faulty "${MXE_FAULT_${number}_FAULTY}")
    string(REPLACE "\\" "\\\\" faulty "${faulty}")
    string(REPLACE "\"" "\\\"" faulty "${faulty}")
    string(REGEX REPLACE "[\n ]+" " " faulty "${faulty}")
    string(
      JSON
      list
      SET
      "${list}"
      ${index}
      "{\"number\": ${number}, \"name\": \"${MXE_FAULT_${number}_NAME}\", \"module\": \"${module}\", \"directed_case\": \"${MXE_FAULT_${number}_CASE}\", \"where\": \"${faulty}\"}"
    )
    math(EXPR index "${index} + 1")
  endforeach()
  file(CONFIGURE OUTPUT ${file} CONTENT "@list@\n" @ONLY)
endfunction()

# Copies a source with its faults.
function(mxe_plant_file source directory package)
  get_filename_component(name ${source} NAME)
  file(READ ${source} text)
  string(REPLACE ";" "@SEMICOLON@" text "${text}")
  if(name STREQUAL "${package}.sv")
    string(REPLACE "package ${package}@SEMICOLON@"
                   "package ${package}@SEMICOLON@\n  import \"DPI-C\" pure function int mxe_planted_fault()@SEMICOLON@"
                   text "${text}")
  endif()
  set(function "${package}::mxe_planted_fault")
  if(name MATCHES "\\.c(pp)?$")
    set(function mxe_planted_fault)
    string(PREPEND text "#ifdef __cplusplus\nextern \"C\"\n#endif\nint mxe_planted_fault(void)@SEMICOLON@\n")
  endif()
  foreach(number IN LISTS MXE_FAULTS)
    if(number STREQUAL "" OR NOT MXE_FAULT_${number}_FILE STREQUAL name)
      continue()
    endif()
    set(correct "${MXE_FAULT_${number}_CORRECT}")
    string(FIND "${text}" "${correct}" first)
    string(FIND "${text}" "${correct}" last REVERSE)
    if(first EQUAL -1 OR NOT first EQUAL last)
      message(FATAL_ERROR "fault ${number} of ${FAULTS}: '${correct}' must occur exactly once in ${source}; "
                          "change the fault with the line")
    endif()
    string(REPLACE ACTIVE "(${function}() == ${number})" faulty "${MXE_FAULT_${number}_FAULTY}")
    string(REPLACE "${correct}" "${faulty}" text "${text}")
  endforeach()
  string(REPLACE "@SEMICOLON@" ";" text "${text}")
  file(CONFIGURE OUTPUT ${directory}/${name} CONTENT "@text@" @ONLY)
endfunction()

function(mxe_plant_faults directory sources_variable)
  cmake_parse_arguments(ARG "" "PACKAGE" "SOURCES" ${ARGN})
  set(MXE_FAULTS "")
  include(${CMAKE_CURRENT_SOURCE_DIR}/faults.cmake)
  if(NOT ARG_SOURCES)
    set(ARG_SOURCES ${MXE_RTL_SOURCES})
    set(ARG_PACKAGE mxe_pkg)
  endif()
  set(copies "")
  set(names "")
  foreach(source IN LISTS ARG_SOURCES)
    get_filename_component(name ${source} NAME)
    list(APPEND names ${name})
    list(APPEND copies ${directory}/${name})
  endforeach()
  foreach(number IN LISTS MXE_FAULTS)
    if(NOT number STREQUAL "" AND NOT MXE_FAULT_${number}_FILE IN_LIST names)
      message(FATAL_ERROR "fault ${number}: there is no source ${MXE_FAULT_${number}_FILE}")
    endif()
  endforeach()
  list(JOIN ARG_SOURCES "|" joined)
  add_custom_command(
    OUTPUT ${copies}
    COMMAND
      ${CMAKE_COMMAND} -D MXE_BUILD_RTL=${MXE_BUILD_RTL} -D DIRECTORY=${directory} -D
      FAULTS=${CMAKE_CURRENT_SOURCE_DIR}/faults.cmake -D PACKAGE=${ARG_PACKAGE} -D "SOURCES=${joined}" -P
      ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    DEPENDS ${ARG_SOURCES} ${CMAKE_CURRENT_SOURCE_DIR}/faults.cmake ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    COMMENT "Faults: ${directory}"
    VERBATIM)
  mxe_list_faults(${directory}/faults.json)
  set(${sources_variable} ${copies} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  set(MXE_FAULTS "")
  include(${FAULTS})
  string(REPLACE "|" ";" sources "${SOURCES}")
  foreach(source IN LISTS sources)
    mxe_plant_file(${source} ${DIRECTORY} "${PACKAGE}")
  endforeach()
endif()
