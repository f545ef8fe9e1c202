# SPDX-License-Identifier: Apache-2.0
# Components of `cmake --install`, whose files find each other by relative paths:
#   runtime       the program, its designs, the data of `mxe demo`
#   development   libraries, headers, CMake package, RTL sources, the Linux driver's sources, documents, examples
#   linux         mxe.ko, if it was built; in no package
include_guard()
include(CMakePackageConfigHelpers)

set(_include ${CMAKE_INSTALL_INCLUDEDIR}/mxe) # the only include root
set(_cmake ${CMAKE_INSTALL_LIBDIR}/cmake/mxe)
set(_share ${CMAKE_INSTALL_DATADIR}/mxe)

install(TARGETS mxe RUNTIME COMPONENT runtime)
install(DIRECTORY sw/mxe/data/digits DESTINATION ${_share} COMPONENT runtime PATTERN train* EXCLUDE)
install(FILES LICENSE sw/report/vendor/ECHARTS-LICENSE sw/report/vendor/ECHARTS-NOTICE
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
# Optional: a build may contain only mxe and one design.
install(TARGETS mxe-linux mxe-linux-init RUNTIME COMPONENT runtime OPTIONAL)
if(MXE_BUILD_SOC)
  install(TARGETS mxe-run RUNTIME COMPONENT runtime OPTIONAL)
endif()
if(MXE_BUILD_RTL)
  install(TARGETS mxe-cosim RUNTIME COMPONENT runtime OPTIONAL)
  get_property(_designs GLOBAL PROPERTY MXE_BUILT_IN_RTL)
  install(TARGETS ${_designs} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/mxe COMPONENT runtime OPTIONAL)
endif()

# Exports targets as mxe::<name>. A component of the CMake package requires the components before it.
function(mxe_install_part component)
  foreach(pair IN LISTS ARGN)
    string(REGEX MATCH "^(.*)=(.*)$" _ ${pair})
    set(target ${CMAKE_MATCH_1})
    set(name ${CMAKE_MATCH_2})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    add_library(mxe::${name} ALIAS ${target})
    # The interface of a static library lists its private libraries, too. Other projects do not need these two.
    get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
    if(links)
      list(REMOVE_ITEM links $<LINK_ONLY:mxe_warnings> $<LINK_ONLY:nlohmann_json::nlohmann_json>)
      set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${links}")
    endif()
    install(TARGETS ${target} EXPORT mxe-${component} ARCHIVE COMPONENT development LIBRARY COMPONENT development
            INCLUDES DESTINATION ${_include})
  endforeach()
  install(EXPORT mxe-${component} NAMESPACE mxe:: DESTINATION ${_cmake} COMPONENT development)
endfunction()

mxe_install_part(driver mxe_regs=registers mxe_driver=driver)
mxe_install_part(reference mx=numerics mx_safetensors=safetensors mxe_params=params mxe_job=reference)
if(MXE_BUILD_RTL)
  mxe_install_part(model mxe_blocks=blocks mxe_engine=engine mxe_harness=harness mxe_dram=dram mxe_platform=platform
                   mxe_rtl=rtl_engine mxe_device=model)
  mxe_install_part(rtl mxe_rtl_device=rtl)
else()
  mxe_install_part(model mxe_blocks=blocks mxe_engine=engine mxe_harness=harness mxe_dram=dram mxe_platform=platform
                   mxe_device=model)
endif()

if(TARGET mxe_linux)
  mxe_install_part(linux mxe_linux=linux)
endif()

configure_package_config_file(cmake/mxeConfig.cmake.in ${PROJECT_BINARY_DIR}/mxeConfig.cmake
                              INSTALL_DESTINATION ${_cmake} PATH_VARS _share)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mxeConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mxeConfig.cmake ${PROJECT_BINARY_DIR}/mxeConfigVersion.cmake DESTINATION ${_cmake}
        COMPONENT development)

# Headers of the targets above, without those that only their sources include.
set(_rooms model/numerics model/params model/blocks model/job model/engine model/harness model/platform)
set(_no_rtl "")
if(NOT MXE_BUILD_RTL)
  set(_no_rtl REGEX "/platform/rtl/" EXCLUDE)
