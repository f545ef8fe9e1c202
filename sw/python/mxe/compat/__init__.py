# SPDX-License-Identifier: Apache-2.0
"""Interfaces of other systems' packages, computed by the reference, for a change of one import.

`mxe.compat.torchmx`, `mxe.compat.microxcaling` and `mxe.compat.pychop` give the numbers that
torchmx 0.1.0, microxcaling 7bc4195 and pychop 0.6.2 give on a CPU.
"""
