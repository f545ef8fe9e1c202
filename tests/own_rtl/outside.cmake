# SPDX-License-Identifier: Apache-2.0
# Builds the project SOURCE in BINARY, then runs random jobs and the directed cases on its engine.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(engine ${BINARY}/libsimple_engine.so)
set(launcher "")
if(CCACHE)
  set(launcher -DCMAKE_CXX_COMPILER_LAUNCHER=${CCACHE})
endif()
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${BINARY} ${launcher})
run(${CMAKE_COMMAND} --build ${BINARY} --parallel 1)
file(GLOB cases ${SOURCE}/../../../tests/cosim/cases/*.json)
# Without cases that are slow with one multiplier: those for the configurations base and large, and two with many
# products.
list(FILTER cases EXCLUDE REGEX "/((base|large)_[a-z]+|[a-z_]+_base|special_lanes|sparse_sums)\\.json$")
run(${MXE} cosim --rtl ${engine} --failures ${BINARY}/failures --parallel 1 --seeds 2 --jobs-per-seed 50)
run(${MXE} cosim --rtl ${engine} --failures ${BINARY}/failures --parallel 1 --case ${cases})
