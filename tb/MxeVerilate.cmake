# mxe_engine(<target> TOP <module> DESCRIPTION <file> SOURCES <file>... [STATES <file>]
#            [PARAMETERS <NAME=VALUE>...] [DEFINES <macro>...] [COVERAGE])
#
# An engine of your own as a shared library lib<target>.so for `mxe cosim --rtl`; see
# docs/bring-your-own-rtl.md. Needs this checkout and Verilator, no other part of MXE: include this
# file. SOURCES may contain ${MXE_REGISTER_SOURCES}, the register file of MXE. With COVERAGE it counts
# lines, as below, and has no waves.
#
# mxe_verilate(<target> CLASS <name> [CONFIG small|base|large] [PARAMETERS <NAME=VALUE>...] [FST]
#              [BIG] [COVERAGE] [DEFINES <macro>...] [TOP <module>] [SOURCES <file>...] [STATES <file>])
#
# A static library with the RTL as Verilator compiles it for one configuration, and the factory
#   std::unique_ptr<mxe::RtlTop> mxe::make_<CLASS>(const Params&, const std::string& waves);
# PARAMETERS override those of the named configuration. TOP and SOURCES, packages first, replace
# mxe_top and the project's RTL (default: all of rtl/). FST compiles waveforms in, optimised for
# build time because it only serves reruns. BIG is for designs that compile slowly: optimised less.
# COVERAGE counts how often lines run (RtlTop::write_line_coverage). DEFINES are Verilog macros.
# STATES tells which signals the simulation shows (default for mxe_top: rtl/mxe_states.vlt).
include_guard()
find_package(verilator REQUIRED HINTS $ENV{VERILATOR_ROOT})

# MXE_RTL_PARAMETERS_<name of a configuration>
include(${CMAKE_CURRENT_LIST_DIR}/../sw/regs/generated/mxe_parameters.cmake)
set(MXE_TB_DIR ${CMAKE_CURRENT_LIST_DIR})
set(MXE_RTL_DIR ${CMAKE_CURRENT_LIST_DIR}/../rtl)
get_filename_component(MXE_ROOT_DIR ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(MXE_REGISTER_SOURCES ${MXE_ROOT_DIR}/rtl/mxe_reg_pkg.sv ${MXE_ROOT_DIR}/rtl/mxe_regs.sv)

# What an engine in a library and the program that loads it have in common (engine_plugin.h).
set(_headers tb/rtl/engine_plugin.h tb/rtl/rtl_signal.h tb/rtl/rtl_top.h model/params/params.h
             sw/regs/generated/mxe_parameters.h)
list(TRANSFORM _headers PREPEND ${MXE_ROOT_DIR}/)
set(_digests "")
foreach(_header IN LISTS _headers)
  file(SHA256 ${_header} _digest)
  string(APPEND _digests ${_digest})
endforeach()
string(SHA256 MXE_ENGINE_INTERFACE "${_digests}")
string(SUBSTRING ${MXE_ENGINE_INTERFACE} 0 12 MXE_ENGINE_INTERFACE)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_headers})

