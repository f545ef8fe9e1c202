# SPDX-License-Identifier: Apache-2.0
"""What generate.py writes: one module per output."""
