# SPDX-License-Identifier: Apache-2.0
"""torchmx registers the operators of MXTensor when this module is imported; mxe.torch has done so already."""
