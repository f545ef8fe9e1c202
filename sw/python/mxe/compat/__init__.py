# SPDX-License-Identifier: Apache-2.0
"""Replacements for other packages: change one import, and the reference computes.

`mxe.compat.torchmx`, `mxe.compat.microxcaling` and `mxe.compat.pychop` return the same numbers as
torchmx 0.1.0, microxcaling 7bc4195 and pychop 0.6.2 on a CPU.
"""
