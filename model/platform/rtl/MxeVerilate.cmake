# SPDX-License-Identifier: Apache-2.0
# mxe_engine(<target> TOP <module> DESCRIPTION <file> SOURCES <file>... [STATES <file>]
#            [PARAMETERS <NAME=VALUE>...] [DEFINES <macro>...] [COVERAGE] [NO_WAVES])
#
# Builds an engine of your own as the shared library lib<target>.so (`mxe cosim --rtl`, Python); see
# docs/bring-your-own-rtl.md. Needs only Verilator, zlib, and the checkout or an installed MXE (this
# file is in share/mxe). SOURCES may contain ${MXE_REGISTER_SOURCES}, the register file of MXE. COVERAGE
# counts lines and excludes waves; NO_WAVES excludes waves and halves the compile time.
#
# mxe_verilated_class(<target> CLASS <name> [CONFIG small|base|large] [PARAMETERS <NAME=VALUE>...]
#                     [FST] [BRIEF] [COVERAGE] [HIDDEN] [DEFINES <macro>...] [TOP <module>]
#                     [SOURCES <file>...] [STATES <file>] [OPTIONS <option>...])
#
# Compiles the RTL with Verilator into the C++ class <CLASS> with the header <CLASS>.h. Verilator runs
# at build time, not at configure time.
#   PARAMETERS    override those of the named configuration
#   TOP, SOURCES  replace mxe_top and the project's RTL (rtl/mxe.f); list packages first
#   FST           adds waveforms
#   BRIEF         optimises less, for short simulations: compile time x 0.8, run time x 1.2
#   COVERAGE      counts how often lines run (RtlTop::write_line_coverage)
#   HIDDEN        hides all symbols outside the library that links the class
#   DEFINES       Verilog macros
#   STATES        a .vlt file, such as of visible signals (default for mxe_top: mxe_states.vlt and mxe_clocks.vlt)
#   OPTIONS       further Verilator options
#
# mxe_verilate(<target> <arguments of mxe_verilated_class>...)
#
# Builds a static library with that class and the factory
#   std::unique_ptr<mxe::rtl::RtlTop> mxe::rtl::make_<CLASS>(const Params&, const std::string& waves);
#
# mxe_rtl_plugin(<name> CLASS <name> [FST] <arguments of mxe_verilate>...)
#
# Builds the same as a library that a program loads on demand: <build>/rtl/<name>.so.
include_guard()
find_package(verilator REQUIRED HINTS $ENV{VERILATOR_ROOT})
find_program(MXE_CCACHE ccache)
if(NOT MXE_CCACHE)
  set(MXE_CCACHE "")
endif()
# clang compiles Verilator's long functions up to 4 times as fast as GCC; they run up to 1.7 times as fast.
find_program(MXE_VERILATED_CXX NAMES clang++-14 clang++ DOC "Compiler of the C++ that Verilator writes")
if(NOT MXE_VERILATED_CXX)
  set(MXE_VERILATED_CXX ${CMAKE_CXX_COMPILER})
endif()
# Every file includes up to 7 MB of headers, so few large files compile fastest.
set(MXE_VERILATED_SPLIT 60000)

include(${CMAKE_CURRENT_LIST_DIR}/MxeEngineInterface.cmake)
set(MXE_RTL_DIR ${MXE_ROOT_DIR}/rtl)
include(${MXE_RTL_DIR}/sources.cmake)
set(MXE_REGISTER_SOURCES ${MXE_ROOT_DIR}/rtl/mxe_reg_pkg.sv ${MXE_ROOT_DIR}/rtl/mxe_regs.sv)

# mxe_verilated_runtime(<target> <file of Verilator>...): run-time code, compiled once for all designs.
function(mxe_verilated_runtime target)
  list(TRANSFORM ARGN PREPEND ${VERILATOR_ROOT}/include/ OUTPUT_VARIABLE sources)
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${sources})
  target_include_directories(${target} SYSTEM PUBLIC ${VERILATOR_ROOT}/include ${VERILATOR_ROOT}/include/vltstd)
  target_compile_features(${target} PRIVATE cxx_std_17)
  target_compile_options(${target} PRIVATE -O2)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                             VISIBILITY_INLINES_HIDDEN ON)
