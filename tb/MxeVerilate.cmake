# mxe_verilate(<target> CLASS <name> CONFIG small|base|large [PARAMETERS <NAME=VALUE>...] [FST]
#              [BIG] [DEFINES <macro>...] [SOURCES <file>...] [STATES <file>] [ELABORATED])
#
# A static library with the RTL as Verilator compiles it for one configuration, and the factory
#   std::unique_ptr<mxe::RtlTop> mxe::make_<CLASS>(const Params&, const std::string& waves);
# PARAMETERS override those of the named configuration. SOURCES replaces the project's RTL, packages
# first (default: all of rtl/). FST compiles waveforms in, optimised for build time because it only
# serves reruns. BIG is for designs that compile slowly: optimised less. DEFINES are Verilog macros.
# STATES tells which signals the simulation shows (default: rtl/mxe_states.vlt). ELABORATED says that
# SOURCES have no parameters any more: they are of configuration CONFIG.
include_guard()
find_package(verilator REQUIRED HINTS $ENV{VERILATOR_ROOT})

# The parameters in which a configuration differs from the defaults of mxe_top, which are `base`.
set(MXE_RTL_PARAMETERS_base "")
set(MXE_RTL_PARAMETERS_small NUM_PE=4 ROWS=8 ACC_TILES=2 A_SLAB_K=128 B_BUF_K=64 MEM_W=128)
set(MXE_RTL_PARAMETERS_large NUM_PE=32 ROWS=64 MEM_W=512)
set(MXE_TB_DIR ${CMAKE_CURRENT_LIST_DIR})
set(MXE_RTL_DIR ${CMAKE_CURRENT_LIST_DIR}/../rtl)

function(mxe_verilate target)
  cmake_parse_arguments(ARG "FST;BIG;ELABORATED" "CLASS;CONFIG;STATES" "PARAMETERS;DEFINES;SOURCES" ${ARGN})
  if(NOT DEFINED MXE_RTL_PARAMETERS_${ARG_CONFIG})
    message(FATAL_ERROR "mxe_verilate: no configuration '${ARG_CONFIG}'")
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
  if(ARG_ELABORATED)
    set(parameters "")
  endif()
  if(NOT ARG_STATES)
    set(ARG_STATES ${MXE_RTL_DIR}/mxe_states.vlt)
  endif()

  add_library(${target} STATIC ${MXE_TB_DIR}/verilated_factory.cpp)
  set(trace "")
  set(optimise OPT_FAST -O3 OPT_SLOW -O1)
  if(ARG_BIG)
    set(optimise OPT_FAST -O1 OPT_SLOW -O0)
  endif()
  if(ARG_FST)
    set(trace TRACE_FST)
    set(optimise OPT_FAST -O1 OPT_SLOW -O0)
  endif()
  verilate(${target} PREFIX ${ARG_CLASS} TOP_MODULE mxe_top SOURCES ${ARG_STATES} ${ARG_SOURCES}
           ${trace} ${optimise}
           INCLUDE_DIRS ${MXE_RTL_DIR}
           VERILATOR_ARGS -O3 --x-assign fast --x-initial fast --assert -Wno-fatal
                          -Werror-USERERROR
                          --output-split 20000 ${parameters} ${ARG_DEFINES})
  target_compile_definitions(${target} PRIVATE MXE_CLASS=${ARG_CLASS} MXE_FST=$<BOOL:${ARG_FST}>)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE mxe_params)
  # Nothing outside sees Verilator's headers.
  set_property(TARGET ${target} PROPERTY INTERFACE_INCLUDE_DIRECTORIES "")
endfunction()
