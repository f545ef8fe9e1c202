// SPDX-License-Identifier: Apache-2.0
`include "mxe_assert.svh"

module includes (output logic from_copy_o);
  assign from_copy_o = `FROM_COPY;
endmodule
