# SPDX-License-Identifier: Apache-2.0
# Records what a design is built from, so that a program can tell later whether the design is that of
# the RTL as it is now (tb/rtl/design_sources.h). Called around Verilator by mxe_verilated_class:
#
#   cmake -D FOLDER=<folder> "-D SETTINGS=<text>" "-D SOURCES=<file>|<file>..." -P record_sources.cmake
#
# writes <folder>/digest.inc, a string literal: the SHA-256 of the settings (parameters, macros, top
# module) and of each file's name and content, in their order; <folder>/list, the path of each file, one
# a line; and copies of the files, <folder>/0, 1, ... With -D CHECK=1 it fails instead if a file is no
# longer as it was copied: it was edited while Verilator ran.
string(REPLACE "|" ";" SOURCES "${SOURCES}")
set(number 0)
if(CHECK)
  foreach(source IN LISTS SOURCES)
    file(SHA256 ${source} now)
    file(SHA256 ${FOLDER}/${number} then)
    if(NOT now STREQUAL then)
      message(FATAL_ERROR "${source} was edited while Verilator read it; build once more")
    endif()
    math(EXPR number "${number} + 1")
  endforeach()
  return()
endif()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
set(text "${SETTINGS}\n")
set(list "")
foreach(source IN LISTS SOURCES)
  file(COPY_FILE ${source} ${FOLDER}/${number})
  file(SHA256 ${FOLDER}/${number} digest)
  get_filename_component(name ${source} NAME)
  string(APPEND text "${name} ${digest}\n")
  string(APPEND list "${source}\n")
  math(EXPR number "${number} + 1")
endforeach()
string(SHA256 digest "${text}")
file(WRITE ${FOLDER}/list "${list}")
file(WRITE ${FOLDER}/digest.inc "\"${digest}\"\n")
