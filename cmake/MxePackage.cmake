# SPDX-License-Identifier: Apache-2.0
# cpack -G DEB: mxe, which runs, and mxe-dev, to build programs with.
include_guard()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "MXE maintainers <maintainers@localhost>")
set(CPACK_PACKAGE_VENDOR "MXE")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development)
set(CPACK_DEB_COMPONENT_INSTALL ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME mxe)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
    "OCP Microscaling (MX) matrix engine: reference, model and RTL
Quantizes matrices to the MX number formats and multiplies them on a bit-exact
reference, on a cycle-accurate SystemC model and on simulated RTL. `mxe demo`
classifies handwritten digits on all three.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME mxe-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "mxe (= ${PROJECT_VERSION}), libfmt-dev, libsystemc-dev, libyaml-cpp-dev, pkg-config")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "cmake, verilator, zlib1g-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "OCP Microscaling (MX) matrix engine: libraries, driver and RTL sources
Headers, static libraries and a CMake package for programs that use the
reference, the model, the simulated RTL or the C driver; the RTL in
SystemVerilog with its file lists; documents.")
include(CPack)
