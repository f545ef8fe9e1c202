# SPDX-License-Identifier: Apache-2.0
"""The exporters of generate.py, one module per output."""
