# SPDX-License-Identifier: Apache-2.0
"""Replacements for other packages, with the same numbers on a CPU; only the import changes.

Replaced are torchmx 0.1.0, microxcaling 7bc4195, pychop 0.6.2, the MX and NVFP4 formats of torchao
36027d8, and the MX formats of AMD Quark 0.13 for ONNX.
"""
