# SPDX-License-Identifier: Apache-2.0
"""AMD Quark 0.13's quantizer of ONNX models, for its MX formats: change `quark.onnx` to `mxe.compat.quark.onnx`."""
