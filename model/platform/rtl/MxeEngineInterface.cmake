# SPDX-License-Identifier: Apache-2.0
# The interface version of engine libraries and of the programs that load them. Does not need Verilator.
include_guard()

set(MXE_RTL_HOST_DIR ${CMAKE_CURRENT_LIST_DIR})
get_filename_component(MXE_ROOT_DIR ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
# Defines MXE_RTL_PARAMETERS_<name of a configuration>.
include(${MXE_ROOT_DIR}/model/regs/generated/mxe_parameters.cmake)
set(MXE_INCLUDE_DIR ${MXE_ROOT_DIR})
if(NOT EXISTS ${MXE_INCLUDE_DIR}/model/platform/rtl/rtl_top.h) # installed: <prefix>/share/mxe/model/platform/rtl
  get_filename_component(MXE_INCLUDE_DIR ${MXE_ROOT_DIR}/../../include/mxe ABSOLUTE)
endif()

# Digest of the headers that an engine library and the loading program must share (engine_plugin.h).
set(_headers model/platform/rtl/engine_plugin.h model/platform/rtl/rtl_signal.h model/platform/rtl/rtl_value.h
             model/platform/rtl/rtl_top.h model/params/params.h model/regs/generated/mxe_parameters.h)
list(TRANSFORM _headers PREPEND ${MXE_INCLUDE_DIR}/)
set(_digests "")
foreach(_header IN LISTS _headers)
  file(SHA256 ${_header} _digest)
  string(APPEND _digests ${_digest})
endforeach()
string(SHA256 MXE_ENGINE_INTERFACE "${_digests}")
string(SUBSTRING ${MXE_ENGINE_INTERFACE} 0 12 MXE_ENGINE_INTERFACE)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_headers})
