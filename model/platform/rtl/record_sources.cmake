# SPDX-License-Identifier: Apache-2.0
# Records the sources of a design, so that a program can later compare them with the current RTL
# (model/platform/rtl/design_sources.h). mxe_verilated_class calls it before and after Verilator:
#
#   cmake -D FOLDER=<folder> "-D SETTINGS=<text>" "-D SOURCES=<file>|<file>..." -P record_sources.cmake
#
# Writes <folder>/digest.inc, a string literal with the SHA-256 of the settings (parameters, macros, top
# module) and of each file's name and content; <folder>/list, one path per line; and copies of the files,
# <folder>/0, 1, ... With -D CHECK=1 it fails if a file differs from its copy, i.e. was edited meanwhile.
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