endfunction()

function(mxe_verilated_runtimes)
  if(TARGET mxe_verilated_runtime)
    return()
  endif()
  find_package(Threads REQUIRED)
  find_package(ZLIB REQUIRED)
  mxe_verilated_runtime(mxe_verilated_runtime verilated.cpp verilated_threads.cpp)
  target_link_libraries(mxe_verilated_runtime PUBLIC Threads::Threads)
  mxe_verilated_runtime(mxe_verilated_fst)
  target_sources(mxe_verilated_fst PRIVATE ${MXE_RTL_HOST_DIR}/fst_writer.cpp) # replaces verilated_fst_c.cpp
  target_include_directories(mxe_verilated_fst PRIVATE ${MXE_INCLUDE_DIR} ${MXE_ROOT_DIR})
  target_link_libraries(mxe_verilated_fst PUBLIC mxe_verilated_runtime ZLIB::ZLIB)
  mxe_verilated_runtime(mxe_verilated_coverage verilated_cov.cpp)
  target_link_libraries(mxe_verilated_coverage PUBLIC mxe_verilated_runtime)
endfunction()

function(mxe_verilated_class target)
  cmake_parse_arguments(ARG "FST;BRIEF;COVERAGE;HIDDEN" "CLASS;CONFIG;TOP;STATES" "PARAMETERS;DEFINES;SOURCES;OPTIONS"
                        ${ARGN})
  if(ARG_CONFIG AND NOT DEFINED MXE_RTL_PARAMETERS_${ARG_CONFIG})
    message(FATAL_ERROR "mxe_verilated_class: no configuration '${ARG_CONFIG}'")
  endif()
  if(NOT ARG_TOP)
    set(ARG_TOP mxe_top)
  endif()
  if(NOT ARG_SOURCES)
    set(ARG_SOURCES ${MXE_RTL_SOURCES})
  endif()
  list(TRANSFORM ARG_DEFINES PREPEND -D)
  set(parameters ${MXE_RTL_PARAMETERS_${ARG_CONFIG}})
  foreach(override ${ARG_PARAMETERS})
    string(REGEX REPLACE "=.*" "" name ${override})
    list(FILTER parameters EXCLUDE REGEX "^${name}=")
    list(APPEND parameters ${override})
  endforeach()
  # Inlining less in arrays of many PEs: compile time x 0.8, same run time.
  set(inlining "")
  if("${parameters}" MATCHES "NUM_PE=([0-9]+)" AND CMAKE_MATCH_1 GREATER_EQUAL 32)
    set(inlining --inline-mult 1)
  endif()
  list(TRANSFORM parameters PREPEND -G)
  if(NOT ARG_STATES AND ARG_TOP STREQUAL mxe_top)
    set(ARG_STATES ${MXE_RTL_DIR}/mxe_states.vlt ${MXE_RTL_DIR}/mxe_clocks.vlt)
  endif()
  list(TRANSFORM ARG_STATES REPLACE "^([^/].*)" "${CMAKE_CURRENT_SOURCE_DIR}/\\1")
  list(TRANSFORM ARG_SOURCES REPLACE "^([^/].*)" "${CMAKE_CURRENT_SOURCE_DIR}/\\1")
  set(folders "")
  set(headers ${MXE_RTL_HEADERS})
  foreach(source IN LISTS ARG_SOURCES)
    get_filename_component(folder ${source} DIRECTORY)
    if(NOT folder IN_LIST folders AND NOT folder STREQUAL MXE_RTL_DIR)
      list(APPEND folders ${folder})
      file(GLOB more CONFIGURE_DEPENDS ${folder}/*.svh ${folder}/*.vh)
      list(APPEND headers ${more})
    endif()
  endforeach()
  list(APPEND folders ${MXE_RTL_DIR})
  list(TRANSFORM folders PREPEND -I OUTPUT_VARIABLE includes)

  # Code that runs once (OPT_SLOW) is most of the text and not worth optimising.
  set(fast -O2)
  if(ARG_BRIEF)
    set(fast -O1)
  endif()
  set(arguments -O3 --x-assign fast --x-initial fast --assert -Wno-fatal -Werror-USERERROR --output-split
                ${MXE_VERILATED_SPLIT} ${inlining})
  set(definitions VERILATOR=1 VM_COVERAGE=$<BOOL:${ARG_COVERAGE}> VM_SC=0 VM_TRACE=$<BOOL:${ARG_FST}>
                  VM_TRACE_FST=$<BOOL:${ARG_FST}> VM_TRACE_VCD=0)
  if(ARG_FST)
    list(APPEND arguments --trace-fst)
    # The trace code is larger than the design; -O1 halves its compile time at the same run time.
    set(fast "$(if $(findstring __Trace__,$<),-O1,${fast})")
  endif()
  if(ARG_COVERAGE)
    # Verilator 5.006 counts the parts of split always blocks wrongly.
    list(APPEND arguments --coverage-line -fno-split -fno-reorder)
  endif()
  list(APPEND arguments ${ARG_OPTIONS})
  set(flags "-std=c++17 -fPIC")
  if(ARG_HIDDEN)
    string(APPEND flags " -fvisibility=hidden -fvisibility-inlines-hidden")
  endif()

  set(directory ${CMAKE_CURRENT_BINARY_DIR}/${target}.verilated)
  set(archive ${directory}/${ARG_CLASS}__ALL.a)
  set(read ${ARG_SOURCES} ${headers} ${ARG_STATES})
  list(JOIN read "|" joined)
  list(JOIN parameters " " settings)
  list(JOIN ARG_DEFINES " " defines)
  set(record ${CMAKE_COMMAND} -D FOLDER=${directory}/sources "-D SOURCES=${joined}"
             "-D SETTINGS=${ARG_TOP} ${settings} ${defines}")
  add_custom_command(
    OUTPUT ${archive} ${directory}/${ARG_CLASS}.h ${directory}/sources/digest.inc
    COMMAND ${record} -P ${MXE_RTL_HOST_DIR}/record_sources.cmake
    COMMAND
      ${CMAKE_COMMAND} -E env OBJCACHE=${MXE_CCACHE} CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      ${VERILATOR_BIN} --cc --build -j 2 ${arguments} -CFLAGS ${flags} -MAKEFLAGS
      "-s CXX=${MXE_VERILATED_CXX} OPT_FAST='${fast}' OPT_SLOW=-O0" --Mdir ${directory} --prefix ${ARG_CLASS}
      --top-module ${ARG_TOP} --relative-includes ${includes} ${parameters} ${ARG_DEFINES} ${ARG_STATES} ${ARG_SOURCES}
    COMMAND ${record} -D CHECK=1 -P ${MXE_RTL_HOST_DIR}/record_sources.cmake
    DEPENDS ${read} ${MXE_RTL_HOST_DIR}/record_sources.cmake
    COMMENT "Verilator: ${ARG_CLASS}"
    VERBATIM)
  add_custom_target(${target}_verilated DEPENDS ${archive})

  mxe_verilated_runtimes()
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${target}_verilated)
  target_compile_definitions(${target} INTERFACE ${definitions})
  target_include_directories(${target} SYSTEM INTERFACE ${directory})
  target_link_libraries(${target} INTERFACE ${archive} $<$<BOOL:${ARG_FST}>:mxe_verilated_fst>
                                            $<$<BOOL:${ARG_COVERAGE}>:mxe_verilated_coverage> mxe_verilated_runtime)
endfunction()

function(mxe_verilate target)
  cmake_parse_arguments(ARG "FST;HIDDEN" "CLASS" "" ${ARGN})
  mxe_verilated_class(${target}_class ${ARGN})
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${MXE_RTL_HOST_DIR}/verilated_factory.cpp)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_definitions(${target} PRIVATE MXE_CLASS=${ARG_CLASS} MXE_FST=$<BOOL:${ARG_FST}>)
  target_compile_features(${target} PRIVATE cxx_std_17)
  target_include_directories(${target} PRIVATE ${MXE_INCLUDE_DIR} ${MXE_ROOT_DIR})
  target_link_libraries(${target} PRIVATE ${target}_class)
  if(ARG_HIDDEN)
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  endif()
endfunction()

# Embeds the sources' digest into the plugin and copies the sources next to its library.
function(mxe_plugin_sources plugin class)
  set(sources ${CMAKE_CURRENT_BINARY_DIR}/${class}.verilated/sources)
  add_dependencies(${plugin} ${class}_verilated)
  target_compile_definitions(${plugin} PRIVATE MXE_SOURCES="${sources}/digest.inc")
  add_custom_command(TARGET ${plugin} POST_BUILD COMMAND ${CMAKE_COMMAND} -E rm -rf $<TARGET_FILE:${plugin}>.sources
                     COMMAND ${CMAKE_COMMAND} -E copy_directory ${sources} $<TARGET_FILE:${plugin}>.sources VERBATIM)
endfunction()

function(mxe_rtl_plugin name)
  cmake_parse_arguments(ARG "FST" "CLASS" "" ${ARGN})
  mxe_verilate(${name}_static ${ARGN} HIDDEN)
  add_library(${name} MODULE ${MXE_RTL_HOST_DIR}/engine_plugin.cpp)
  set_target_properties(${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/rtl
                                           CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(${name} PRIVATE ${name}_static)
  target_compile_definitions(
    ${name} PRIVATE MXE_CLASS=${ARG_CLASS} MXE_TOP="mxe_top" MXE_DESCRIPTION="model/platform/rtl/no_description.inc"
                    MXE_ENGINE_INTERFACE="${MXE_ENGINE_INTERFACE}")
  mxe_plugin_sources(${name} ${name}_static_class)
  if(ARG_FST)
    target_compile_definitions(${name} PRIVATE MXE_CLASS_FST=${ARG_CLASS})
  endif()
  target_include_directories(${name} PRIVATE ${MXE_INCLUDE_DIR} ${MXE_ROOT_DIR})
  target_compile_features(${name} PRIVATE cxx_std_17)
endfunction()

function(mxe_engine target)
  cmake_parse_arguments(ARG "COVERAGE;NO_WAVES" "TOP;DESCRIPTION;STATES" "PARAMETERS;DEFINES;SOURCES" ${ARGN})
  foreach(needed TOP DESCRIPTION SOURCES)
    if(NOT ARG_${needed})
      message(FATAL_ERROR "mxe_engine: ${needed} is missing")
    endif()
  endforeach()
  add_library(${target} MODULE ${MXE_RTL_HOST_DIR}/engine_plugin.cpp)
  set(all_waves "none;_fst")
  set(coverage "")
  if(ARG_COVERAGE OR ARG_NO_WAVES)
    set(all_waves none)
  endif()
  if(ARG_COVERAGE)
    set(coverage COVERAGE)
  endif()
  foreach(waves IN LISTS all_waves)
    string(REPLACE none "" waves "${waves}")
    string(TOUPPER "${waves}" suffix)
    string(REPLACE _ "" fst "${suffix}")
    mxe_verilate(
      ${target}_rtl${waves}
      CLASS
      V${target}${waves}
      TOP
      ${ARG_TOP}
      ${fst}
      ${coverage}
      PARAMETERS
      ${ARG_PARAMETERS}
      DEFINES
      ${ARG_DEFINES}
      SOURCES
      ${ARG_SOURCES}
      STATES
      ${ARG_STATES}
      HIDDEN)
    target_link_libraries(${target} PRIVATE ${target}_rtl${waves})
    target_compile_definitions(${target} PRIVATE MXE_CLASS${suffix}=V${target}${waves})
  endforeach()
  mxe_plugin_sources(${target} ${target}_rtl_class)
  # Classes of other Verilated models in the loading program have the same names, so only the entry point is visible.
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)

  set(text ${CMAKE_CURRENT_BINARY_DIR}/${target}_description.inc)
  file(READ ${ARG_DESCRIPTION} description)
  file(CONFIGURE OUTPUT ${text} CONTENT "R\"mxe(@description@)mxe\"" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARG_DESCRIPTION})
  target_compile_definitions(${target} PRIVATE MXE_DESCRIPTION="${text}" MXE_TOP="${ARG_TOP}"
                                               MXE_ENGINE_INTERFACE="${MXE_ENGINE_INTERFACE}")
  target_include_directories(${target} PRIVATE ${MXE_INCLUDE_DIR} ${MXE_ROOT_DIR})
  target_compile_features(${target} PRIVATE cxx_std_17)
endfunction()
