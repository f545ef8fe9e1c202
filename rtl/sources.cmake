# SPDX-License-Identifier: Apache-2.0
# Lists the RTL files for Verilator, Yosys and lint: MXE_RTL_SOURCES (from mxe.f, packages first),
# MXE_RTL_HEADERS and their folder MXE_RTL_INCLUDE, and the lint waivers MXE_RTL_WAIVERS.
include_guard()
set(MXE_RTL_INCLUDE ${CMAKE_CURRENT_LIST_DIR})
set(MXE_RTL_WAIVERS ${MXE_RTL_INCLUDE}/mxe.vlt)
file(STRINGS ${MXE_RTL_INCLUDE}/mxe.f MXE_RTL_SOURCES REGEX "^[^/+].*\\.sv$")
list(TRANSFORM MXE_RTL_SOURCES PREPEND ${MXE_RTL_INCLUDE}/)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${MXE_RTL_INCLUDE}/mxe.f)
file(GLOB MXE_RTL_HEADERS CONFIGURE_DEPENDS ${MXE_RTL_INCLUDE}/*.svh)
