// SPDX-License-Identifier: Apache-2.0
`define FROM_COPY 1'b1