endif()
foreach(_room IN LISTS _rooms)
  get_filename_component(_parent ${_room} DIRECTORY)
  install(
    DIRECTORY ${_room}
    DESTINATION ${_include}/${_parent}
    COMPONENT development
    FILES_MATCHING
    PATTERN *.h
    REGEX
      "/(aligned_vector|block_kernels|pack_kernels|preset_kernels|fast_blocks|scale_choice|gemm_(kernels|fast|pack|policies)|packed_operand|parallel)\\.h$"
      EXCLUDE
    PATTERN verilated_top.h EXCLUDE
    PATTERN soc EXCLUDE
    PATTERN pci EXCLUDE
    PATTERN uml EXCLUDE
    PATTERN linux EXCLUDE ${_no_rtl})
endforeach()
install(DIRECTORY sw/driver/ model/regs/generated/ DESTINATION ${_include} COMPONENT development FILES_MATCHING
        PATTERN *.h PATTERN mxe_parameters.h EXCLUDE PATTERN examples EXCLUDE)
install(FILES model/regs/generated/mxe_parameters.h DESTINATION ${_include}/model/regs/generated COMPONENT development)
install(FILES sw/linux/lib/mxe_linux.h DESTINATION ${_include} COMPONENT development)

# The reference in test benches (docs/dpi.md).
if(TARGET mxe_dpi)
  install(TARGETS mxe_dpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  install(FILES tb/dpi/mxe_dpi.h DESTINATION ${_include} COMPONENT development)
  install(FILES tb/dpi/mxe_dpi_pkg.sv tb/dpi/mxe_dpi.py DESTINATION ${_share}/dpi COMPONENT development)
endif()

# The RTL's sources for other tools, also if this build does not use the RTL.
install(
  DIRECTORY rtl
  DESTINATION ${_share}
  COMPONENT development
  FILES_MATCHING
  PATTERN *.sv
  PATTERN *.svh
  PATTERN *.v
  PATTERN *.sdc
  PATTERN *.xml
  PATTERN *.vlt
  PATTERN *.f
  PATTERN *.core
  PATTERN sources.cmake)
install(FILES Bender.yml DESTINATION ${_share} COMPONENT development)

# MxeVerilate.cmake builds a user's engine from these (docs/bring-your-own-rtl.md).
install(FILES model/platform/rtl/MxeVerilate.cmake model/platform/rtl/MxeEngineInterface.cmake
              model/platform/rtl/record_sources.cmake DESTINATION ${_share}/model/platform/rtl COMPONENT development)
install(FILES model/platform/rtl/engine_plugin.cpp model/platform/rtl/fst_writer.cpp
              model/platform/rtl/verilated_factory.cpp model/platform/rtl/verilated_top.h
              model/platform/rtl/no_description.inc DESTINATION ${_share}/model/platform/rtl COMPONENT development)
install(FILES model/regs/generated/mxe_parameters.cmake DESTINATION ${_share}/model/regs/generated
        COMPONENT development)

# For firmware in other projects (docs/driver.md).
install(DIRECTORY sw/firmware/runtime DESTINATION ${_share}/sw/firmware COMPONENT development)
install(FILES sw/firmware/MxeFirmware.cmake DESTINATION ${_share}/sw/firmware COMPONENT development)
install(DIRECTORY sw/driver DESTINATION ${_share}/sw COMPONENT development FILES_MATCHING PATTERN *.c PATTERN *.h
        PATTERN examples EXCLUDE)
install(DIRECTORY model/regs/generated DESTINATION ${_share}/model/regs COMPONENT development FILES_MATCHING
        PATTERN *.h)
install(DIRECTORY model/platform/soc/generated DESTINATION ${_share}/model/platform/soc COMPONENT development)

# Sources of the Linux driver (docs/linux-driver.md), and mxe.ko, whose licences allow no package.
install(DIRECTORY sw/linux/module sw/linux/include DESTINATION ${_share}/sw/linux COMPONENT development PATTERN build
                                                                                                                EXCLUDE
        PATTERN .clang-format EXCLUDE)
install(FILES ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/linux/mxe.ko DESTINATION ${CMAKE_INSTALL_LIBDIR}/mxe/linux
        COMPONENT linux OPTIONAL)

install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development PATTERN examples/CMakeLists.txt EXCLUDE
        PATTERN docs/conf.py EXCLUDE PATTERN docs/site EXCLUDE PATTERN __pycache__ EXCLUDE)

include(MxePackage)
