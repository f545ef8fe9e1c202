// SPDX-License-Identifier: Apache-2.0
// MXE in another SystemC platform with its own memory and processor: see docs/model.md.
#include <cstdio>
#include <cstring>

#include "model/platform/engine.h"
#include "mxe_regs.h"

struct MyBoard : sc_core::sc_module {
  tlm_utils::simple_target_socket<MyBoard> memory{"memory"};
  tlm_utils::simple_initiator_socket<MyBoard> cpu{"cpu"};
  uint8_t bytes[1 << 14] = {};  // the memory, at address 0
  SC_CTOR(MyBoard) {
    memory.register_b_transport(this, &MyBoard::access_memory);
    SC_THREAD(program);
  }
  void access_memory(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    uint8_t *at = bytes + p.get_address(), *data = p.get_data_ptr(), *on = p.get_byte_enable_ptr();
    for (unsigned i = 0; i < p.get_data_length(); i++) {
      if (on && !on[i % p.get_byte_enable_length()]) continue;
      (p.is_read() ? data[i] : at[i]) = p.is_read() ? at[i] : data[i];
    }
    delay += sc_core::sc_time(40, sc_core::SC_NS);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  void write_register(uint32_t offset, uint32_t value) {
    tlm::tlm_generic_payload p;
    sc_core::sc_time delay;
    p.set_write();
    p.set_address(offset);
    p.set_data_ptr(reinterpret_cast<uint8_t*>(&value));
    p.set_data_length(4);
    p.set_streaming_width(4);
    cpu->b_transport(p, delay);
    if (delay != sc_core::SC_ZERO_TIME) wait(delay);
  }
  void program() {
    // [16][32] ones times [8][32] ones in MXFP8: elements 0x38, scales 127. docs/registers.md.
    const uint32_t job[32] = {7, 0x44, 16, 8,      32, 0, 0x1000, 0,  0x1000, 0, 0x2000, 0, 0x2000,
                              0, 0,    0,  0x3000, 0,  0, 0,      32, 32,     1, 1,      0, 32};
    std::memcpy(bytes, job, sizeof job);
    std::memset(bytes + 0x1000, 0x38, 0x1000);
    std::memset(bytes + 0x2000, 127, 0x1000);
    write_register(MXE_REG_RING_SIZE_LOG2, 0);
    write_register(MXE_REG_CTRL, MXE_CTRL_ENABLE_MASK);
    write_register(MXE_REG_RING_TAIL, 1);
  }
};

int sc_main(int, char**) {
  MyBoard board("board");
  mxe::platform::Engine engine("engine", mxe::Params::named("small"));
  sc_core::sc_signal<bool> irq("irq");
  engine.irq(irq), engine.mem.bind(board.memory), board.cpu.bind(engine.regs);
  sc_core::sc_start();  // until no event is pending
  const float* d = reinterpret_cast<float*>(board.bytes + 0x3000);
  const auto* record = reinterpret_cast<uint32_t*>(board.bytes + MXE_DESC_STATUS);
  std::printf("D[0][0] = %g, status %u after %u clock cycles\n", *d, record[0], record[2]);
  return d[0] == 32 && d[127] == 32 ? 0 : 1;
}
