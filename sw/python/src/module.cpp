// SPDX-License-Identifier: Apache-2.0
// mxe._core, for use by the package only.
#include <nanobind/nanobind.h>

#include <exception>
#include <thread>

#include "model/numerics/base/error.h"
#include "sw/python/src/quantized.h"

namespace nb = nanobind;

NB_MODULE(_core, module) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const mxe::Error& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    }
  });
  nb::set_leak_warnings(false);  // caches in Python live as long as the interpreter
  module.attr("version") = MXE_PYTHON_VERSION;
  module.attr("hardware_threads") = std::max(1u, std::thread::hardware_concurrency());
  mxe::python::bind_quantizers(module);
  mxe::python::bind_arrays(module);
  mxe::python::bind_checkpoints(module);
  mxe::python::bind_quantized(module);
  mxe::python::bind_matmul(module);
  mxe::python::bind_engine_jobs(module);
  mxe::python::bind_studies(module);
  mxe::python::bind_elements(module);
}
