# SPDX-License-Identifier: Apache-2.0
# Fails if the object file OBJECT needs a symbol from elsewhere (asked with the program NM).
execute_process(COMMAND ${NM} --undefined-only ${OBJECT} OUTPUT_VARIABLE undefined
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT undefined STREQUAL "")
  message(FATAL_ERROR "${OBJECT} is not freestanding, it needs:\n${undefined}")
endif()
