# SPDX-License-Identifier: Apache-2.0
include_guard()
set(MXE_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed.cmake)

# mxe_embed(<source> HEADER <header> NAMESPACE <namespace> <name>=<file> [<file>...] ...): generates <source>, which
# defines each <name>, declared in <header>, as a string_view of its files' concatenated contents.
function(mxe_embed source)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "HEADER;NAMESPACE" "")
  set(items "")
  set(files "")
  foreach(item IN LISTS ARG_UNPARSED_ARGUMENTS)
    string(REGEX MATCH "^([A-Za-z]+=)?(.*)$" _ ${item})
    cmake_path(ABSOLUTE_PATH CMAKE_MATCH_2 OUTPUT_VARIABLE path)
    list(APPEND files ${path})
    list(APPEND items ${CMAKE_MATCH_1}${path})
  endforeach()
  list(JOIN items "|" items)
  add_custom_command(OUTPUT ${source} COMMAND ${CMAKE_COMMAND} -D OUTPUT=${source} -D HEADER=${ARG_HEADER} -D
                                              NAMESPACE=${ARG_NAMESPACE} "-DFILES=${items}" -P ${MXE_EMBED_SCRIPT}
                     DEPENDS ${files} ${MXE_EMBED_SCRIPT} VERBATIM)
endfunction()
