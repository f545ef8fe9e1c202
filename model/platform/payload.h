// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <tlm>

namespace mxe::platform {

/// Checks a payload's attributes, before a target uses them. Returns TLM_OK_RESPONSE or the error
/// response of IEEE 1666, 14.6 to 14.12. Example: 4 bytes with a streaming width of 2 would write
/// the same 2 bytes twice, so they give TLM_BURST_ERROR_RESPONSE.
inline tlm::tlm_response_status check_attributes(const tlm::tlm_generic_payload& payload) {
  if (!payload.is_read() && !payload.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  const unsigned length = payload.get_data_length();
  if (length == 0 || payload.get_streaming_width() < length) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (!payload.get_data_ptr()) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  if (payload.get_byte_enable_ptr() && payload.get_byte_enable_length() == 0) {
    return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

/// True if the byte enables select byte `i`. A short enable array repeats.
inline bool is_enabled(const tlm::tlm_generic_payload& payload, unsigned i) {
  const uint8_t* enables = payload.get_byte_enable_ptr();
  return !enables || enables[i % payload.get_byte_enable_length()] != TLM_BYTE_DISABLED;
}

/// Copies the enabled bytes: to `storage` for a write, from it for a read.
void copy_enabled(tlm::tlm_generic_payload& payload, uint8_t* storage);

}  // namespace mxe::platform
