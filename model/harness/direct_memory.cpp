// SPDX-License-Identifier: Apache-2.0
#include "model/harness/direct_memory.h"

#include <cstring>

namespace mxe::harness {
namespace {

/// Copies the bytes whose `enables` are not 0; null enables all.
void store(uint8_t* target, const uint8_t* source, const uint8_t* enables, std::size_t bytes) {
  if (!enables) {
    std::memcpy(target, source, bytes);
    return;
  }
  for (std::size_t i = 0; i < bytes; i++) {
    if (enables[i]) target[i] = source[i];
  }
}

}  // namespace

void DirectMemory::serve(const engine::MemoryRequest& request, engine::BeatSize beat,
                         engine::Ticket& ticket) const {
  const uint64_t beats = beat.whole(request.bytes);
  if (request.write) {
    if (request.data) {
      store(at(request.address), request.data, request.enables, request.bytes);
    }
    ticket.complete(channels_.write->serve_write(request.cycle, beats, beat.bytes()));
  } else {
    if (request.data) std::memcpy(request.data, at(request.address), request.bytes);
    ticket.complete(channels_.read->serve(request.cycle, beats, beat.bytes()));
  }
}

}  // namespace mxe::harness
