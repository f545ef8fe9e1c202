# SPDX-License-Identifier: Apache-2.0
# mxe_firmware(<name> <source>... [INCLUDES <folder>...] [DATA <file>...] [FLAGS <flag>...])
# Adds target firmware_<name>, a program for the virtual platform: <name>32.elf for RV32IMAC and <name>64.elf
# for RV64IMAC, in MXE_FIRMWARE_FOLDER (default: the build folder). It is built with clang and lld, without a C
# library, and contains the driver and the runtime of this folder. DATA: other files that the sources include.
# FLAGS: for compiling <source>... and for linking, such as -Wall -Werror. Other projects may include this file.
include_guard()
find_program(MXE_FIRMWARE_CC NAMES clang-14 clang REQUIRED DOC "Compiler of the firmware, with RISC-V as a target")
find_program(MXE_FIRMWARE_LD NAMES ld.lld-14 ld.lld REQUIRED DOC "Linker of the firmware")

function(mxe_firmware name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "INCLUDES;DATA;FLAGS")
  get_filename_component(root ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../.. ABSOLUTE)
  set(folder ${CMAKE_CURRENT_BINARY_DIR})
  if(MXE_FIRMWARE_FOLDER)
    set(folder ${MXE_FIRMWARE_FOLDER})
  endif()
  set(includes ${root}/sw/firmware/runtime ${root}/sw/driver ${root}/model/regs/generated
               ${root}/model/platform/soc/generated ${ARG_INCLUDES})
  set(own crt0.S engine_port.c interrupts.c memory.c soc.c)
  list(TRANSFORM own PREPEND ${root}/sw/firmware/runtime/)
  foreach(part driver float math)
    list(APPEND own ${root}/sw/driver/mxe_${part}.c)
  endforeach()
  set(headers ${includes})
  list(TRANSFORM headers APPEND /*.h)
  file(GLOB headers CONFIGURE_DEPENDS ${headers})
  list(TRANSFORM includes PREPEND -I)
  set(script ${root}/model/platform/soc/generated/soc.ld)
  set(elfs "")
  foreach(machine "32 ilp32" "64 lp64")
    separate_arguments(machine)
    list(GET machine 0 bits)
    list(GET machine 1 abi)
    set(elf ${folder}/${name}${bits}.elf)
    set(compile
        ${MXE_FIRMWARE_CC}
        --target=riscv${bits}-unknown-elf
        -march=rv${bits}imac
        -mabi=${abi}
        -mcmodel=medany
        -mno-relax
        -std=c11
        -ffreestanding
        -O2
        -g
        -ffunction-sections
        -fdata-sections
        ${includes})
    set(own_folder ${CMAKE_CURRENT_BINARY_DIR}/firmware_${name}${bits}.dir)
    set(objects "")
    foreach(source IN LISTS own)
      cmake_path(GET source STEM stem)
      list(APPEND objects ${own_folder}/${stem}.o)
    endforeach()
    add_custom_command(
      OUTPUT ${elf}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${own_folder}
      COMMAND ${CMAKE_COMMAND} -E chdir ${own_folder} ${compile} -Wall -Wextra -Wconversion -Werror -c ${own}
      COMMAND ${compile} ${ARG_FLAGS} -nostdlib --ld-path=${MXE_FIRMWARE_LD} -T ${script} -Wl,--gc-sections -o ${elf}
              ${objects} ${ARG_UNPARSED_ARGUMENTS}
      DEPENDS ${own} ${ARG_UNPARSED_ARGUMENTS} ${headers} ${script} ${ARG_DATA}
      WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
      COMMENT "Firmware ${name}${bits}.elf"
      VERBATIM)
    list(APPEND elfs ${elf})
  endforeach()
  add_custom_target(firmware_${name} ALL DEPENDS ${elfs})
endfunction()
