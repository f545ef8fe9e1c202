# SPDX-License-Identifier: Apache-2.0
# What programs that load engines and the engines agree on. Needs no Verilator: a program that only
# loads designs is compiled without it.
include_guard()

# MXE_RTL_PARAMETERS_<name of a configuration>
include(${CMAKE_CURRENT_LIST_DIR}/../sw/regs/generated/mxe_parameters.cmake)
set(MXE_TB_DIR ${CMAKE_CURRENT_LIST_DIR})
get_filename_component(MXE_ROOT_DIR ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(MXE_INCLUDE_DIR ${MXE_ROOT_DIR})
if(NOT EXISTS ${MXE_INCLUDE_DIR}/tb/rtl/rtl_top.h)  # installed: <prefix>/share/mxe/tb
  get_filename_component(MXE_INCLUDE_DIR ${MXE_ROOT_DIR}/../../include/mxe ABSOLUTE)
endif()

# What an engine in a library and the program that loads it have in common (engine_plugin.h).
set(_headers tb/rtl/engine_plugin.h tb/rtl/rtl_signal.h tb/rtl/rtl_value.h tb/rtl/rtl_top.h model/params/params.h
             sw/regs/generated/mxe_parameters.h)
list(TRANSFORM _headers PREPEND ${MXE_INCLUDE_DIR}/)
set(_digests "")
foreach(_header IN LISTS _headers)
  file(SHA256 ${_header} _digest)
  string(APPEND _digests ${_digest})
endforeach()
string(SHA256 MXE_ENGINE_INTERFACE "${_digests}")
string(SUBSTRING ${MXE_ENGINE_INTERFACE} 0 12 MXE_ENGINE_INTERFACE)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_headers})