function(mxe_verilate target)
  cmake_parse_arguments(ARG "FST;BIG;COVERAGE" "CLASS;CONFIG;TOP;STATES"
                        "PARAMETERS;DEFINES;SOURCES" ${ARGN})
  if(ARG_CONFIG AND NOT DEFINED MXE_RTL_PARAMETERS_${ARG_CONFIG})
    message(FATAL_ERROR "mxe_verilate: no configuration '${ARG_CONFIG}'")
  endif()
  if(NOT ARG_TOP)
    set(ARG_TOP mxe_top)
  endif()
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS ${MXE_RTL_DIR}/*.sv)
    list(FILTER ARG_SOURCES EXCLUDE REGEX "_pkg\\.sv$")
    list(PREPEND ARG_SOURCES ${MXE_RTL_DIR}/mxe_pkg.sv ${MXE_RTL_DIR}/mxe_reg_pkg.sv)
  endif()
  list(TRANSFORM ARG_DEFINES PREPEND -D)
  set(parameters ${MXE_RTL_PARAMETERS_${ARG_CONFIG}})
  foreach(override ${ARG_PARAMETERS})
    string(REGEX REPLACE "=.*" "" name ${override})
    list(FILTER parameters EXCLUDE REGEX "^${name}=")
    list(APPEND parameters ${override})
  endforeach()
  list(TRANSFORM parameters PREPEND -G)
  if(NOT ARG_STATES AND ARG_TOP STREQUAL mxe_top)
    set(ARG_STATES ${MXE_RTL_DIR}/mxe_states.vlt)
  endif()

  add_library(${target} STATIC ${MXE_TB_DIR}/rtl/verilated_factory.cpp)
  set(trace "")
  set(optimise OPT_FAST -O3 OPT_SLOW -O1)
  if(ARG_BIG)
    set(optimise OPT_FAST -O1 OPT_SLOW -O0)
  endif()
  if(ARG_FST)
    set(trace TRACE_FST)
    set(optimise OPT_FAST -O1 OPT_SLOW -O0)
  endif()
  set(coverage "")
  if(ARG_COVERAGE)
    # Verilator 5.006 takes always blocks apart and then counts the parts wrongly.
    set(coverage --coverage-line -fno-split -fno-reorder)
  endif()
  verilate(${target} PREFIX ${ARG_CLASS} TOP_MODULE ${ARG_TOP} SOURCES ${ARG_STATES} ${ARG_SOURCES}
           ${trace} ${optimise}
           INCLUDE_DIRS ${MXE_RTL_DIR}
           VERILATOR_ARGS -O3 --x-assign fast --x-initial fast --assert -Wno-fatal
                          -Werror-USERERROR
                          --output-split 20000 ${coverage} ${parameters} ${ARG_DEFINES})
  target_compile_definitions(${target} PRIVATE MXE_CLASS=${ARG_CLASS} MXE_FST=$<BOOL:${ARG_FST}>)
  target_include_directories(${target} PRIVATE ${MXE_ROOT_DIR})
  if(TARGET mxe_params)
    target_link_libraries(${target} PRIVATE mxe_params)
  else()  # an engine of somebody else's project
    target_compile_features(${target} PRIVATE cxx_std_17)
  endif()
  # Nothing outside sees Verilator's headers.
  set_property(TARGET ${target} PROPERTY INTERFACE_INCLUDE_DIRECTORIES "")
endfunction()

function(mxe_engine target)
  cmake_parse_arguments(ARG "COVERAGE" "TOP;DESCRIPTION;STATES" "PARAMETERS;DEFINES;SOURCES" ${ARGN})
  foreach(needed TOP DESCRIPTION SOURCES)
    if(NOT ARG_${needed})
      message(FATAL_ERROR "mxe_engine: ${needed} is missing")
    endif()
  endforeach()
  add_library(${target} MODULE ${MXE_TB_DIR}/rtl/engine_plugin.cpp)
  set(all_waves "none;_fst")
  set(coverage "")
  if(ARG_COVERAGE)
    set(all_waves none)
    set(coverage COVERAGE)
  endif()
  foreach(waves IN LISTS all_waves)
    string(REPLACE none "" waves "${waves}")
    string(TOUPPER "${waves}" suffix)
    string(REPLACE _ "" fst "${suffix}")
    mxe_verilate(${target}_rtl${waves} CLASS V${target}${waves} TOP ${ARG_TOP} ${fst} ${coverage}
                 PARAMETERS ${ARG_PARAMETERS} DEFINES ${ARG_DEFINES} SOURCES ${ARG_SOURCES}
                 STATES ${ARG_STATES})
    target_link_libraries(${target} PRIVATE ${target}_rtl${waves})
    target_compile_definitions(${target} PRIVATE MXE_CLASS${suffix}=V${target}${waves})
    list(APPEND libraries ${target}_rtl${waves})
  endforeach()
  # The program that loads it has the same classes from other Verilated models: nothing but the one
  # symbol may be seen from outside.
  set_target_properties(${target} ${libraries} PROPERTIES
                        POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                        VISIBILITY_INLINES_HIDDEN ON)
  if(NOT CMAKE_BUILD_TYPE)
    target_compile_options(${target}_rtl PRIVATE -O2)
  endif()

  set(text ${CMAKE_CURRENT_BINARY_DIR}/${target}_description.inc)
  file(READ ${ARG_DESCRIPTION} description)
  file(CONFIGURE OUTPUT ${text} CONTENT "R\"mxe(@description@)mxe\"" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARG_DESCRIPTION})
  target_compile_definitions(${target} PRIVATE MXE_DESCRIPTION="${text}" MXE_TOP="${ARG_TOP}"
                                               MXE_ENGINE_INTERFACE="${MXE_ENGINE_INTERFACE}")
  target_include_directories(${target} PRIVATE ${MXE_ROOT_DIR})
  target_compile_features(${target} PRIVATE cxx_std_17)
endfunction()
