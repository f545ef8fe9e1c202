# SPDX-License-Identifier: Apache-2.0
"""Interfaces of other systems' packages, computed by the reference, for a change of one import.

`mxe.compat.torchmx` and `mxe.compat.microxcaling` give the numbers that torchmx 0.1.0 and
microxcaling give on a CPU.
"""
