// SPDX-License-Identifier: Apache-2.0
#include "model/platform/payload.h"

#include <cstring>

namespace mxe::platform {

void copy_enabled(tlm::tlm_generic_payload& payload, uint8_t* storage) {
  uint8_t* buffer = payload.get_data_ptr();
  uint8_t* target = payload.is_write() ? storage : buffer;
  const uint8_t* source = payload.is_write() ? buffer : storage;
  const unsigned length = payload.get_data_length();
  if (!payload.get_byte_enable_ptr()) {
    std::memcpy(target, source, length);
    return;
  }
  for (unsigned i = 0; i < length; i++) {
    if (is_enabled(payload, i)) target[i] = source[i];
  }
}

}  // namespace mxe::platform
